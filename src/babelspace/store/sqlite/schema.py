"""Tables of the embedded store, and how words are written into FTS5."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase, punctuation
from typing import Any

from babelspace.errors import StoreError
from babelspace.store.base import Settings
from babelspace.vectors.similarity import SIMILARITIES

FORMAT = 1
TABLES = """
CREATE TABLE notes (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents (
    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, language TEXT NOT NULL, text TEXT NOT NULL,
    metadata TEXT NOT NULL, digest TEXT NOT NULL, UNIQUE (id, language)
);
CREATE TABLE vectors (row INTEGER PRIMARY KEY, language TEXT NOT NULL, vector BLOB NOT NULL);
CREATE INDEX vectors_of_language ON vectors (language, row);
CREATE TABLE facets (name TEXT, value TEXT, row INTEGER, PRIMARY KEY (name, value, row)) WITHOUT ROWID;
CREATE INDEX facets_of_row ON facets (row);
CREATE TABLE translations (
    source TEXT, target TEXT, word TEXT, other TEXT, share REAL, PRIMARY KEY (source, target, word, other)
) WITHOUT ROWID;
"""
# Words come cut and normalised: every character but spaces belongs to one. Quotes are doubled, as SQL has it.
MARKS = punctuation.replace("'", "''").replace('"', '""')
FOLD = str.maketrans(ascii_uppercase, ascii_uppercase.lower())
SECONDS_TO_WAIT = 30
# No space has more: a larger number comes from damage, and memory would be asked for by it.
MOST_DIMENSIONS = 1_000_000
# Where the system can tell, a process that has changed its user asks for the one it is now.
AS_OURSELVES = {"effective_ids": os.access in os.supports_effective_ids}


class Connection(sqlite3.Connection):
    """A connection, and the languages whose vocabulary it has a view of."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.vocabularies: set[str] = set()


def connected(path: Path) -> Connection:
    """A connection; where the folder cannot be written or has no room for the log, one that only reads."""
    writable = all(os.access(place, os.W_OK, **AS_OURSELVES) for place in (path.parent, path) if place.exists())
    # Without the log's files only an untouched file can be opened, and it is not changing either.
    if not writable:
        return _opened(path, "?mode=ro" if _has_log(path) else "?immutable=1")
    connection = _opened(path, "")
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


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def make(connection: sqlite3.Connection, settings: Settings) -> None:
    """All tables of a new store."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(f"BEGIN; {TABLES} COMMIT;")
    notes = {
        "format": FORMAT,
        "generation": 0,
        "identity": uuid.uuid4().hex,
        "dimensions": settings.dimensions,
        "similarity": settings.similarity,
    }
    connection.executemany("INSERT INTO notes VALUES (?, ?)", notes.items())


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


def plain_words_name(language: str) -> str:
    """The table of a language's words."""
    check_language(language)
    return f"words_{language}"


def check_language(language: object) -> None:
    """Refuse what is no code: it becomes part of names of tables and folders."""
    if not isinstance(language, str) or not language.replace("-", "").replace("_", "").isalnum():
        raise StoreError(f"{language!r} is no language code. Write for example en or pt-BR.")


def words_name(language: str) -> str:
    """The same, quoted."""
    return f'"{plain_words_name(language)}"'


def vocabulary_name(language: str) -> str:
    """The view of how many documents have each word, quoted."""
    return f'"vocabulary_{plain_words_name(language)}"'


def make_words(cursor: sqlite3.Cursor, language: str) -> None:
    """The table of a language's words, a table each so that rarity is counted within the language."""
    cursor.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {words_name(language)} "
        f"""USING fts5 (words, tokenize = "ascii tokenchars '{MARKS}'")"""
    )


def make_vocabulary(connection: Connection, language: str) -> None:
    """The view of this connection on how frequent words are."""
    if language in connection.vocabularies:
        return
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{vocabulary_name(language)} "
        f"USING fts5vocab (main, {words_name(language)}, row)"
    )
    connection.vocabularies.add(language)


def spelled(words: Sequence[str]) -> str:
    """Words as FTS5 reads them."""
    return " ".join(words)


def phrase(word: str) -> str:
    """A query for one word."""
    return '"' + word.replace('"', '""') + '"'


def folded(word: str) -> str:
    """FTS5 drops the case of ASCII letters; other letters stay."""
    return word.translate(FOLD)
