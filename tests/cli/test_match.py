from __future__ import annotations

import pytest

from tests.cli.conftest import ROWS, read_jsonl, run, write_jsonl

HEADER = ["source", "target", "score", "rank", "mutual"]


@pytest.fixture(scope="module")
def piles(planted_corpus, tmp_path_factory):
    """Fifty documents a side, the same rows, and one blank and one unknown source."""
    folder = tmp_path_factory.mktemp("piles")
    for language in ("en", "es"):
        rows = [{"id": f"{language}-{d.id}", "text": d.text} for d in planted_corpus.documents(language)[:50]]
        write_jsonl(folder / f"{language}.jsonl", rows)
    with (folder / "en.jsonl").open("a") as stream:
        stream.write('{"id": "blank", "text": ""}\n{"id": "unknown", "text": "xyzzy"}\n')
    return folder


def table(text):
    rows = [line.split("\t") for line in text.splitlines()]
    assert rows[0] == HEADER
    return [dict(zip(HEADER, row, strict=True)) for row in rows[1:]]


def test_one_to_one(model, piles, tmp_path):
    result = run("match", model, piles / "en.jsonl", piles / "es.jsonl", "--one-to-one", "-o", tmp_path / "pairs.tsv")
    rows = table((tmp_path / "pairs.tsv").read_text())
    assert len(rows) == 50
    assert len({row["target"] for row in rows}) == 50
    right = [row["source"].removeprefix("en-") == row["target"].removeprefix("es-") for row in rows]
    assert sum(right) > 40
    assert result.stdout == ""
    assert "source (en) not matched: 1 blank and 1 without a word that the model knows of 52 documents" in result.stderr
    assert "50 pairs written to" in result.stderr
    assert "without a pair: 2 of 52 sources, 0 of 50 targets" in result.stderr


def test_candidates_on_stdout(model, piles):
    rows = table(run("match", model, piles / "en.jsonl", piles / "es.jsonl", "-k", 3).stdout)
    assert len(rows) == 150
    assert [row["rank"] for row in rows[:3]] == ["1", "2", "3"]
    assert {row["mutual"] for row in rows} == {"0", "1"}
    assert not {"blank", "unknown"} & {row["source"] for row in rows}
    assert len(table(run("match", model, piles / "en.jsonl", piles / "es.jsonl").stdout)) == 500


def test_corrections_differ(model, piles):
    texts = {
        name: run("match", model, piles / "en.jsonl", piles / "es.jsonl", "--correction", name).stdout
        for name in ("none", "csls", "margin")
    }
    assert len(set(texts.values())) == 3
    assert texts["csls"] == run("match", model, piles / "en.jsonl", piles / "es.jsonl").stdout


def test_json_lines_gz(model, piles, tmp_path):
    run("match", model, piles / "en.jsonl", piles / "es.jsonl", "-k", 1, "--json", "-o", tmp_path / "pairs.jsonl.gz")
    rows = read_jsonl(tmp_path / "pairs.jsonl.gz")
    assert list(rows[0]) == HEADER
    assert rows[0]["rank"] == 1
    assert isinstance(rows[0]["mutual"], bool)


def test_a_corpus_for_both_sides(model, corpus):
    arguments = ["--source-language", "es", "--target-language", "en", "-k", 1]
    rows = table(run("match", model, corpus, corpus, *arguments).stdout)
    assert len(rows) == ROWS
    assert sum(row["source"] == row["target"] for row in rows) > 0.7 * ROWS


def test_sparse(sparse_model, piles):
    rows = table(run("match", sparse_model, piles / "en.jsonl", piles / "es.jsonl", "-k", 1).stdout)
    assert rows


def test_standard_input(model, piles, planted_corpus):
    text = planted_corpus.texts("en")[3] + "\n"
    arguments = ["-", piles / "es.jsonl", "--source-language", "en", "-k", 1]
    rows = table(run("match", model, *arguments, input=text).stdout)
    assert [(row["source"], row["rank"]) for row in rows] == [("1", "1")]


def test_errors(model, piles, tmp_path):
    (tmp_path / "texts.txt").write_text("something\n")
    shown = run("match", model, piles / "en.jsonl", tmp_path / "texts.txt", code=1).stderr
    assert "Hint: name it, for example --target-language en" in shown
    shown = run("match", model, tmp_path / "texts.txt", piles / "en.jsonl", code=1).stderr
    assert "Hint: name it, for example --source-language en" in shown
    shown = run("match", model, piles / "en.jsonl", piles / "es.jsonl", "-k", 3, "--one-to-one", code=2).stderr
    assert "-k and --one-to-one exclude each other" in shown
    shown = run("match", model, piles / "en.jsonl", piles / "es.jsonl", "--target-language", "fr", code=1).stderr
    assert "unknown language 'fr'; known: en, es" in shown
