"""What may stand in the file of a review: its tables, the kind and range of every value, a checksum of every row."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.mining.precision import check_precision
from babelspace.mining.review.verdict_log import VerdictEntry, check_entry
from babelspace.runtime.artifact import card_digest

FORMAT = 2
PAIR = "place, source, target, source_text, target_text, probability"
ENTRY = "number, place, reviewer, verdict, note, time, undoes"
TABLES = """
CREATE TABLE notes (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE pairs (
    place INTEGER PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL,
    source_text TEXT NOT NULL, target_text TEXT NOT NULL, probability REAL NOT NULL, sha256 TEXT NOT NULL DEFAULT ''
);
CREATE TABLE verdicts (
    number INTEGER PRIMARY KEY AUTOINCREMENT, place INTEGER NOT NULL REFERENCES pairs, reviewer TEXT NOT NULL,
    verdict TEXT NOT NULL, note TEXT NOT NULL, time TEXT NOT NULL, undoes INTEGER UNIQUE REFERENCES verdicts,
    sha256 TEXT NOT NULL DEFAULT ''
);
"""
# Format 1 had no checksums.
FROM_1 = """
ALTER TABLE pairs ADD COLUMN sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE verdicts ADD COLUMN sha256 TEXT NOT NULL DEFAULT '';
UPDATE notes SET value = 2 WHERE name = 'format';
"""
COLUMNS = {"notes": "name, value", "pairs": f"{PAIR}, sha256", "verdicts": f"{ENTRY}, sha256"}
KINDS = ("pairs", "terms")


def row_digest(*values: Any) -> str:
    """SHA-256 of what a row says."""
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def seal(connection: sqlite3.Connection) -> None:
    """Put checksums over all that a file holds."""
    connection.create_function("row_digest", -1, row_digest, deterministic=True)
    connection.execute(f"UPDATE pairs SET sha256 = row_digest({PAIR})")
    connection.execute(f"UPDATE verdicts SET sha256 = row_digest({ENTRY})")
    rows = connection.execute("SELECT probability FROM pairs ORDER BY place").fetchall()
    given = {"probabilities": column_digest(np.array(rows, np.float64).ravel())}
    connection.executemany("INSERT OR REPLACE INTO notes VALUES (?, ?)", given.items())
    seal_notes(connection)


def seal_notes(connection: sqlite3.Connection) -> None:
    """Put a checksum over what holds for the whole review."""
    notes = dict(connection.execute("SELECT name, value FROM notes"))
    connection.execute("INSERT OR REPLACE INTO notes VALUES ('sha256', ?)", (card_digest(notes),))


def column_digest(values: NDArray[np.float64]) -> str:
    """SHA-256 of all probabilities, which are read without their texts."""
    return hashlib.sha256(values.astype("<f8").tobytes()).hexdigest()


def check_tables(connection: sqlite3.Connection) -> None:
    """Tables, and no view or trigger that would do something else."""
    rows = connection.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'")
    if set(rows) != {("table", name) for name in COLUMNS}:
        raise ValueError("other tables than those of a review")
    for table, columns in COLUMNS.items():
        if ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({table})")) != columns:
            raise ValueError(f"other columns of {table}")


def check_notes(notes: dict[str, Any]) -> None:
    """What holds for the whole review."""
    if notes.get("sha256") != card_digest(notes):
        raise ValueError("its notes are not as they were written")
    for name in ("source_language", "target_language", "probabilities"):
        if not isinstance(notes.get(name), str):
            raise ValueError(f"no {name}")
    if not isinstance(notes.get("model"), str | None) or notes.get("kind", KINDS[0]) not in KINDS:
        raise ValueError(f"model {notes.get('model')!r}, kind {notes.get('kind')!r}")
    seed = notes.get("seed")
    if type(seed) is not int or seed < 0 or not isinstance(notes.get("precision"), int | float):
        raise ValueError(f"seed {seed!r}, precision {notes.get('precision')!r}")
    check_precision(notes["precision"])


def check_probabilities(values: NDArray[np.float64], digest: str) -> None:
    """Of all pairs, the most probable first."""
    if column_digest(values) != digest:
        raise ValueError("its probabilities are not as they were written")
    if not len(values) or not (values[-1] >= 0 and values[0] <= 1 and (np.diff(values) <= 0).all()):
        raise ValueError("probabilities that do not fall from 1 or less to 0 or more")


def check_pair(pair: tuple[Any, ...], digest: Any) -> None:
    """One pair with its texts."""
    if row_digest(*pair) != digest or not all(isinstance(text, str) for text in pair[1:5]):
        raise ValueError(f"pair {pair[0]!r} is not as it was written")


def check_verdict(entry: VerdictEntry, digest: Any, after: int, pairs: int) -> None:
    """One line of the log, which comes after another."""
    if entry.number != after + 1:
        raise ValueError(f"verdict {after + 1} is lost")
    if row_digest(*entry) != digest or not all(isinstance(text, str) for text in entry[2:6]):
        raise ValueError(f"verdict {entry.number} is not as it was written")
    if type(entry.place) is not int or not 0 <= entry.place < pairs:
        raise ValueError(f"verdict {entry.number} on a pair that is not there")
    if entry.undoes is not None and not (type(entry.undoes) is int and 0 < entry.undoes < entry.number):
        raise ValueError(f"verdict {entry.number} takes back what is not there")
    check_entry(entry.verdict, entry.reviewer, entry.note)
