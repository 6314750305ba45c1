"""Statements with many values, in pieces that SQLite takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

# SQLite allows 32,766 variables in a statement on older builds; this many keep statements short, too.
VARIABLES = 500


def parts(items: Iterable[Any], mark: str) -> Iterator[tuple[list[Any], str]]:
    """Pieces short enough for one statement, with their marks."""
    listed = list(items)
    for start in range(0, len(listed), VARIABLES):
        part = listed[start : start + VARIABLES]
        yield part, ", ".join([mark] * len(part))


def documents_of_keys(columns: str, keys: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Statements, with their values, that read columns of the documents with these ids and languages."""
    for part, marks in parts(keys, "(?, ?)"):
        # A cross join is done from left to right. `(id, language) IN (VALUES …)` reads the whole table.
        sql = f"WITH wanted (one, its) AS (VALUES {marks}) SELECT {columns} FROM wanted CROSS JOIN documents"
        yield f"{sql} ON id = one AND language = its", list(chain.from_iterable(part))
