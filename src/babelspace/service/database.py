"""Small SQLite files of the service: one writer at a time, a write-ahead log, on the disk when a call returns."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

SECONDS_TO_WAIT = 30


class Database:
    """One connection that the threads of a process share, each call by itself."""

    def __init__(self, path: Path, tables: str) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        # Keys and the texts of searches are nobody else's business.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        self._lock = Lock()
        self._connection = sqlite3.connect(path, timeout=SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.executescript(tables)

    def all(self, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """The rows of a question."""
        with self._lock:
            return [dict(row) for row in self._connection.execute(sql, values).fetchall()]

    def one(self, sql: str, values: Sequence[Any] = ()) -> dict[str, Any] | None:
        """The first row, if there is any."""
        found = self.all(sql, values)
        return found[0] if found else None

    def change(self, sql: str, values: Sequence[Any] = ()) -> int:
        """One statement that writes; gives how many rows it changed."""
        with self.writing() as cursor:
            return cursor.execute(sql, values).rowcount

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Cursor]:
        """One transaction: all of the body or nothing."""
        with self._lock:
            cursor = self._connection.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                cursor.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    cursor.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()
