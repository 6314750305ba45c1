"""What stores of any database with SQL do alike; statements have `?` where a value goes."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

import numpy as np

from babelspace.corpus import Document
from babelspace.store.base import ID, Filters, Key, Rows

# The fields of all documents, by steps through the index: SELECT DISTINCT would read all of it.
FIELDS = """
WITH RECURSIVE found(name) AS (
    SELECT min(name) FROM facets UNION ALL
    SELECT (SELECT min(name) FROM facets WHERE name > found.name) FROM found WHERE found.name IS NOT NULL
) SELECT name FROM found WHERE name IS NOT NULL
"""


class DatabaseStore(ABC):
    """Base of stores; a subclass says how statements are run, and writes what its tables have of their own."""

    # The order of code points, where that is not the usual one, and the statement that counts a write.
    by_code_points: ClassVar[str] = ""
    next_generation: ClassVar[str]

    def note(self, name: str) -> str | None:
        found = self._all("SELECT value FROM notes WHERE name = ?", (name,))
        return str(found[0][0]) if found else None

    def ids(self, language: str) -> list[str]:
        return [id for (id,) in self._all("SELECT id FROM documents WHERE language = ?", (language,))]

    def delete(self, keys: Sequence[Key]) -> int:
        with self._writing() as cursor:
            gone = self._forget(cursor, keys)
            cursor.execute(self.next_generation)
        return gone

    def selected(self, filters: Filters) -> Rows:
        kept: Rows | None = None
        for name, values in filters.items():
            table, given = ("documents WHERE id", ()) if name == ID else ("facets WHERE name = ? AND value", (name,))
            found = np.unique(self._numbers(self._among(f"SELECT row FROM {table}", values, given)))
            kept = found if kept is None else np.intersect1d(kept, found, assume_unique=True)
        return self._numbers(self._all("SELECT row FROM documents ORDER BY row")) if kept is None else kept

    def fields(self) -> list[str]:
        return [name for (name,) in self._all(FIELDS)]

    def values(self, field: str) -> list[str]:
        sql = f"SELECT value FROM facets WHERE name = ? GROUP BY value ORDER BY value{self.by_code_points}"
        return [value for (value,) in self._all(sql, (field,))]

    def documents(self, rows: Rows) -> dict[int, Document]:
        sql = "SELECT row, id, language, text, metadata FROM documents WHERE row"
        with self._decoding():
            found = {row: _document(*columns) for row, *columns in self._among(sql, rows.tolist())}
        return {row: found[row] for row in rows.tolist() if row in found}

    def translations(self, source: str, target: str, words: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        found: dict[str, list[tuple[str, float]]] = {}
        sql = "SELECT word, other, share FROM translations WHERE source = ? AND target = ? AND word"
        order = f"ORDER BY share DESC, other{self.by_code_points}"
        for word, other, share in self._among(sql, words, (source, target), order):
            found.setdefault(word, []).append((other, share))
        return found

    def _numbers(self, found: Sequence[tuple[int]]) -> Rows:
        """The only column of what was found."""
        with self._decoding():
            return np.fromiter((row for (row,) in found), np.int64)

    def _decoding(self) -> AbstractContextManager[None]:
        """Around what is made of stored values, where they may be damaged."""
        return nullcontext()

    @abstractmethod
    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows that a statement gives."""

    @abstractmethod
    def _among(self, sql: str, items: Sequence[Any], values: Sequence[Any] = (), order: str = "") -> list[Any]:
        """The rows of a statement that ends with a column, where that is one of the items; all of an item in order."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Any]:
        """A cursor in one transaction: all of the body or nothing; threads of this process take turns."""

    @abstractmethod
    def _forget(self, cursor: Any, keys: Sequence[Key]) -> int:
        """Take the documents with these keys out of all tables; gives how many there were."""


def _document(id: Any, language: Any, text: Any, metadata: str) -> Document:
    fields = json.loads(metadata)
    if not all(isinstance(value, str) for value in (id, language, text)) or not isinstance(fields, dict):
        raise ValueError(f"document {id!r} is no text with an id, a language and fields")
    return Document(id, language, text, fields)
