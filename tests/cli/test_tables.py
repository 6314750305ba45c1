"""Tables on the command line: columns are named by options of every command that reads."""

from __future__ import annotations

import csv
import json

import pytest

from tests.cli.conftest import run


@pytest.fixture(scope="module")
def table(planted_corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "verses.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=";")
        writer.writerow(["Nr", "Inglés", "Otro", "year"])
        for row, id in enumerate(planted_corpus.ids):
            texts = [planted_corpus.texts(language)[row] for language in ("en", "es")]
            writer.writerow([id, *texts, 1990 + row % 3])
    return path


COLUMNS = ("--columns", "Inglés=en,Otro=es", "--id", "Nr")


def test_fit_index_and_search_a_table(table, planted_corpus, tmp_path):
    run("fit", table, *COLUMNS, "--dim", 20, "--drop-top", 0, "-o", tmp_path / "model")
    run("index", tmp_path / "model", table, *COLUMNS, "-o", tmp_path / "index")
    query = planted_corpus.texts("en")[7]
    shown = run("search", tmp_path / "index", query, "--language", "en", "--where", "year=1991", "--json").stdout
    hits = json.loads(shown)["hits"]
    assert hits and {hit["metadata"]["year"] for hit in hits} == {"1991"}
    assert hits[0]["id"] == planted_corpus.ids[7]
    vectors = run("embed", tmp_path / "model", table, "--id", "Nr", "--text", "Otro", "--language", "es").stdout
    assert len(vectors.strip().split("\n")) == len(planted_corpus)


def test_messages_name_options(table, tmp_path):
    shown = run("fit", table, "-o", tmp_path / "model", code=1).stderr
    assert "line 1: no column is headed with a language; there are: 'Nr', 'Inglés', 'Otro', 'year'" in shown
    assert "--columns Nr=en" in shown and "--text Nr" in shown
    shown = run("fit", table, "--columns", "x", "-o", tmp_path / "model", code=2).stderr
    assert "'x' is not COLUMN=LANGUAGE" in shown
