"""docs/files.md: every file of the package in one line, the first sentence of what it says about itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.common import ROOT

SOURCE = ROOT / "src" / "babelspace"
PAGE = ROOT / "docs" / "files.md"
INTRODUCTION = """# Every file in one line

Folders are layers, from those that people touch down to plain arrays ([design](design.md)). Made by `python -m
benchmarks.report write` from the first sentence of each file; do not edit by hand.
"""


def tree() -> str:
    """Folder by folder."""
    folders = [SOURCE, *sorted(path.parent for path in SOURCE.rglob("__init__.py") if path.parent != SOURCE)]
    return "\n".join([INTRODUCTION, *(line for folder in folders for line in listed(folder))])


def listed(folder: Path) -> Iterator[str]:
    """A folder with what it is for, and its files."""
    name = "/".join(["babelspace", *folder.relative_to(SOURCE).parts])
    files = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
    yield f"## {name}/\n{sentence(folder / '__init__.py')}\n"
    yield from (f"- `{path.name}`: {sentence(path)}" for path in files)
    if files:
        yield ""


def sentence(path: Path) -> str:
    """The first sentence of a file's docstring."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = re.split(r"(?<=[.?!])\s|\n\n", " ".join(said.split("\n\n")[0].split()), maxsplit=1)[0]
    return first or "–"
