"""Folders made by somebody who means harm, with right checksums: no connection, no write outside, no foreign read.

While a folder is opened, used and checked, Python tells of every file that is opened, every name that is made, moved or
removed, every connection and every program that is started.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import sqlite3
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from babelspace import Encoder, Index, planted
from babelspace.alignment.model import load_aligner
from babelspace.classification import CrossLanguageClassifier
from babelspace.corpus import blocked
from babelspace.errors import BabelspaceError
from babelspace.runtime import artifact
from babelspace.runtime.artifact import card_digest, write_card
from babelspace.runtime.block_files import JOURNAL
from babelspace.workflows.check_integrity import check
from benchmarks.artifact_kinds import bitext, kinds, unfinished
from tests.cards import reseal, rewrite

pytestmark = pytest.mark.family("alignment")

SECRET = "a secret of somebody else"
WATCHED = {
    "open": 0,
    "os.mkdir": 0,
    "os.remove": 0,
    "os.rename": 1,
    "os.rmdir": 0,
    "os.symlink": 1,
    "os.link": 1,
    "os.truncate": 0,
    "sqlite3.connect": 0,
    "shutil.rmtree": 0,
}
NEVER = ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn")
WORK = ("work", "fit", "training")
WORK_FILES = (
    "work/settings.json",
    "work/source",
    "work/source/journal.jsonl",
    "work/source/ids.bin",
    "work/source/vectors.bin",
    "work/compared.npz",
    "fit/settings.json",
    "fit/texts",
    "fit/texts/00000.json",
    "fit/texts/00000-00000.lines",
    "fit/texts/00000-00000.places.npy",
    "fit/counts",
    "fit/counts/00000.counts",
    "fit/rows/00000.rows",
    "fit/rows/gram",
    "training/all",
    "training/all/card.json",
    "training/all/arrays.safetensors",
)
seen: list[tuple[str, str]] | None = None


def _watch(event, arguments):
    if seen is None:
        return
    if event in NEVER:
        seen.append((event, repr(arguments)))
    elif event in WATCHED and isinstance(arguments[WATCHED[event]], (str, bytes, os.PathLike)):
        path = Path(os.fsdecode(arguments[WATCHED[event]]).removeprefix("file://").partition("?")[0])
        # Through links of folders; a file that is a link itself is opened only if it is none.
        seen.append((event, str(Path(os.path.realpath(path.parent)) / path.name)))


sys.addaudithook(_watch)


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A model, a classifier, an aligner, an index and unfinished work that do no harm, and how work goes on."""
    top, made = tmp_path_factory.mktemp("honest"), tmp_path_factory.mktemp("made")
    corpus = planted(rows=60, vocabulary=50, words=20)
    kinds(top, corpus, {"opca": {"n_components": 5}})
    (top / "opca").rename(top / "model")
    with Index.create(top / "index", top / "model") as index:
        index.add(corpus.documents("es"))
        index.finish()
    shutil.copytree(top / "model", made / "opca")
    work = {name: kind for name, kind in unfinished(made, corpus).items() if name in WORK}
    for name, kind in work.items():
        shutil.copytree(kind.folder, top / name)
    return top, work, made / "corpus"


@pytest.fixture
def place(honest, tmp_path):
    """A folder of a stranger beside what is none of its business."""
    honest = honest[0]
    shutil.copytree(honest, tmp_path / "given", symlinks=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text(SECRET)
    for name in ("model", "index", *WORK):
        shutil.copytree(honest / name, outside / name)
    return tmp_path


def use(folder, work):
    """All that one does with a folder that was sent; what it answers, or says."""
    told = []
    text = "en_w1 en_w2 en_w3"
    ways = {
        "model": [lambda: Encoder.load(folder / "model").encode([text], "en")],
        "classifier": [lambda: CrossLanguageClassifier.load(folder / "classifier").predict([text], "es")],
        "aligner": [lambda: load_aligner(folder / "aligner").viterbi(bitext())],
        "index": [
            lambda: check(folder / "index"),
            lambda: searched(folder / "index", text),
            lambda: check(folder / "index", repair=True),
        ],
    }
    for name, kind in work.items():
        ways[name] = [
            partial(check, folder / name),
            partial(kind.use, folder / name),
            partial(check, folder / name, repair=True),
            partial(kind.use, folder / name),
        ]
    for name, uses in ways.items():
        for way in uses if (folder / name).exists() or (folder / name).is_symlink() else ():
            try:
                told.append(str(way()))
            except BabelspaceError as problem:
                told.append(str(problem))
    return told


def searched(folder, text):
    with Index.open(folder) as index:
        found = index.search(text, "en")
        index.finish()
        return [hit.text for hit in found]


def foreign(place, corpus):
    """What was touched that is neither the folder, nor the user's corpus, nor Python, nor this process's own."""
    own = [place / "given", corpus, sys.prefix, sys.base_prefix, *sys.path[1:], Path(__file__).parents[1]]
    own += ["/proc", "/sys", "/dev/null", "/usr", "/etc/localtime", os.environ["XDG_STATE_HOME"]]
    inside = tuple(os.path.realpath(path) for path in own)
    return [(event, path) for event, path in seen if event in NEVER or not path.startswith(inside)]


def card(folder, **changes):
    rewrite(folder / artifact.CARD, lambda found: found.update(changes))


def files(name):
    return lambda given: rewrite(given / "model" / artifact.CARD, lambda found: None, files={name: "0" * 64})


def link(what, to):
    def make(given):
        path = given / what
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(given.parent / "outside" / to)

    return make


def pipe(what):
    def make(given):
        (given / what).unlink()
        os.mkfifo(given / what)

    return make


def store(address, **more):
    return lambda given: rewrite(given / "index" / "index.json", lambda found: found.update(store=address, **more))


def database(sql):
    def make(given):
        with sqlite3.connect(given / "index" / "documents.sqlite") as connection:
            connection.executescript(sql)
        connection.close()

    return make


def translator(**changes):
    settings = {
        "into": "en",
        "commands": {"en": "touch ../outside/made", "es": "touch ../outside/made"},
        "batch": 1,
        "timeout": 1,
    }

    def change(found):
        found["vectorizer"]["parameters"]["translator"] = {**settings, "by_function": False, **changes}

    return lambda given: rewrite(given / "model" / artifact.CARD, change)


def stamp(**changes):
    def make(given):
        path = given / "index" / "vectors" / "es" / "stamp.json"
        found = json.loads(path.read_text()) | changes
        found.pop("sha256")
        files = found.pop("files")
        write_card(path, found, [])
        rewrite(path, lambda card: card.update(files=changes.get("files", files)))

    return make


def seen_so(make, name="rows.npy"):
    """A copy one of whose files is something else, and whose stamp says that it looks just so."""

    def made(given):
        make(given)
        folder = given / "index" / "vectors" / "es"
        looks = (folder / name).lstat()
        seen = json.loads((folder / "stamp.json").read_text())["seen"]
        stamp(seen={**seen, name: [looks.st_size, looks.st_mtime_ns]})(given)

    return made


def pickled(what):
    class Harm:
        def __reduce__(self):
            return os.system, ("touch ../outside/made",)

    def make(given):
        raw = pickle.dumps(Harm())
        if what.endswith(".npy"):
            np.save(given / what, np.array([Harm()], object), allow_pickle=True)
        else:
            (given / what).write_bytes(raw)
        if what.startswith("model"):
            reseal(given / "model")
        else:
            stamp()(given)

    return make


def journal(**changes):
    """A line of a journal that follows the last one; {given} and {outside} stand for folders."""

    def make(given):
        path = given / "work" / "source" / JOURNAL
        last = [json.loads(line) for line in path.read_text().splitlines() if line][-1]
        known = {"{given}": str(given), "{outside}": str(given.parent / "outside")}
        told = {name: {_filled(key, known): value for key, value in part.items()} for name, part in changes.items()}
        line = {**last, "before": last["sha256"], **told}
        line["sha256"] = card_digest(line)
        path.write_text(f"{path.read_text()}\n{json.dumps(line)}\n")

    return make


def _filled(text, known):
    for name, value in known.items():
        text = text.replace(name, value)
    return text


def emptied(name):
    """A journal that cuts a file of this name to nothing."""
    return {"sizes": {name: 0}, "widths": {name: 0}, "digests": {name: hashlib.sha256(b"").hexdigest()}}


def chunks(*names):
    """What a fit tells of a file that is dealt."""

    def make(given):
        told = {"languages": ["en", "es"], "chunks": list(names)}
        text = json.dumps([told, blocked._digest(json.dumps(told).encode())])
        (given / "fit" / "texts" / "00000.json").write_text(text)

    return make


def dangling(what):
    """A link to what is not there yet, which somebody who writes there would make."""

    def make(given):
        path = given / what
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(given.parent / "outside" / "made")

    return make


def nested(given):
    (given / "model" / artifact.CARD).write_text("[" * 100_000)


NAMES = ("../../outside/secret", "/etc/hostname", "..", ".", "", "a/b", "x\0y", "\ud800")
# Whatever is asked of these, they are refused.
SERVERS = {
    "a server": store("postgresql://me@192.0.2.1/db"),
    "a server by its older name": store("postgres://me@192.0.2.1:5432/db?password=x"),
    "a server in the query": store("postgresql:///db?host=192.0.2.1"),
    "a server by its number": store("postgresql:///db?hostaddr=192.0.2.1"),
    "a socket": store("postgresql:///db?host=/tmp"),
    "a service": store("postgresql:///?service=x"),
}
CASES = {
    **SERVERS,
    **{f"a card names {name!r}": files(name) for name in NAMES},
    **{
        f"a journal names {name!r}": journal(**emptied(name))
        for name in ("../../../outside/work/source/ids", "{outside}/work/source/ids", "..", "", "\0", "\ud800")
    },
    "a journal names what it has no digest of": journal(sizes={"{outside}/work/source/ids": 0}),
    "a journal of another shape": journal(sizes={}, widths={}, digests={}),
    **{f"{what} is a link": link(what, what) for what in WORK_FILES},
    **{f"{what} is a link to what is not there": dangling(what) for what in WORK_FILES},
    **{f"{what} is a pipe": pipe(what) for what in WORK_FILES if "." in what},
    "a fit names texts elsewhere": chunks("../../../outside/fit/texts/00000-00000"),
    "a fit names texts by a number": chunks(7),
    "a card is a link": link("model/card.json", "secret"),
    "arrays are a link": link("model/arrays.safetensors", "model/arrays.safetensors"),
    "terms are a link": link("model/terms.en.txt", "secret"),
    "a card is a pipe": pipe("model/card.json"),
    "arrays are a pipe": pipe("model/arrays.safetensors"),
    "the classifier inside is a link": link("classifier/classifier", "model"),
    "the model of an index is a link": link("index/model", "model"),
    "the database is a link": link("index/documents.sqlite", "index/documents.sqlite"),
    "all copies are a link": link("index/vectors", "index/vectors"),
    "a copy is a link": link("index/vectors/es", "index/vectors/es"),
    "rows of a copy are a link": link("index/vectors/es/rows.npy", "index/vectors/es/rows.npy"),
    "rows that are a link, and look so": seen_so(link("index/vectors/es/rows.npy", "index/vectors/es/rows.npy")),
    "rows that are a pipe, and look so": seen_so(pipe("index/vectors/es/rows.npy")),
    "the card of an index is a link": link("index/index.json", "secret"),
    "a space that is a module": lambda given: card(given / "model", space="os.system"),
    "a space that is a path": lambda given: card(given / "model", space="../../outside/model"),
    "an aligner that is a path": lambda given: card(given / "aligner", aligner="../../outside/model"),
    "a kind that is a path": lambda given: card(given / "model", kind="../../outside/model"),
    "a language that is a path": lambda given: card(given / "model", languages=["../../outside", "es"]),
    "a translator that runs a program": translator(),
    "a translator with a cache elsewhere": translator(cache="../outside/made", allowed=True),
    "a card of brackets": nested,
    "arrays are a pickle": pickled("model/arrays.safetensors"),
    "rows are a pickle": pickled("index/vectors/es/rows.npy"),
    "a copy names other files": stamp(files={"../../../outside/secret": "0" * 64}),
    "a copy of another database": stamp(database="0" * 32),
    "a file for a server": store("file:///etc/hostname"),
    "an index without a name": store(None, name="../../outside"),
    "a language of documents that is a path": database("UPDATE documents SET language = '../../../outside/evil'"),
    "a language of vectors that is a path": database("UPDATE vectors SET language = '../../../outside/evil'"),
    "a view in place of a table": database("ALTER TABLE notes RENAME TO x; CREATE VIEW notes AS SELECT * FROM x"),
    "a trigger": database("CREATE TRIGGER t AFTER UPDATE ON notes BEGIN DELETE FROM documents; END"),
    "an enormous number of dimensions": database("UPDATE notes SET value = 1e15 WHERE name = 'dimensions'"),
    "a similarity that is none": database("UPDATE notes SET value = '../x' WHERE name = 'similarity'"),
}


def test_there_are_enough_of_them():
    assert len(CASES) >= 30


@pytest.mark.parametrize("case", CASES)
def test_nothing_of_anybody_else_is_touched(case, place, honest, monkeypatch):
    global seen
    monkeypatch.setenv("PGPASSWORD", "secret")
    monkeypatch.chdir(place / "given")
    before = {path: path.read_bytes() for path in (place / "outside").rglob("*") if path.is_file()}
    CASES[case](place / "given")
    seen = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            told = use(place / "given", honest[1])
        touched = foreign(place, honest[2])
    finally:
        seen = None
    assert not touched
    assert {path: path.read_bytes() for path in (place / "outside").rglob("*") if path.is_file()} == before
    assert sorted(path.name for path in place.iterdir()) == ["given", "outside"]
    assert SECRET not in "".join(told)
    if case in SERVERS:
        # What libpq does by itself is not seen by Python: nothing may have asked it.
        assert sum("it is not connected to" in line for line in told) == 3


def test_the_honest_folder_is_used(place, honest):
    told = use(place / "given", honest[1])
    assert len(told) == 18 and not any("damaged" in line or "not as" in line for line in told)
