from __future__ import annotations

import csv
import json

import pytest

from tests.cli.conftest import run, write_jsonl

pytestmark = pytest.mark.family("lda")


@pytest.fixture(scope="module")
def topic_model(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "cplsa"
    settings = ["--set", "max_iter=30", "--weighting", "tf", "--no-normalize", "--drop-top", 0]
    run("fit", corpus, "--space", "cplsa", "--dim", 5, *settings, "-o", folder)
    return folder


def test_words_side_by_side(topic_model):
    lines = run("topics", topic_model, "--words", 3).stdout.splitlines()
    assert lines[0].split() == ["topic", "size", "language", "words"]
    assert len(lines) == 11
    assert [line.split()[2 - 2 * (place % 2)] for place, line in enumerate(lines[1:])] == ["en", "es"] * 5
    assert lines[1].split()[1].endswith("%")
    assert all(len(line.split()) == 4 for line in lines[2::2])


def test_a_corpus_adds_coherence(topic_model, corpus):
    found = json.loads(run("topics", topic_model, corpus, "--examples", 1, "--json").stdout)
    assert len(found["topics"]) == 5
    assert set(found["mean"]["npmi"]) == set(found["perplexity"]) == {"en", "es"}
    assert all(len(topic["examples"]) == 1 for topic in found["topics"])
    shown = run("topics", topic_model, corpus, "--top", 2, "--sort", "cnpmi").stdout
    best = max(found["topics"], key=lambda topic: topic["cnpmi"])
    assert shown.splitlines()[1].split()[0] == str(best["number"])
    assert "mean over 5 topics" in shown
    assert len(shown.splitlines()) == 7
    numbers = run("topics", topic_model, corpus, "--sort", "number").stdout.splitlines()
    assert [line.split()[0] for line in numbers[1:11:2]] == list("12345")
    assert run("topics", topic_model, corpus, "--sort", "npmi").stdout


def test_files(topic_model, corpus, tmp_path):
    result = run("topics", topic_model, corpus, "--html", tmp_path / "t.html", "--mallet", tmp_path / "out")
    assert "doc-topics.en.txt" in result.stderr
    assert (tmp_path / "out" / "topic-keys.es.txt").read_text().count("\n") == 5
    assert "Topics of cplsa" in (tmp_path / "t.html").read_text()


def test_a_table_of_topics(topic_model, corpus, tmp_path):
    shown = run("topics", topic_model, corpus, "--top", 3, "--words", 4, "-o", tmp_path / "topics.csv")
    rows = list(csv.DictReader((tmp_path / "topics.csv").read_text().splitlines()))
    assert [row["language"] for row in rows] == ["en", "es"] * 3 and len(rows[0]["words"].split()) == 4
    assert float(rows[0]["size"]) >= float(rows[2]["size"]) and rows[0]["npmi"] and rows[0]["examples"]
    assert shown.stdout == "" and "3 topics written to" in shown.stderr


def test_errors(model, topic_model, tmp_path):
    assert "opca has no topics; these spaces have:" in run("topics", model, code=1).stderr
    assert "--sort npmi needs a corpus" in run("topics", topic_model, "--sort", "npmi", code=2).stderr
    assert "no model there" in run("topics", tmp_path / "none", code=1).stderr


def test_by_a_field(topic_model, planted_corpus, tmp_path):
    rows = [
        {"id": d.id, "lang": d.language, "text": d.text, "year": 1990 + n % 3}
        for language in ("en", "es")
        for n, d in enumerate(planted_corpus.documents(language))
    ]
    path = write_jsonl(tmp_path / "dated.jsonl", rows)
    shown = run("topics", topic_model, path, "--by", "year", "--top", 2, "--relevance", 0.6).stdout
    table = shown.partition("Share of topics by year\n")[2].splitlines()
    assert table[0].split() == ["year", "rows", "topic", "1", "topic", "2"]
    assert [line.split()[:2] for line in table[1:]] == [["1990", "100"], ["1991", "100"], ["1992", "100"]]
    assert "--by year needs a corpus" in run("topics", topic_model, "--by", "year", code=2).stderr
