"""Statements with many values, in pieces that SQLite takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

# SQLite allows 32,766 variables in a statement on older builds; this many keep statements short, too.
VARIABLES = 500


def parts(items: Iterable[Any], mark: str) -> Iterator[tuple[list[Any], str]]:
    """Pieces short enough for one statement, with their marks."""
    listed = list(items)
    for start in range(0, len(listed), VARIABLES):
        part = listed[start : start + VARIABLES]
        yield part, ", ".join([mark] * len(part))
