from __future__ import annotations

import json
import os
import subprocess
import sys
from stat import S_IMODE

import pytest

from babelspace.search.index import Index
from tests.cli.conftest import run, started, write_jsonl
from tests.store.server import Server


@pytest.fixture(scope="module")
def query(planted_corpus):
    return planted_corpus.texts("en")[7]


@pytest.fixture
def index(model, corpus, tmp_path):
    folder = tmp_path / "index"
    run("index", model, corpus, "-o", folder)
    return folder


@pytest.fixture
def spanish(planted_corpus):
    return [{"id": d.id, "text": d.text, "year": 1990 + n % 3} for n, d in enumerate(planted_corpus.documents("es"))]


def hits(*arguments, **settings):
    return json.loads(run("search", *arguments, "--json", **settings).stdout)["hits"]


def test_index_and_search(model, corpus, query, tmp_path):
    shown = run("index", model, corpus, "-o", tmp_path / "index").stdout
    assert "documents  en 300, es 300" in shown
    assert "this time  600 added" in shown
    found = hits(tmp_path / "index", query, "--language", "en", "--in", "es", "--top", 3)
    assert found[0]["id"] == "row-007"
    assert list(found[0])[:5] == ["rank", "language", "id", "score", "similarity"]
    assert all(0 <= start < end <= len(found[0]["snippet"]) for start, end in found[0]["spans"])
    lines = run("search", tmp_path / "index", query, "--language", "en").stdout.splitlines()
    assert lines[0].split("\t") == ["rank", "language", "id", "score", "text"]
    assert len(lines) == 11
    assert "\x1b" not in "".join(lines), "no colours where there is no terminal"


def test_words_are_marked_on_a_terminal(index, query, monkeypatch, capsys):
    from babelspace.cli import search

    found = hits(index, query, "--language", "en", "--top", 2)
    monkeypatch.setenv("FORCE_COLOR", "1")
    search._draw(found)
    shown = capsys.readouterr().out
    assert "\x1b[1;32m" in shown
    assert "row-007" in shown


def test_explain(index, query):
    found = hits(index, query, "--language", "en", "--in", "es", "--top", 2, "--explain")
    told = found[0]["explanation"]
    assert told["score"] == pytest.approx(found[0]["similarity"], abs=1e-4)
    assert sum(part["value"] for part in told["parts"]) + told["rest"] == pytest.approx(told["score"])
    lines = run("search", index, query, "--language", "en", "--top", 1, "--explain").stdout.splitlines()
    assert lines[0].endswith("\tbecause")
    assert "×" in lines[1]


def test_add_replace_delete(model, spanish, query, tmp_path):
    folder = tmp_path / "index"
    first, second = write_jsonl(tmp_path / "es.jsonl", spanish[:200]), tmp_path / "more.jsonl"
    run("index", model, first, "-o", folder)
    assert (
        "is a whole index already\nHint: use --add, --replace, --sync or --delete"
        in run("index", model, first, "-o", folder, code=1).stderr
    )
    write_jsonl(second, spanish[200:])
    assert "100 added" in run("index", model, f"es={second}", "-o", folder, "--add").stdout
    assert "100 unchanged" in run("index", model, f"es={second}", "-o", folder, "--add").stdout
    changed = write_jsonl(tmp_path / "changed.jsonl", [spanish[7] | {"text": spanish[9]["text"], "lang": "es"}])
    shown = run("index", model, changed, "-o", folder, "--add", code=1).stderr
    assert "1 documents are in the index already with another text: es 'row-007'" in shown
    assert "Hint: use --replace" in shown
    assert "1 replaced" in run("index", model, changed, "-o", folder, "--replace").stdout
    gone = write_jsonl(tmp_path / "gone.jsonl", [{"id": "row-007", "lang": "es"}, {"id": "unknown", "lang": "es"}])
    found = json.loads(run("index", model, gone, "-o", folder, "--delete", "--json").stdout)
    assert (found["deleted"], found["documents"]) == (1, {"es": 299})
    assert "row-007" not in [hit["id"] for hit in hits(folder, query, "--language", "en", "--top", 299)]


def test_metadata_can_be_filtered_by(model, spanish, query, tmp_path):
    run("index", model, write_jsonl(tmp_path / "es.jsonl", spanish), "-o", tmp_path / "index")
    found = hits(tmp_path / "index", query, "--language", "en", "--where", "year=1991", "--where", "year=1992")
    assert {hit["metadata"]["year"] for hit in found} == {1991, 1992}
    shown = run("search", tmp_path / "index", query, "--language", "en", "--where", "year=7").stderr
    assert "nothing found with --where" in shown
    shown = run("search", tmp_path / "index", query, "--language", "en", "--where", "year", code=2).stderr
    assert "'year' is no filter; write a field, one of = < <= > >= and a value" in shown


def test_a_lexicon(model, tmp_path):
    rows = [{"id": "house", "lang": "es", "text": "hogar"}, {"id": "wine", "lang": "es", "text": "vinum"}]
    lexicon = tmp_path / "lexicon.tsv"
    lexicon.write_text("source\ttarget\tforward\nhome\thogar\t0.9\nhome\tNULL\t0.1\n")
    documents = write_jsonl(tmp_path / "docs.jsonl", rows)
    run("index", model, documents, "-o", tmp_path / "index", "--lexicon", f"en-es={lexicon}")
    (found,) = hits(tmp_path / "index", "home", "--language", "en")
    assert found["id"] == "house"
    assert found["spans"] == [[0, 5]]
    shown = run("index", model, "-o", tmp_path / "index", "--add", "--lexicon", lexicon, code=2).stderr
    assert "names no languages. Write for example --lexicon en-es=lexicon.tsv" in shown


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("es.jsonl", b"", "no documents with any text"),
        ("es.jsonl", b'{"id": "1", "text": " "}\n', "no documents with any text"),
        ("es.txt", b"uno\n\x00\x01\x02binary\n", "es.txt, line 2: a NUL byte: this is binary data, not text"),
        ("es.jsonl", b'{"id": "1", "text": "a\\u0000b"}\n', "line 1: a NUL byte: this is binary data"),
        ("es.txt", b"ma\xf1ana\n", "es.txt, line 1: not UTF-8: byte 0xf1"),
        ("es.txt", b"\xff\xfeu\x00n\x00o\x00", "this looks like UTF-16"),
        ("es.jsonl", b'{"id": "1", "text": "x"}\n{"id": "1", "text": "y"}\n', "line 2"),
        ("es.jsonl", b"broken\n", "line 1: broken JSON"),
        ("fr.txt", b"bonjour\n", "fr.txt: document '1' is in 'fr'; the model knows en, es"),
        ("pile", b"uno\n", "the language of these documents is not known"),
    ],
)
def test_files_that_are_no_documents(model, corpus, query, index, tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    assert message in run("index", model, path, "-o", index, "--add", code=1).stderr
    assert hits(index, query, "--language", "en", "--top", 1)[0]["id"] == "row-007", "nothing is lost"


def test_huge_documents(model, index, tmp_path, monkeypatch):
    monkeypatch.setenv("BABELSPACE_MAX_DOCUMENT", "1000")
    path = tmp_path / "es.txt"
    path.write_text("uno\n" + "dos " * 300 + "\n")
    shown = run("index", model, path, "-o", index, "--add", code=1).stderr
    assert "es.txt: document '2', a text of more than 1,000 characters" in shown
    assert "Hint: cut it into chapters or pages" in shown


def test_wrong_models_and_places(model, corpus, index, tmp_path):
    other = tmp_path / "other"
    run("fit", corpus, "--dim", 10, "--drop-top", 0, "-o", other)
    assert "was made with another model" in run("index", other, corpus, "-o", index, "--add", code=1).stderr
    assert (
        "no index there to change\nHint: leave --add out"
        in run("index", model, corpus, "-o", tmp_path / "new", "--add", code=1).stderr
    )
    assert "nothing to do: give DOCUMENTS" in run("index", model, "-o", tmp_path / "new", code=2).stderr
    assert "no model there" in run("index", tmp_path / "none", corpus, "-o", tmp_path / "new", code=1).stderr
    card = other / "card.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | {"format": 99}))
    shown = run("index", other, corpus, "-o", tmp_path / "new", code=1).stderr
    assert "format 99, this version reads format" in shown
    assert not (tmp_path / "new").exists()
    shown = run("index", model, corpus, "-o", tmp_path / "new", "--store", "mysql://host/db", code=1).stderr
    assert "unknown store 'mysql://host/db'; known: postgresql://" in shown
    assert "is an index: it has its documents" in run("search", index, corpus, "x", "--language", "en", code=1).stderr
    assert "no index there" in run("search", tmp_path / "none", "x", "--language", "en", code=1).stderr


# The command; it stops for good within its third batch, when all of it is written and nothing committed.
BATCH = 200
STOPPING = f"""
import sys, time
from babelspace.search import writer
writer.BATCH = {BATCH}
from babelspace.store.sqlite.store import SQLiteStore
batches, after = [], SQLiteStore._insert

def stopping(*given):
    after(*given)
    batches.append(given)
    if len(batches) == 3:
        print("stopped", flush=True)
        time.sleep(600)

SQLiteStore._insert = stopping
from babelspace.cli.main import main
main()
"""


def test_killed_and_continued(model, spanish, query, tmp_path):
    """A real process, killed in the middle of its work; the same command finishes the rest."""
    folder, documents = tmp_path / "index", tmp_path / "es.jsonl"
    rows = [row | {"id": f"{copy}-{row['id']}"} for copy in range(4) for row in spanish]
    write_jsonl(documents, rows)
    command = ["index", model, documents, "-o", folder]
    running = started([sys.executable, "-c", STOPPING, *map(str, command)])
    assert running.stdout.readline() == "stopped\n"
    with Index.open(folder) as index:
        assert len(index) == 2 * BATCH, "others search what is committed meanwhile"
    running.kill()
    running.communicate()
    with Index.open(folder) as index:
        assert len(index) == 2 * BATCH
        assert index.search(query, "en", k=1)[0].document.id.endswith("row-007")
    found = json.loads(run(*command, "--json").stdout)
    assert found["unchanged"] == 2 * BATCH
    assert found["documents"] == {"es": len(rows)}


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from babelspace.cli.main import main
sys.argv[1:] = sys.argv[2:]
main()
"""


def test_a_full_disk(model, spanish, query, tmp_path):
    """Files may not grow beyond a limit: the disk is full for this process."""
    folder = tmp_path / "index"
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    write_jsonl(few, [row | {"lang": "es"} for row in spanish[:100]])
    rows = [row | {"id": f"{copy}-{row['id']}", "lang": "es"} for copy in range(8) for row in spanish]
    write_jsonl(many, rows)
    run("index", model, few, "-o", folder)
    command = [sys.executable, "-c", LIMITED, 600_000, "index", model, many, "-o", folder, "--add"]
    full = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert full.returncode == 1, full.stderr
    assert "the disk failed or is full. What was committed before is kept" in full.stderr
    assert hits(folder, query, "--language", "en", "--top", 1)[0]["id"].endswith("row-007")
    found = json.loads(run("index", model, many, "-o", folder, "--add", "--json").stdout)
    assert found["documents"] == {"es": 100 + len(rows)}


def test_a_disk_that_cannot_be_written(index, spanish, query, tmp_path, unprivileged):
    model, documents = index / "model", write_jsonl(tmp_path / "es.jsonl", spanish[:3])
    for path in [index, *index.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    with unprivileged(tmp_path):
        assert hits(index, query, "--language", "en", "--top", 1)[0]["id"] == "row-007", "searching needs no writing"
        shown = run("index", model, documents, "-o", index, "--replace", code=1).stderr
        assert "cannot be written. Allow writing" in shown
        shown = run("index", model, documents, "-o", tmp_path / "locked" / "index", code=1).stderr
        assert "Permission denied" in shown


@pytest.fixture
def unprivileged():
    """Root may write everywhere: for a while the process is nobody."""
    from contextlib import contextmanager

    @contextmanager
    def changed(folder):
        locked = folder / "locked"
        locked.mkdir(mode=0o555)
        if os.geteuid() != 0:
            yield
            return
        parents = [folder, *folder.parents[:-1]]
        modes = {path: S_IMODE(path.stat().st_mode) for path in parents}
        for path, mode in modes.items():
            # Only added to: others write in /tmp, too.
            path.chmod(mode | 0o055)
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)
            for path, mode in modes.items():
                path.chmod(mode)

    return changed


def test_postgres(model, corpus, query, tmp_path, server):
    folder = tmp_path / "index"
    run("index", model, corpus, "-o", folder, "--store", server.url)
    assert not (folder / "documents.sqlite").exists()
    assert hits(folder, query, "--language", "en", "--in", "es", "--top", 1)[0]["id"] == "row-007"


def test_a_database_that_goes_away(model, spanish, query, tmp_path, monkeypatch):
    """The server dies between two batches; when it is back, the same command goes on."""
    from babelspace.store.postgres.store import PostgresStore

    monkeypatch.setattr("babelspace.search.writer.BATCH", 50)
    documents, folder = write_jsonl(tmp_path / "es.jsonl", spanish), tmp_path / "index"
    mortal, write = Server().start(), PostgresStore.write
    written = []

    def dying(store, entries):
        if len(written) == 3:
            mortal.kill()
        write(store, entries)
        written.append(len(entries))

    try:
        monkeypatch.setattr(PostgresStore, "write", dying)
        shown = run("index", model, documents, "-o", folder, "--store", mortal.url, code=1).stderr
        assert "the database went away" in shown
        assert "What was committed before is kept; run the same command again when it is back." in shown
        shown = run("search", folder, query, "--language", "en", code=1).stderr
        assert "no connection" in shown
        monkeypatch.setattr(PostgresStore, "write", write)
        mortal.start()
        assert hits(folder, query, "--language", "en", "--top", 1)[0]["id"] == "row-007"
        found = json.loads(run("index", model, documents, "-o", folder, "--json").stdout)
        assert (found["unchanged"], found["added"]) == (150, 150)
    finally:
        mortal.remove()


def test_no_server(model, corpus, tmp_path):
    url = f"postgresql://postgres:secret@/postgres?host={tmp_path}"
    shown = run("index", model, corpus, "-o", tmp_path / "index", "--store", url, code=1).stderr
    assert "no connection" in shown
    assert "Check the address, and that the server is running." in shown
    assert "secret" not in shown
    assert not (tmp_path / "index").exists()


def test_standard_input_needs_a_language(model, tmp_path):
    shown = run("index", model, "-", "-o", tmp_path / "index", code=1, input="uno\n").stderr
    assert "standard input: the language of these documents is not known\nHint: write it before the path: en=-" in shown
