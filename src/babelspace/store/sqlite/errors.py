"""SQLite's errors as messages that say what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from babelspace.errors import StoreError

KEPT = "What was committed before is kept"
AGAIN = "Restore a copy, or make the index again."
ADVICE = {
    "FULL": f"the disk is full. {KEPT}; free some space and run the same command again.",
    "IOERR": f"the disk failed or is full. {KEPT}; check the disk and run the same command again.",
    "READONLY": "cannot be written. Allow writing to the folder and its files, make room on the disk, or copy it "
    "elsewhere.",
    "CANTOPEN": "cannot be opened. Check that the folder exists and may be read and written.",
    "PERM": "cannot be opened: not allowed. Check the rights of the file.",
    "BUSY": "another process is writing. Wait until it has finished and run the same command again.",
    "LOCKED": "another process is writing. Wait until it has finished and run the same command again.",
    "CORRUPT": "the database is damaged. {again}",
    "NOTADB": "this is no database. {again}",
    "TOOBIG": f"a document is too large for the database. {KEPT}; split the document.",
}


@contextmanager
def explained(path: Path, again: str = AGAIN) -> Iterator[None]:
    """Raise what SQLite says as a `StoreError`; `again` is what to do where the file is lost."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {_advice(error, again)}") from error


@contextmanager
def decoding(path: Path) -> Iterator[None]:
    """As `explained`; a value that no store has written is damage, too."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {_advice(error, AGAIN)}") from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as problem:
        raise StoreError(f"{path}: the database is damaged ({problem!r}). {AGAIN}") from problem


def _advice(error: sqlite3.Error, again: str) -> str:
    name = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
    advice = ADVICE.get(name) or ADVICE.get(name.partition("_")[0])
    return f"{advice.format(again=again)} ({error})" if advice else f"the database refused ({error}). {again}"
