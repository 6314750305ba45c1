"""Tables of the embedded store, and connections to it."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from babelspace.errors import StoreError
from babelspace.runtime import files
from babelspace.store.base import Settings
from babelspace.vectors.similarity import SIMILARITIES

FORMAT = 3
TABLES = """
CREATE TABLE notes (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents (
    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, language TEXT NOT NULL, text TEXT NOT NULL,
    metadata TEXT NOT NULL, digest TEXT NOT NULL, UNIQUE (id, language)
);
CREATE TABLE vectors (row INTEGER PRIMARY KEY, language TEXT NOT NULL, vector BLOB NOT NULL);
CREATE INDEX vectors_of_language ON vectors (language, row);
CREATE TABLE words (
    row INTEGER PRIMARY KEY, language TEXT NOT NULL, terms BLOB NOT NULL, counts BLOB NOT NULL, digest BLOB NOT NULL
);
CREATE INDEX words_of_language ON words (language, row);
CREATE TABLE terms (
    language TEXT NOT NULL, term TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (language, term),
    UNIQUE (language, number)
) WITHOUT ROWID;
CREATE TABLE languages (
    language TEXT PRIMARY KEY, documents INTEGER NOT NULL, words INTEGER NOT NULL, terms INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE facets (name TEXT, value TEXT, row INTEGER, PRIMARY KEY (name, value, row)) WITHOUT ROWID;
CREATE INDEX facets_of_row ON facets (row);
CREATE TABLE translations (
    source TEXT, target TEXT, word TEXT, other TEXT, share REAL, PRIMARY KEY (source, target, word, other)
) WITHOUT ROWID;
"""
SECONDS_TO_WAIT = 30
# No space has more: a larger number comes from damage, and memory would be asked for by it.
MOST_DIMENSIONS = 1_000_000
# The log grows to 40 MB before it is moved into the file: pages that change often are moved once.
LOG_PAGES = 10_000
# Where the system can tell, a process that has changed its user asks for the one it is now.
AS_OURSELVES = {"effective_ids": os.access in os.supports_effective_ids}


class Connection(sqlite3.Connection):
    """One that remembers the generation of the moment that it shows."""

    # -1 until somebody has asked, None outside of a moment: a transaction that writes changes it.
    _generation: int | None = None

    @contextmanager
    def moment(self) -> Iterator[None]:
        """What is read inside is of one moment; also inside another one."""
        if self.in_transaction:
            yield
            return
        self.execute("BEGIN")
        self._generation = -1
        try:
            yield
        finally:
            self._generation = None
            self.execute("COMMIT")

    def generation(self) -> int:
        """How often something was written before this moment."""
        if self._generation is not None and self._generation >= 0:
            return self._generation
        found = self.execute("SELECT value FROM notes WHERE name = 'generation'").fetchone()
        generation = int(found[0]) if found else 0
        if self._generation is not None:
            self._generation = generation
        return generation


def connected(path: Path) -> Connection:
    """A connection; where the folder cannot be written or has no room for the log, one that only reads."""
    writable = all(os.access(place, os.W_OK, **AS_OURSELVES) for place in (path.parent, path) if place.exists())
    # Without the log's files only an untouched file can be opened, and it is not changing either.
    if not writable:
        return _opened(path, "?mode=ro" if _has_log(path) else "?immutable=1")
    connection = _opened(path, "")
    connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        connection.close()
        if not getattr(error, "sqlite_errorname", "").startswith("SQLITE_IOERR_SHM") or _has_log(path):
            raise
        return _opened(path, "?immutable=1")
    return connection


def _opened(path: Path, mode: str) -> Connection:
    uri = f"{path.absolute().as_uri()}{mode}"
    return sqlite3.connect(
        uri,
        uri=True,
        timeout=SECONDS_TO_WAIT,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        factory=Connection,
    )


@contextmanager
def unwaiting(connection: sqlite3.Connection) -> Iterator[None]:
    """What is in the way of somebody else is left, instead of waiting until he has finished."""
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {round(1000 * SECONDS_TO_WAIT)}")


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def make(connection: sqlite3.Connection, settings: Settings) -> None:
    """All tables of a new store."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(f"BEGIN; {TABLES}")
    notes = {
        "format": FORMAT,
        "generation": 0,
        "deleted": 0,  # the generation that lost documents last
        "identity": uuid.uuid4().hex,
        "dimensions": settings.dimensions,
        "similarity": settings.similarity,
    }
    connection.executemany("INSERT INTO notes VALUES (?, ?)", notes.items())
    files.system.commit(connection)


def settings_of(connection: sqlite3.Connection, path: Path) -> Settings:
    """What the store was made for; an error if this version cannot read it."""
    notes = dict(connection.execute("SELECT name, value FROM notes").fetchall())
    if notes.get("format") != FORMAT:
        raise StoreError(
            f"{path}: format {notes.get('format')!r}, this version reads format {FORMAT}",
            hint="make the index again with this version: {build_index()}",
        )
    dimensions, similarity = notes.get("dimensions"), notes.get("similarity")
    if not isinstance(dimensions, int) or not 0 < dimensions <= MOST_DIMENSIONS or similarity not in SIMILARITIES:
        raise StoreError(f"{path}: the database is damaged (vectors of {dimensions!r} dimensions by {similarity!r})")
    return Settings(dimensions, similarity)


def check_language(language: object) -> None:
    """Refuse what is no code: it becomes the name of a folder."""
    if not isinstance(language, str) or not language.replace("-", "").replace("_", "").isalnum():
        raise StoreError(f"{language!r} is no language code. Write for example en or pt-BR.")
