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
from babelspace.mining.review.review_schema import (
    ENTRY,
    FORMAT,
    FROM_1,
    PAIR,
    TABLES,
    check_notes,
    check_pair,
    check_probabilities,
    check_tables,
    check_verdict,
    row_digest,
    seal,
    seal_notes,
)
from babelspace.mining.review.verdict_log import VerdictEntry, Votes
from babelspace.runtime.files import atomic_file
from babelspace.store.sqlite.errors import explained

SECONDS_TO_WAIT = 30
AGAIN = "Restore a copy of this review."


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
                connection.executemany(f"INSERT INTO pairs ({PAIR}) VALUES (?, ?, ?, ?, ?, ?)", pairs)
                seal(connection)
                connection.execute("COMMIT")
            finally:
                connection.close()

    @classmethod
    def open(cls, path: Path) -> ReviewFile:
        """An existing file; one that is damaged, or is no review, is a `StoreError` that names it."""
        if not path.is_file():
            raise StoreError(f"{path}: there is no review", hint="match documents and make one of the pairs")
        with explained(path, AGAIN):
            connection = sqlite3.connect(path, timeout=SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False)
            try:
                opened = cls(path, connection)
                opened._check_format()
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
            except BaseException:
                connection.close()
                raise
        return opened

    def _check_format(self) -> None:
        """A file of this version, or an older one that is brought up to it."""
        found = dict(self._all("SELECT name, value FROM notes")).get("format")
        if found not in (1, FORMAT):
            raise StoreError(
                f"{self.path}: format {found!r}, this version reads format {FORMAT}", hint="use the version it is of"
            )
        if found == 1:
            with self._damage_told(), self._writing():
                # Somebody else may have done it while this one waited for their turn.
                if dict(self._all("SELECT name, value FROM notes")).get("format") == 1:
                    for statement in FROM_1.strip().split("\n"):
                        self._connection.execute(statement)
                    seal(self._connection)
        with self._damage_told():
            check_tables(self._connection)

    @contextmanager
    def _damage_told(self) -> Iterator[None]:
        """What no review has written is an error with the file's name."""
        try:
            yield
        except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError, ParameterError) as problem:
            told = problem.fact if isinstance(problem, ParameterError) else problem
            raise StoreError(f"{self.path}: damaged ({told})", hint=AGAIN) from problem

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            self._connection.close()

    def notes(self) -> dict[str, Any]:
        """What holds for the whole review."""
        with self._damage_told():
            notes = dict(self._all("SELECT name, value FROM notes"))
            check_notes(notes)
            return notes

    def set_note(self, name: str, value: Any) -> None:
        """Change what holds for the whole review."""
        with self._writing():
            self._connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, value))
            seal_notes(self._connection)

    def probabilities(self) -> NDArray[np.float64]:
        """Of all pairs, highest first."""
        with self._damage_told():
            rows = self._all("SELECT place, probability FROM pairs ORDER BY place")
            if [place for place, _ in rows] != list(range(len(rows))):
                raise ValueError("a pair is lost")
            found = np.fromiter((value for _, value in rows), np.float64, len(rows))
            check_probabilities(found, self.notes()["probabilities"])
            return found

    def pairs(self, places: Iterable[int]) -> Iterator[TextPair]:
        """Pairs by their places, in that order."""
        for place in places:
            with self._damage_told():
                [(*values, digest)] = self._all(f"SELECT {PAIR}, sha256 FROM pairs WHERE place = ?", (place,))
                check_pair(tuple(values), digest)
            yield TextPair(*values)

    def catch_up(self, votes: Votes, pairs: int) -> None:
        """Read what was written since, by whomever; `pairs` is how many there are to judge."""
        with self._damage_told():
            # Asked first, because others write meanwhile.
            written = self._all("SELECT seq FROM sqlite_sequence WHERE name = 'verdicts'")
            rows = self._all(f"SELECT {ENTRY}, sha256 FROM verdicts WHERE number > ? ORDER BY number", (votes.last,))
            entries, last = [], votes.last
            for *values, digest in rows:
                entries.append(VerdictEntry(*values))
                check_verdict(entries[-1], digest, last, pairs)
                last = entries[-1].number
            if written and written[0][0] > last:
                raise ValueError(f"verdict {last + 1} is lost")
        votes.read(entries)

    def append(
        self, votes: Votes, pairs: int, entry: Callable[[], tuple[int, str, str, str, int | None] | None]
    ) -> bool:
        """Write what `entry` says once everything before it is read; it is on the disk when this returns.

        `entry` gives place, reviewer, verdict, note and which entry it undoes, or None to write nothing.
        """
        with self._writing():
            self.catch_up(votes, pairs)
            told = entry()
            if told is not None:
                place, reviewer, verdict, note, undoes = told
                now = datetime.now(UTC).isoformat(timespec="milliseconds")
                row = VerdictEntry(votes.last + 1, place, reviewer, verdict, note, now, undoes)
                self._connection.execute(
                    f"INSERT INTO verdicts ({ENTRY}, sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, row_digest(*row))
                )
        # After the commit: what is not on the disk is not known either.
        self.catch_up(votes, pairs)
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
