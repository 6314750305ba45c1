from __future__ import annotations

import json

import pytest

from tests.cli.conftest import run, write_jsonl


@pytest.fixture(scope="module")
def query(planted_corpus):
    return planted_corpus.texts("en")[7]


def hits(*arguments, **settings):
    return json.loads(run("search", *arguments, "--json", **settings).stdout)["hits"]


def test_json(model, corpus, query):
    found = json.loads(run("search", model, corpus, query, "--language", "en", "-k", 5, "--json").stdout)
    assert found["query"] == query
    assert found["language"] == "en"
    assert found["unknown"] == []
    assert [hit["rank"] for hit in found["hits"]] == [1, 2, 3, 4, 5]
    assert list(found["hits"][0]) == [
        "rank",
        "language",
        "id",
        "score",
        "similarity",
        "lexical",
        "snippet",
        "spans",
        "metadata",
    ]
    assert {hit["id"] for hit in found["hits"][:2]} == {"row-007"}
    assert {hit["language"] for hit in found["hits"][:2]} == {"en", "es"}


def test_tsv(model, corpus, query):
    lines = [line.split("\t") for line in run("search", model, corpus, query, "--language", "en").stdout.splitlines()]
    assert lines[0] == ["rank", "language", "id", "score", "text"]
    assert len(lines) == 11
    assert lines[1][2] == "row-007"


def test_in_some_languages(model, corpus, query):
    found = hits(model, corpus, query, "--language", "en", "--in", "es")
    assert {hit["language"] for hit in found} == {"es"}
    assert found[0]["id"] == "row-007"


def test_piles(model, query, planted_corpus, tmp_path):
    rows = [{"id": f"es-{d.id}", "text": d.text} for d in planted_corpus.documents("es")[:20]]
    by_name = write_jsonl(tmp_path / "es.jsonl", rows)
    plain = tmp_path / "articles.txt"
    plain.write_text("\n".join(document.text for document in planted_corpus.documents("en")[:20]) + "\n")
    found = hits(model, by_name, f"en={plain}", query, "--language", "en", "-k", 2)
    assert {(hit["language"], hit["id"]) for hit in found} == {("es", "es-row-007"), ("en", "8")}
    assert hits(model, plain, query, "--language", "en", "--in", "en", "-k", 1)[0]["id"] == "8"
    shown = run("search", model, plain, query, "--language", "en", code=1).stderr
    assert "Hint: write it before the path: en=" in shown


def test_one_file_with_a_language_field(model, query, planted_corpus, tmp_path):
    rows = [{"id": d.id, "lang": "es", "text": d.text} for d in planted_corpus.documents("es")[:20]]
    # "new" could be a language; the lines know better.
    for name in ("articles.jsonl", "new.jsonl"):
        path = write_jsonl(tmp_path / name, [*rows, {"id": "fr", "lang": "fr", "text": "bonjour"}])
        assert hits(model, path, query, "--language", "en", "-k", 1)[0]["id"] == "row-007"


def test_damaged_files(model, query, tmp_path):
    (tmp_path / "es.jsonl").write_text('{"id": "1", "text": "uno"}\nbroken\n')
    shown = run("search", model, tmp_path / "es.jsonl", query, "--language", "en", code=1).stderr
    assert "es.jsonl, line 2: broken JSON" in shown
    (tmp_path / "pairs.tsv").write_text("id\n")
    assert "pairs.tsv" in run("search", model, tmp_path / "pairs.tsv", query, "--language", "en", code=1).stderr


def test_folder_of_texts(model, query, planted_corpus, tmp_path):
    for name in ("es", "other"):
        (tmp_path / name).mkdir()
        for document in planted_corpus.documents("es")[:10]:
            (tmp_path / name / f"{document.id}.txt").write_text(document.text)
    assert "row-007" in hits(model, tmp_path / "es", query, "--language", "en", "-k", 1)[0]["id"]
    assert "row-007" in hits(model, tmp_path / "other", query, "--language", "en", "--in", "es", "-k", 1)[0]["id"]


def test_unknown_words(model, corpus, query):
    result = run("search", model, corpus, query + " xyzzy", "--language", "en")
    assert "note: not known to the model, being too rare or too frequent in training: xyzzy" in result.stderr
    shown = run("search", model, corpus, "xyzzy plugh", "--language", "en", code=1).stderr
    assert "the model knows no en word of this query: 'xyzzy', 'plugh', and no document holds any" in shown


def test_errors(model, corpus, query, tmp_path):
    shown = run("search", model, corpus, query, "--where", "year", code=2).stderr
    assert "'year' is no filter; write a field, one of = < <= > >= and a value" in shown
    shown = run("search", model, corpus, query, "--language", "fr", code=1).stderr
    assert "unknown language 'fr'; known: en, es" in shown
    shown = run("search", model, corpus, query, "--language", "en", "--in", "fr", code=1).stderr
    assert "unknown language 'fr'; known: en, es" in shown
    path = write_jsonl(tmp_path / "fr.jsonl", [{"id": "1", "text": "bonjour"}])
    shown = run("search", model, path, query, "--language", "en", code=1).stderr
    assert "no documents in en, es: these have fr" in shown
    shown = run("search", model, tmp_path / "nothing", query, "--language", "en", code=1).stderr
    assert "nothing of this name exists" in shown


def test_language_pages_ranges_and_facets(model, query, planted_corpus, tmp_path):
    rows = [{"id": d.id, "text": d.text, "year": 1990 + n} for n, d in enumerate(planted_corpus.documents("es")[:20])]
    path = write_jsonl(tmp_path / "es.jsonl", rows)
    shown = run("search", model, path, query, "--where", "year>=1995", "--where", "year<2000", "--facet", "year")
    assert "note: the query is read as en" in shown.stderr
    assert "note: year among the 5 nearest: 1995 1, 1996 1" in shown.stderr
    assert len(shown.stdout.splitlines()) == 6
    ids = [hit["id"] for hit in hits(model, path, query, "--language", "EN", "-k", 6)]
    pages = [hits(model, path, query, "--language", "English", "-k", 2, "--page", page) for page in (1, 2, 3)]
    assert [hit["id"] for page in pages for hit in page] == ids
    assert [hit["rank"] for hit in pages[2]] == [5, 6]
    assert "nothing beyond the best 90" in run("search", model, path, query, "--page", 10).stderr
    shown = run("search", model, path, query, "--where", "colour=red", code=1).stderr
    assert "no document has a field 'colour'\nHint: use one of: year" in shown
