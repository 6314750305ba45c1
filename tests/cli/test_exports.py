"""The suffix decides, in every command that writes a result; one that is unknown is refused before anything is read."""

from __future__ import annotations

import bz2
import csv
import io

import numpy as np
import openpyxl
import pyarrow.parquet as parquet
import pytest

from babelspace.corpus import read_corpus
from tests.cli.conftest import read_jsonl, run

ASKED = {
    "match": ["nothing", "nothing", "nothing"],
    "embed": ["nothing", "nothing"],
    "sentences": ["nothing", "nothing"],
    "terms": ["nothing"],
    "align": ["nothing"],
    "lexicon": ["nothing"],
    "topics": ["nothing"],
    "search": ["nothing", "query"],
    "grow": ["nothing", "nothing", "nothing"],
}


@pytest.fixture(scope="module")
def both(planted_corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sides")
    planted_corpus[:40].write(folder / "side.moses")
    return folder / "side.en", folder / "side.es"


@pytest.mark.parametrize("command", ASKED)
def test_an_unknown_suffix_is_told_before_the_work(command):
    told = run(command, *ASKED[command], "-o", "result.docx", code=1).stderr
    assert told.startswith("Error: result.docx: .docx is no format to write this in; allowed: ")
    assert ".xlsx" in told and "Hint: name it -o result." in told
    told = run("classify", "predict", "nothing", "-o", "labels", code=1).stderr
    assert "labels: a name without a suffix is no format" in told


def test_pairs_with_their_texts(model, both, planted_corpus, tmp_path):
    def match(name, *options):
        run("match", model, *both, "--precision", 0, *options, "-o", tmp_path / name)
        return tmp_path / name

    table = list(csv.DictReader(io.StringIO(match("pairs.csv", "--texts").read_text())))
    assert table[0]["source_text"] in planted_corpus.texts("en")
    sources = [row["source_text"] for row in table]
    memory = read_corpus(match("pairs.tmx.gz"))
    assert memory.texts("en") == sources and memory.texts("es") == [row["target_text"] for row in table]
    match("pairs.moses")
    assert (tmp_path / "pairs.en").read_text().splitlines() == sources
    columns = [line.split("\t") for line in match("pairs.sent").read_text().splitlines()]
    assert [row[2] for row in columns[1:]] == sources and columns[1][4] == table[0]["probability"]
    sheet = openpyxl.load_workbook(match("pairs.xlsx", "--texts")).active
    assert [row[-2] for row in sheet.iter_rows(min_row=2, values_only=True)] == sources
    assert "source_text" not in read_jsonl(match("pairs.jsonl"))[0]
    shown = run("match", model, *both, "--json", "-o", tmp_path / "pairs.csv", code=2).stderr
    assert "--json writes JSON lines, and pairs.csv is named otherwise" in shown
    shown = run("match", model, *both, "-k", 2, "--texts", code=2).stderr
    assert "does not go with --texts" in shown


def test_vectors(model, both, tmp_path):
    run("embed", model, both[0], "-o", tmp_path / "v.npz")
    with np.load(tmp_path / "v.npz") as arrays:
        vectors, ids = arrays["vectors"], arrays["ids"].tolist()
    run("embed", model, both[0], "-o", tmp_path / "v.parquet")
    table = parquet.read_table(tmp_path / "v.parquet")
    assert np.array_equal(np.array(table["vector"].to_pylist(), np.float32), vectors) and table["id"].to_pylist() == ids
    run("embed", model, both[0], "-o", tmp_path / "v.vec.bz2")
    text = bz2.decompress((tmp_path / "v.vec.bz2").read_bytes()).decode()
    size, *lines = [line.split(" ") for line in text.splitlines()]
    assert [int(number) for number in size] == list(vectors.shape) and [line[0] for line in lines] == ids
    assert np.array_equal(np.array([line[1:] for line in lines], np.float32), vectors)
    run("embed", model, both[0], "-o", tmp_path / "v.csv")
    header, *rows = csv.reader(io.StringIO((tmp_path / "v.csv").read_text()))
    assert header[:2] == ["id", "d1"] and np.array_equal(np.array([row[1:] for row in rows], np.float32), vectors)


def test_hits(model, corpus, planted_corpus, tmp_path):
    query = planted_corpus.texts("en")[7]
    arguments = ["search", model, corpus, query, "--language", "en", "--top", 5, "--explain", "-o"]
    shown = run(*arguments, tmp_path / "hits.parquet")
    table = parquet.read_table(tmp_path / "hits.parquet")
    assert shown.stdout == "" and "5 hits written to" in shown.stderr and table.num_rows == 5
    assert {"rank", "id", "score", "text", "explanation"} <= set(table.column_names)
