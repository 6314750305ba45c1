from __future__ import annotations

import json

import pytest

from babelspace.cli import output
from babelspace.spaces import SPACES
from tests.cards import rewrite
from tests.cli.conftest import run


def test_info_for_people(model):
    shown = run("info", model).stdout
    names = [line[:10].strip() for line in shown.splitlines()]
    assert names[:4] == ["model", "space", "parameters", "languages"]
    assert names[4:8] == ["corpus", "documents", "vocabulary", "features"]
    assert names[8:] == ["held out", "created", "versions"]
    for part in ("opca, 20 dimensions", "gamma=0.1", "en, es", "planted: ", "terms", "Top-1", "untranslated", "numpy"):
        assert part in shown


def test_info_for_programs(model):
    card = json.loads(run("info", model, "--json").stdout)
    assert card["space"] == "opca"
    assert card["dimensions"] == 20
    assert card["bytes"] == sum(file.stat().st_size for file in model.iterdir())
    assert card["scores"]["held_out"]["mean"]["top1"] > 0.5


def test_info_of_a_space_without_dimensions(sparse_model):
    assert json.loads(run("info", sparse_model, "--json").stdout)["dimensions"] is None
    assert "dimensions" not in run("info", sparse_model).stdout


def test_info_without_a_model(tmp_path):
    assert "no model there (card.json is missing)" in run("info", tmp_path, code=1).stderr
    (tmp_path / "file").write_text("")
    assert "no model there (card.json is missing)" in run("info", tmp_path / "file", code=1).stderr


def test_info_of_a_damaged_model(model, tmp_path):
    (tmp_path / "card.json").write_bytes((model / "card.json").read_bytes())
    (tmp_path / "arrays.safetensors").write_bytes(b"not this")
    assert "the model is damaged" in run("info", tmp_path, code=1).stderr


@pytest.mark.parametrize("missing", ["corpus", "space", "versions"])
def test_info_of_a_card_that_lacks_something(model, tmp_path, missing):
    (tmp_path / "card.json").write_bytes((model / "card.json").read_bytes())
    rewrite(tmp_path / "card.json", lambda card: card.pop(missing))
    (tmp_path / "arrays.safetensors").write_bytes((model / "arrays.safetensors").read_bytes())
    assert f"the model is damaged (KeyError('{missing}'))" in run("info", tmp_path, code=1).stderr


def test_spaces_for_people():
    lines = run("spaces").stdout.splitlines()
    assert lines[0].split() == ["name", "title", "citation", "parameters"]
    assert [line.split()[0] for line in lines[1:]] == list(SPACES)
    assert "gamma=0.1" in next(line for line in lines if line.startswith("opca "))


def test_spaces_for_programs():
    rows = json.loads(run("spaces", "--json").stdout)
    assert [row["name"] for row in rows] == list(SPACES)
    for row in rows:
        assert row["citation"] == SPACES[row["name"]].citation
        assert row["parameters"].keys() == set(SPACES[row["name"]].load()._get_param_names())


@pytest.mark.parametrize(
    ("count", "text"), [(999, "999 bytes"), (1000, "1.0 kB"), (2_345_678, "2.3 MB"), (5e12, "5000.0 GB")]
)
def test_sizes(count, text):
    assert output.size(count) == text
