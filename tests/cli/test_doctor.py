from __future__ import annotations

import json

import pytest

from tests.cli.conftest import run


def test_a_table_for_people(model, corpus):
    sides = ["--source-language", "en", "--target-language", "es"]
    shown = run("doctor", model, corpus, corpus, *sides).stdout
    lines = shown.splitlines()
    assert lines[0].split() == ["side", "looked", "at", "here", "in", "training"]
    assert any("predicted Top-1" in line for line in lines)


def test_json(model, corpus):
    sides = ["--source-language", "en", "--target-language", "es"]
    told = json.loads(run("doctor", model, corpus, corpus, *sides, "--json").stdout)
    assert told["predicted_top1"] > 0.7
    names = {finding["name"] for finding in told["findings"]}
    assert names == {"language", "unknown", "words", "empty", "distance", "hubness", "predicted Top-1"}


def test_what_to_do(model, corpus, tmp_path):
    (tmp_path / "en.txt").write_text("zork quux\nfrob xyzzy plugh\n" * 20)
    shown = run("doctor", model, tmp_path / "en.txt", corpus, "--target-language", "es").stdout
    assert "! unknown (source): many words are unknown" in shown
    assert "! words (source): short documents say little" in shown


def test_a_model_without_held_out_rows(corpus, tmp_path):
    run("fit", corpus, "--dim", 5, "--drop-top", 0, "--holdout", 0, "-o", tmp_path / "model")
    sides = ["--source-language", "en", "--target-language", "es"]
    assert "no picture of its training documents" in run("doctor", tmp_path / "model", corpus, corpus, *sides).stderr


@pytest.mark.parametrize("text", ["", "\n \n"], ids=["empty", "blank"])
def test_nothing_to_look_at(model, corpus, tmp_path, text):
    (tmp_path / "en.txt").write_text(text)
    assert "Hint:" in run("doctor", model, tmp_path / "en.txt", corpus, "--target-language", "es", code=1).stderr
