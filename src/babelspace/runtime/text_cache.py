"""Texts that were dear to compute, kept in one SQLite file."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from babelspace.errors import ParameterError


class TextCache:
    """Results by what computed them and from what; a context manager that closes the file.

    >>> with TextCache(":memory:") as memo:
    ...     memo.put("upper", {"a": "A"})
    ...     memo.get("upper", ["a", "b"]), memo.get("lower", ["a"])
    ({'a': 'A'}, {})
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        with self._explained():
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(str(path))
            self._file.execute("CREATE TABLE IF NOT EXISTS memo (key BLOB PRIMARY KEY, value TEXT) WITHOUT ROWID")

    def get(self, name: str, inputs: Iterable[str]) -> dict[str, str]:
        """The known results."""
        found = {}
        with self._explained():
            for text in inputs:
                row = self._file.execute("SELECT value FROM memo WHERE key = ?", (_key(name, text),)).fetchone()
                if row is not None:
                    found[text] = row[0]
        return found

    def put(self, name: str, results: Mapping[str, str]) -> None:
        """Keep results; they are on disk when this returns."""
        with self._explained(), self._file:
            rows = ((_key(name, text), value) for text, value in results.items())
            self._file.executemany("INSERT OR REPLACE INTO memo VALUES (?, ?)", rows)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """A file of something else, a full disk or another process at work, told with what to do."""
        try:
            yield
        except (sqlite3.Error, OSError) as problem:
            raise ParameterError(
                f"{self._path}: no file to keep translations in ({problem}). Choose another."
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self._file.close()


def _key(name: str, text: str) -> bytes:
    return hashlib.sha256(f"{name}\0{text}".encode()).digest()
