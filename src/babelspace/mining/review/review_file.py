"""The file of a review: one SQLite database with pairs, their texts and the log of verdicts.

A verdict is on the disk (WAL with synchronous = FULL) when `append` returns; several processes may write.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError, StoreError
from babelspace.mining.review.verdict_log import VerdictEntry, Votes
from babelspace.runtime.files import atomic_file
from babelspace.store.sqlite.errors import explained

FORMAT = 1
SECONDS_TO_WAIT = 30
AGAIN = "Restore a copy of this review."
TABLES = """
CREATE TABLE notes (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE pairs (
    place INTEGER PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL,
    source_text TEXT NOT NULL, target_text TEXT NOT NULL, probability REAL NOT NULL
);
CREATE TABLE verdicts (
    number INTEGER PRIMARY KEY AUTOINCREMENT, place INTEGER NOT NULL REFERENCES pairs, reviewer TEXT NOT NULL,
    verdict TEXT NOT NULL, note TEXT NOT NULL, time TEXT NOT NULL, undoes INTEGER UNIQUE REFERENCES verdicts
);
"""


class TextPair(NamedTuple):
    """Two documents that may belong together; `place` is 0 for the most probable pair of its review."""

    place: int
    source: str
    target: str
    source_text: str
    target_text: str
    probability: float


class ReviewFile:
    """Reads and writes the file; threads of a process take turns."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection, self._turn = path, connection, threading.RLock()

    @classmethod
    def create(cls, path: Path, notes: dict[str, Any], pairs: Iterable[TextPair]) -> None:
        """A new file, there when it is whole."""
        if path.exists():
            raise ParameterError(
                f"{path} is there already, and may hold verdicts", hint="open it, or name another file"
            )
        with atomic_file(path) as fresh, explained(path, AGAIN):
            connection = sqlite3.connect(fresh, isolation_level=None)
            try:
                connection.executescript(f"BEGIN; {TABLES} COMMIT; BEGIN;")
                connection.executemany("INSERT INTO notes VALUES (?, ?)", {"format": FORMAT, **notes}.items())
                connection.executemany("INSERT INTO pairs VALUES (?, ?, ?, ?, ?, ?)", pairs)
                connection.execute("COMMIT")
            finally:
                connection.close()

    @classmethod
    def open(cls, path: Path) -> ReviewFile:
        """An existing file."""
        if not path.is_file():
            raise StoreError(f"{path}: there is no review", hint="match documents and make one of the pairs")
        with explained(path, AGAIN):
            connection = sqlite3.connect(path, timeout=SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False)
            try:
                opened = cls(path, connection)
                found = opened.notes().get("format")
                if found != FORMAT:
                    raise StoreError(f"{path}: format {found!r}, this version reads format {FORMAT}")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
            except BaseException:
                connection.close()
                raise
        return opened

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            self._connection.close()

    def notes(self) -> dict[str, Any]:
        """What holds for the whole review."""
        return dict(self._all("SELECT name, value FROM notes"))

    def set_note(self, name: str, value: Any) -> None:
        """Change what holds for the whole review."""
        with self._writing():
            self._connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, value))

    def probabilities(self) -> NDArray[np.float64]:
        """Of all pairs, highest first."""
        rows = self._all("SELECT probability FROM pairs ORDER BY place")
        return np.fromiter((value for (value,) in rows), np.float64, len(rows))

    def pairs(self, places: Iterable[int]) -> Iterator[TextPair]:
        """Pairs by their places, in that order."""
        for place in places:
            for row in self._all("SELECT * FROM pairs WHERE place = ?", (place,)):
                yield TextPair(*row)

    def catch_up(self, votes: Votes) -> None:
        """Read what was written since, by whomever."""
        rows = self._all("SELECT * FROM verdicts WHERE number > ? ORDER BY number", (votes.last,))
        votes.read(VerdictEntry(*row) for row in rows)

    def append(self, votes: Votes, entry: Callable[[], tuple[int, str, str, str, int | None] | None]) -> bool:
        """Write what `entry` says once everything before it is read; it is on the disk when this returns.

        `entry` gives place, reviewer, verdict, note and which entry it undoes, or None to write nothing.
        """
        with self._writing():
            self.catch_up(votes)
            told = entry()
            if told is not None:
                place, reviewer, verdict, note, undoes = told
                now = datetime.now(UTC).isoformat(timespec="milliseconds")
                self._connection.execute(
                    "INSERT INTO verdicts (place, reviewer, verdict, note, time, undoes) VALUES (?, ?, ?, ?, ?, ?)",
                    (place, reviewer, verdict, note, now, undoes),
                )
        # After the commit: what is not on the disk is not known either.
        self.catch_up(votes)
        return told is not None

    def _all(self, sql: str, values: Iterable[Any] = ()) -> list[Any]:
        with self._turn, explained(self.path, AGAIN):
            return self._connection.execute(sql, tuple(values)).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction; others wait for their turn."""
        with self._turn, explained(self.path, AGAIN):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
