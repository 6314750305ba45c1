"""Docs that name files name files that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "babelspace"


def test_every_file_is_listed_in_one_line():
    listed = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    folders = dict(part.split("/\n", 1) for part in listed.split("## babelspace")[1:])
    for path in SOURCE.rglob("*.py"):
        folder = "".join(f"/{part}" for part in path.parent.relative_to(SOURCE).parts)
        assert folder in folders, f"{folder}: run python -m benchmarks.report write"
        assert path.name == "__init__.py" or f"`{path.name}`: " in folders[folder], (
            f"{path}: python -m benchmarks.report write"
        )
    assert "–\n" not in listed, "a file or folder of docs/files.md has no docstring"


def test_what_contributors_are_told_to_read_is_there():
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:src|tests|benchmarks|docs)/[\w./]+)`", told)
    assert len(paths) > 20
    assert not [path for path in paths if not (ROOT / path).exists()]
