"""The embedded store: one SQLite file for everything, and copies of the vectors for faiss beside it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import Document
from babelspace.errors import StoreError
from babelspace.runtime import forks
from babelspace.store.base import (
    FIELDS,
    EncodedDocument,
    Filters,
    Key,
    Rows,
    ScoredRows,
    Settings,
    Vectors,
    kept_only_whole,
)
from babelspace.store.connections import Connections
from babelspace.store.sqlite import schema
from babelspace.store.sqlite.errors import decoding, explained
from babelspace.store.vector_copy import VectorCopy

DATABASE, COPIES = "documents.sqlite", "vectors"
# SQLite allows 32,766 variables in a statement on older builds; this many keep statements short, too.
VARIABLES = 500


class SQLiteStore:
    """Documents, words (FTS5) and vectors (blobs) in `documents.sqlite`; `vectors/` can be deleted at any time."""

    def __init__(self, folder: Path, settings: Settings, connection: schema.Connection) -> None:
        self.folder, self.settings = folder, settings
        self._connections = Connections(self._connected, connection)
        self._copies: dict[str, tuple[VectorCopy, int]] = {}
        self._copying = forks.Lock(lost=self._copies.clear)
        # What tells this database from all others, so that a copy of another one is not taken for its own.
        self._known_as = self.note("identity") or ""

    @classmethod
    def create(cls, folder: Path, settings: Settings) -> SQLiteStore:
        """A new, empty store in a folder."""
        path = folder / DATABASE
        with explained(path):
            connection = schema.connected(path)
            with kept_only_whole(connection):
                schema.make(connection, settings)
        return cls(folder, settings, connection)

    @classmethod
    def open(cls, folder: Path) -> SQLiteStore:
        """The store in a folder; for reading only where the folder cannot be written."""
        path = folder / DATABASE
        if not path.is_file():
            raise StoreError(f"{folder}: {DATABASE} is missing", hint="make the index again: {build_index()}")
        with explained(path):
            connection = schema.connected(path)
            with kept_only_whole(connection):
                settings = schema.settings_of(connection, path)
        return cls(folder, settings, connection)

    def close(self) -> None:
        self._copies.clear()
        self._connections.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with explained(self.folder / DATABASE), self._connections.lent() as connection:
            if connection.in_transaction:
                yield
                return
            connection.execute("BEGIN")
            try:
                yield
            finally:
                connection.execute("COMMIT")

    def generation(self) -> int:
        with decoding(self.folder / DATABASE):
            return int(self.note("generation") or 0)

    def note(self, name: str) -> str | None:
        found = self._all("SELECT value FROM notes WHERE name = ?", (name,))
        return str(found[0][0]) if found else None

    def set_note(self, name: str, value: str) -> None:
        with self._writing() as cursor:
            cursor.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, value))

    def counts(self) -> dict[str, int]:
        found = self._all("SELECT language, count(*) FROM documents GROUP BY language ORDER BY language")
        for language, _ in found:
            schema.check_language(language)
        return dict(found)

    def ids(self, language: str) -> list[str]:
        return [id for (id,) in self._all("SELECT id FROM documents WHERE language = ?", (language,))]

    def digests(self, keys: Sequence[Key]) -> dict[Key, str]:
        found: dict[Key, str] = {}
        for part, marks in _parts(keys, "(?, ?)"):
            values = [value for key in part for value in key]
            sql = f"SELECT id, language, digest FROM documents WHERE (id, language) IN (VALUES {marks})"
            found |= {(id, language): digest for id, language, digest in self._all(sql, values)}
        return found

    def write(self, documents: Sequence[EncodedDocument]) -> None:
        with self._writing() as cursor:
            for language in dict.fromkeys(document.language for document in documents):
                schema.make_words(cursor, language)
            self._forget(cursor, [document.key for document in documents])
            for document in documents:
                _insert(cursor, document)
            _next_generation(cursor)

    def delete(self, keys: Sequence[Key]) -> int:
        with self._writing() as cursor:
            gone = self._forget(cursor, keys)
            _next_generation(cursor)
        return gone

    def finish(self) -> None:
        """Bring the copies for faiss up to date and move what is in the write-ahead log into the file."""
        for language in self.counts():
            # A copy of its own, so that searches go on with theirs.
            copy, seen = self._loaded(language)
            with self.snapshot():
                now = self.generation()
                changed = copy.fold(self.rows(language), self.vectors)
            if changed or seen < 0:
                self._save(copy, language, now)
            with self._copying:
                self._copies[language] = copy, now
        for command in ("PRAGMA optimize", "PRAGMA wal_checkpoint(TRUNCATE)"):
            self._all(command)

    def faults(self) -> list[str]:
        told = [str(line) for (line,) in self._all("PRAGMA integrity_check")]
        return [f"{DATABASE}: {line}" for line in told if line != "ok"]

    def bad_copies(self, remove: bool) -> list[str]:
        bad = [name for name in self.counts() if self._place(name).exists() and self._opened(name)[1] < 0]
        for language in bad if remove else ():
            shutil.rmtree(self._place(language), ignore_errors=True)
        return bad

    def rows(self, language: str) -> Rows:
        sql = "SELECT row FROM vectors WHERE language = ? ORDER BY row"
        return self._numbers(sql, (language,))

    def selected(self, filters: Filters) -> Rows:
        kept: Rows | None = None
        for name, values in filters.items():
            parts = [np.zeros(0, np.int64)]
            for part, marks in _parts(values, "?"):
                sql = f"SELECT row FROM facets WHERE name = ? AND value IN ({marks})"
                parts.append(self._numbers(sql, [name, *part]))
            found = np.unique(np.concatenate(parts))
            kept = found if kept is None else np.intersect1d(kept, found, assume_unique=True)
        return self._numbers("SELECT row FROM documents ORDER BY row") if kept is None else kept

    def fields(self) -> list[str]:
        return [name for (name,) in self._all(FIELDS)]

    def values(self, field: str) -> list[str]:
        return [
            value for (value,) in self._all("SELECT DISTINCT value FROM facets WHERE name = ? ORDER BY 1", (field,))
        ]

    def vectors(self, rows: Rows) -> Vectors:
        found: dict[int, bytes] = {}
        for part, marks in _parts(rows.tolist(), "?"):
            found |= dict(self._all(f"SELECT row, vector FROM vectors WHERE row IN ({marks})", part))
        empty = bytes(4 * self.settings.dimensions)
        with decoding(self.folder / DATABASE):
            if any(len(vector) != len(empty) for vector in found.values()):
                raise ValueError("a vector of another length")
            joined = b"".join(found.get(row, empty) for row in rows.tolist())
            return np.frombuffer(joined, "<f4").reshape(len(rows), self.settings.dimensions)

    def nearest(self, vector: NDArray[Any], language: str, k: int, within: Rows | None = None) -> ScoredRows:
        with self.snapshot(), self._copying:
            return self._current(language).search(vector, k, within, self.vectors)

    def frequencies(self, language: str, words: Sequence[str]) -> dict[str, int]:
        if not self._has_words(language):
            return {}
        found: dict[str, int] = {}
        with self._connections.lent() as connection:
            with explained(self.folder / DATABASE):
                schema.make_vocabulary(connection, language)
            for part, marks in _parts([schema.folded(word) for word in dict.fromkeys(words)], "?"):
                sql = f"SELECT term, doc FROM temp.{schema.vocabulary_name(language)} WHERE term IN ({marks})"
                found |= dict(self._all(sql, part))
        return {word: found[schema.folded(word)] for word in words if schema.folded(word) in found}

    def lexical(self, language: str, word: str) -> ScoredRows:
        if not self._has_words(language):
            return ScoredRows.nothing()
        table = schema.words_name(language)
        sql = f"SELECT rowid, -bm25({table}) FROM {table} WHERE {table} MATCH ? ORDER BY rowid"
        found = self._all(sql, (schema.phrase(word),))
        rows, scores = zip(*found, strict=True) if found else ((), ())
        return ScoredRows(np.array(rows, np.int64), np.array(scores, np.float64))

    def documents(self, rows: Rows) -> dict[int, Document]:
        found: dict[int, Document] = {}
        for part, marks in _parts(rows.tolist(), "?"):
            sql = f"SELECT row, id, language, text, metadata FROM documents WHERE row IN ({marks})"
            with decoding(self.folder / DATABASE):
                found |= {row: _document(*columns) for row, *columns in self._all(sql, part)}
        return {row: found[row] for row in rows.tolist() if row in found}

    def add_translations(self, source: str, target: str, table: Sequence[tuple[str, str, float]]) -> None:
        with self._writing() as cursor:
            cursor.execute("DELETE FROM translations WHERE source = ? AND target = ?", (source, target))
            values = ((source, target, word, other, share) for word, other, share in table)
            cursor.executemany("INSERT OR REPLACE INTO translations VALUES (?, ?, ?, ?, ?)", values)

    def translations(self, source: str, target: str, words: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        found: dict[str, list[tuple[str, float]]] = {}
        for part, marks in _parts(words, "?"):
            sql = (
                "SELECT word, other, share FROM translations "
                f"WHERE source = ? AND target = ? AND word IN ({marks}) ORDER BY share DESC, other"
            )
            for word, other, share in self._all(sql, [source, target, *part]):
                found.setdefault(word, []).append((other, share))
        return found

    def _current(self, language: str) -> VectorCopy:
        """The copy of a language's vectors, brought up to date if anything was written since."""
        copy, seen = self._opened(language)
        now = self.generation()
        if seen != now:
            copy.update(self.rows(language), self.vectors)
            self._copies[language] = copy, now
        return copy

    def _opened(self, language: str) -> tuple[VectorCopy, int]:
        with self._copying:
            if language not in self._copies:
                self._copies[language] = self._loaded(language)
            return self._copies[language]

    def _place(self, language: str) -> Path:
        """Where the copy of a language's vectors is: nowhere else, whatever a database calls its languages."""
        schema.check_language(language)
        return self.folder / COPIES / language

    def _loaded(self, language: str) -> tuple[VectorCopy, int]:
        settings, place = self.settings, self._place(language)
        return VectorCopy.load(place, settings.dimensions, settings.similarity, self._known_as)

    def _connected(self) -> schema.Connection:
        """One more connection, if the database is still the one that was opened."""
        connection = schema.connected(self.folder / DATABASE)
        with kept_only_whole(connection):
            found = connection.execute("SELECT value FROM notes WHERE name = 'identity'").fetchall()
            if found != ([(self._known_as,)] if self._known_as else []):
                raise StoreError(f"{self.folder}: another index has taken its place", hint="open it again")
        return connection

    def _save(self, copy: VectorCopy, language: str, generation: int) -> None:
        place = self._place(language)
        try:
            copy.save(place, generation, self._known_as)
        except (OSError, RuntimeError) as error:
            raise StoreError(
                f"{place}: cannot be written ({error}). All documents are stored, and searching works without this "
                "copy of their vectors, only slower; free some space and run the same command again."
            ) from error

    def _has_words(self, language: str) -> bool:
        return bool(self._all("SELECT 1 FROM sqlite_master WHERE name = ?", (schema.plain_words_name(language),)))

    def _forget(self, cursor: sqlite3.Cursor, keys: Sequence[Key]) -> int:
        """Take the documents with these keys out of all tables."""
        gone: list[tuple[int, str]] = []
        for part, marks in _parts(keys, "(?, ?)"):
            values = [value for key in part for value in key]
            sql = f"SELECT row, language FROM documents WHERE (id, language) IN (VALUES {marks})"
            gone += cursor.execute(sql, values).fetchall()
        for row, language in gone:
            cursor.execute(f"DELETE FROM {schema.words_name(language)} WHERE rowid = ?", (row,))
            for table in ("documents", "vectors", "facets"):
                cursor.execute(f"DELETE FROM {table} WHERE row = ?", (row,))
        return len(gone)

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with explained(self.folder / DATABASE), self._connections.lent() as connection:
            return connection.execute(sql, values).fetchall()

    def _numbers(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        with decoding(self.folder / DATABASE):
            return np.fromiter((row for (row,) in self._all(sql, values)), np.int64)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Cursor]:
        """One transaction: all of the body or nothing; threads of this process take turns."""
        connections = self._connections
        with explained(self.folder / DATABASE), connections.lent() as connection, connections.writing:
            cursor = connection.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                cursor.execute("COMMIT")
            except BaseException:
                # SQLite has already taken back what did not fit on a full disk.
                if connection.in_transaction:
                    cursor.execute("ROLLBACK")
                raise


def _document(id: Any, language: Any, text: Any, metadata: str) -> Document:
    fields = json.loads(metadata)
    if not all(isinstance(value, str) for value in (id, language, text)) or not isinstance(fields, dict):
        raise ValueError(f"document {id!r} is no text with an id, a language and fields")
    return Document(id, language, text, fields)


def _insert(cursor: sqlite3.Cursor, encoded: EncodedDocument) -> None:
    document = encoded.document
    metadata = json.dumps(dict(document.metadata), ensure_ascii=False)
    cursor.execute(
        "INSERT INTO documents (id, language, text, metadata, digest) VALUES (?, ?, ?, ?, ?)",
        (document.id, document.language, document.text, metadata, encoded.digest),
    )
    row = cursor.lastrowid
    table = schema.words_name(document.language)
    cursor.execute(f"INSERT INTO {table} (rowid, words) VALUES (?, ?)", (row, schema.spelled(encoded.words)))
    if encoded.vector is not None:
        blob = np.asarray(encoded.vector, "<f4").tobytes()
        cursor.execute("INSERT INTO vectors (row, language, vector) VALUES (?, ?, ?)", (row, document.language, blob))
    cursor.executemany("INSERT INTO facets VALUES (?, ?, ?)", [(name, value, row) for name, value in encoded.facets()])


def _next_generation(cursor: sqlite3.Cursor) -> None:
    cursor.execute("UPDATE notes SET value = value + 1 WHERE name = 'generation'")


def _parts(items: Iterable[Any], mark: str) -> Iterator[tuple[list[Any], str]]:
    """Pieces short enough for one statement, with their marks."""
    listed = list(items)
    for start in range(0, len(listed), VARIABLES):
        part = listed[start : start + VARIABLES]
        yield part, ", ".join([mark] * len(part))
