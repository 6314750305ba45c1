"""What lies in a folder is told whatever else lies there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from babelspace.runtime.artifact import FORMAT, card_digest
from babelspace.search.card import FORMAT as INDEX_FORMAT
from babelspace.workflows.inventory import find_artifacts


def names(folder):
    return [found.name for found in find_artifacts(folder)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.tsv").write_text("id\ten\tes\n1\ta\tb\n", encoding="utf-8")
    return tmp_path


def seal(folder, name, card):
    folder.mkdir()
    (folder / name).write_text(json.dumps({**card, "sha256": card_digest(card)}), encoding="utf-8")


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a": ' * 50_000, "{", ""], ids=["lists", "objects", "half", "empty"])
def test_a_strange_first_line_is_passed_over(folder, line):
    (folder / "x.jsonl").write_text(line, encoding="utf-8")
    assert names(folder) == ["good.tsv"]


@pytest.mark.parametrize("languages", [5, None, "en", [["en"]], {"en": 1}])
def test_a_sealed_card_with_strange_languages_is_passed_over(folder, languages):
    seal(folder / "model", "card.json", {"format": FORMAT, "languages": languages})
    seal(folder / "index", "index.json", {"format": INDEX_FORMAT, "languages": languages})
    assert names(folder) == ["good.tsv"]


def test_a_folder_that_may_not_be_read_is_passed_over(folder, monkeypatch):
    (folder / "lost+found").mkdir()
    looked = Path.iterdir

    def iterdir(path):
        if path.name == "lost+found":
            raise PermissionError(13, "Permission denied")
        return looked(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    assert names(folder) == ["good.tsv"]
