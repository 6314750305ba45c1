from __future__ import annotations

import json

import pytest

from babelspace.corpus import sample, write_folder
from tests.cli.conftest import run


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A part of the embedded sample, in two scripts."""
    corpus = sample("help").select(range(0, 951, 3), ["en", "es", "zh"])
    return write_folder(corpus, tmp_path_factory.mktemp("pages") / "help", compress=True)


def test_round_trip(pages, tmp_path):
    model, pairs, vectors = tmp_path / "model", tmp_path / "pairs.tsv", tmp_path / "vectors.npz"
    facts = json.loads(
        run("fit", pages, "--dim", 40, "--max-terms", 800, "--strip-marks", "-o", model, "--json").stdout
    )
    assert facts["scores"]["mean"]["top1"] > 0.8
    held_out = json.loads(run("evaluate", model, pages, "--holdout", 0.1, "--json").stdout)
    assert held_out["mean"] == pytest.approx(facts["scores"]["mean"])
    run("embed", model, pages / "zh.jsonl.gz", "-o", vectors)
    run("match", model, pages / "en.jsonl.gz", pages / "zh.jsonl.gz", "--one-to-one", "-o", pairs)
    rows = [line.split("\t") for line in pairs.read_text().splitlines()[1:]]
    assert sum(row[0] == row[1] for row in rows) > 0.9 * len(rows)
    arguments = ["password to protect the document", "--language", "en", "--in", "es,zh", "--json"]
    found = json.loads(run("search", model, pages, *arguments).stdout)["hits"]
    assert any("contraseña" in hit["snippet"] or "密码" in hit["snippet"] for hit in found[:5])
    assert "en, es, zh" in run("info", model).stdout
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model", "pairs.tsv", "vectors.npz"]
