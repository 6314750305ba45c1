"""The embedded store: one SQLite file for everything, and copies for fast searches beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import StoreError
from babelspace.runtime import files
from babelspace.runtime.artifact import refuse_link
from babelspace.store.base import EncodedDocument, Key, Rows, ScoredRows, Settings, Vectors, bm25, kept_only_whole
from babelspace.store.connections import Connections
from babelspace.store.database import DatabaseStore
from babelspace.store.sqlite import checksums, schema
from babelspace.store.sqlite.batched_values import documents_of_keys, parts
from babelspace.store.sqlite.checksums import as_json, row_digest
from babelspace.store.sqlite.errors import decoding, explained
from babelspace.store.sqlite.term_numbers import TermNumbers
from babelspace.store.sqlite.vector_and_word_copies import Copies

DATABASE = "documents.sqlite"
# Numbers of terms of a language that are kept in memory for the next query.
REMEMBERED = 1 << 17


class SQLiteStore(DatabaseStore):
    """Documents, words and vectors in `documents.sqlite`; `vectors/` and `words/` can be deleted at any time."""

    next_generation = "UPDATE notes SET value = value + 1 WHERE name = 'generation'"

    def __init__(self, folder: Path, settings: Settings, connection: schema.Connection) -> None:
        self.folder, self.settings = folder, settings
        self._path = folder / DATABASE
        self._connections = Connections(self._connected, connection)
        self._terms: dict[str, TermNumbers] = {}
        self._numbered: dict[str, dict[str, int]] = {}
        self._lengths: tuple[int, dict[str, float]] = -1, {}
        # What tells this database from all others, so that a copy of another one is not taken for its own.
        self._known_as = self.note("identity") or ""
        self._copies = Copies(folder, settings, self._known_as, self._all)

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
        refuse_link(path, StoreError)
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
        with explained(self._path), self._connections.lent() as connection, connection.moment():
            yield

    def generation(self) -> int:
        with decoding(self._path), self._connections.lent() as connection, connection.moment():
            return connection.generation()

    def set_note(self, name: str, value: str) -> None:
        with self._writing() as cursor:
            cursor.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, value))

    def counts(self) -> dict[str, int]:
        found = self._all("SELECT language, documents FROM languages WHERE documents > 0 ORDER BY language")
        for language, _ in found:
            schema.check_language(language)
        return dict(found)

    def digests(self, keys: Sequence[Key]) -> dict[Key, str]:
        asked = documents_of_keys("id, language, digest", keys)
        return {(id, language): digest for sql, values in asked for id, language, digest in self._all(sql, values)}

    def write(self, documents: Sequence[EncodedDocument]) -> None:
        languages = sorted({document.language for document in documents})
        for language in languages:
            schema.check_language(language)
        try:
            with self._writing() as cursor:
                self._forget(cursor, [document.key for document in documents])
                numbered = list(enumerate(documents, _next_row(cursor)))
                for language in languages:
                    self._insert(cursor, language, [pair for pair in numbered if pair[1].language == language])
                cursor.execute(self.next_generation)
        except BaseException:
            # Numbers that were given in the transaction are free again.
            self._terms.clear()
            raise

    def finish(self) -> None:
        """Write copies for fast searches anew and move what is in the write-ahead log into the file."""
        with decoding(self._path), self.snapshot():
            self._copies.renew(list(self.counts()), self.generation())
        self._tidy()

    def _tidy(self) -> None:
        """Count for the planner, and empty the log; while others write or read there is no need to."""
        with self._connections.lent() as connection, self._connections.writing, schema.unwaiting(connection):
            for command in ("PRAGMA optimize", "PRAGMA wal_checkpoint(TRUNCATE)"):
                try:
                    connection.execute(command).fetchall()
                except sqlite3.OperationalError as error:
                    if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                        return
                    with explained(self._path):
                        raise

    def faults(self) -> list[str]:
        with decoding(self.folder / DATABASE):
            told = [str(line) for (line,) in self._all("PRAGMA integrity_check")]
            return [f"{DATABASE}: {line}" for line in [*told, *checksums.faults(self._all)] if line != "ok"]

    def miscounted(self) -> list[str]:
        with decoding(self.folder / DATABASE):
            return [f"{DATABASE}: {line}" for line in checksums.miscounted(self._all)]

    def bad_rows(self) -> Rows:
        with decoding(self.folder / DATABASE):
            return checksums.bad_rows(self._all)

    def recount(self) -> None:
        with decoding(self.folder / DATABASE), self._writing() as cursor:
            checksums.recount(cursor)

    def bad_copies(self, remove: bool) -> list[str]:
        return self._copies.bad(list(self.counts()), remove)

    def rows(self, language: str) -> Rows:
        with self._reading() as generation:
            return self._copies.vector_rows(language, generation)

    def vectors(self, rows: Rows) -> Vectors:
        with decoding(self._path):
            return self._copies.stored_vectors(rows)

    def nearest(self, vector: NDArray[Any], language: str, k: int, within: Rows | None = None) -> ScoredRows:
        with self._reading() as generation:
            return self._copies.vectors(language, generation).search(vector, k, within)

    def frequencies(self, language: str, words: Sequence[str]) -> dict[str, int]:
        with self._reading() as generation:
            copy = self._copies.words(language, generation)
            numbers = self._term_numbers(language, words)
            counts = {word: copy.frequency(numbers[word]) for word in words if word in numbers}
        return {word: count for word, count in counts.items() if count}

    def lexical(self, language: str, word: str, within: Rows | None = None) -> ScoredRows:
        with self._reading() as generation:
            number = self._term_numbers(language, [word]).get(word)
            if number is None:
                return ScoredRows.nothing()
            found = self._copies.words(language, generation).occurrences(number, within)
            if not len(found.rows):
                return ScoredRows.nothing()
            return ScoredRows(found.rows, bm25(found.counts, found.lengths, self._mean_length(language, generation)))

    def add_translations(self, source: str, target: str, table: Sequence[tuple[str, str, float]]) -> None:
        unique = {(word, other): float(share) for word, other, share in table}
        rows = [(*words, share) for words, share in unique.items()]
        with self._writing() as cursor:
            cursor.execute("DELETE FROM translations WHERE source = ? AND target = ?", (source, target))
            values = ((source, target, *row) for row in rows)
            cursor.executemany("INSERT INTO translations VALUES (?, ?, ?, ?, ?)", values)
            note = checksums.translations_note(source, target), str(checksums.summed(rows))
            cursor.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", note)

    def _connected(self) -> schema.Connection:
        """One more connection, if the database is still the one that was opened."""
        connection = schema.connected(self._path)
        with kept_only_whole(connection):
            found = connection.execute("SELECT value FROM notes WHERE name = 'identity'").fetchall()
            if found != ([(self._known_as,)] if self._known_as else []):
                raise StoreError(f"{self.folder}: another index has taken its place", hint="open it again")
        return connection

    @contextmanager
    def _reading(self) -> Iterator[int]:
        """One state of the database, by its generation, with the copies of it for this thread alone."""
        with decoding(self._path), self._connections.lent() as connection, connection.moment(), self._copies.lock:
            yield connection.generation()

    def _term_numbers(self, language: str, words: Sequence[str]) -> dict[str, int]:
        """The numbers of words, which the database knows them by; they never change. Hold the lock of the copies."""
        known = self._numbered.setdefault(language, {})
        if len(known) > REMEMBERED:
            known.clear()
        unknown = [word for word in dict.fromkeys(words) if word not in known]
        known.update(self._among("SELECT term, number FROM terms WHERE language = ? AND term", unknown, [language]))
        return {word: known[word] for word in words if word in known}

    def _mean_length(self, language: str, generation: int) -> float:
        """Words of a document of a language, counted again only after something was written."""
        if self._lengths[0] != generation:
            counted = self._all("SELECT language, documents, words FROM languages WHERE documents > 0")
            self._lengths = generation, {name: words / documents for name, documents, words in counted}
        return self._lengths[1][language]

    def _insert(self, cursor: sqlite3.Cursor, language: str, numbered: Sequence[tuple[int, EncodedDocument]]) -> None:
        """Documents of one language, with their rows, into all tables."""
        terms = self._terms.setdefault(language, TermNumbers(language))
        terms.refresh(cursor)
        counted = terms.counted(cursor, [document.words for _, document in numbered])
        cursor.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)", map(_columns, numbered))
        vectors = [_bytes(document.vector) for _, document in numbered]
        rows = [row for row, _ in numbered]
        digests = (
            row_digest(row, language, *words, vector) for row, words, vector in zip(rows, counted, vectors, strict=True)
        )
        words = ((row, language, *found, digest) for row, found, digest in zip(rows, counted, digests, strict=True))
        cursor.executemany("INSERT INTO words VALUES (?, ?, ?, ?, ?)", words)
        known = ((row, language, vector) for row, vector in zip(rows, vectors, strict=True) if vector is not None)
        cursor.executemany("INSERT INTO vectors VALUES (?, ?, ?)", known)
        facets = ((name, value, row) for row, document in numbered for name, value in document.facets())
        cursor.executemany("INSERT INTO facets VALUES (?, ?, ?)", facets)
        _count(cursor, language, len(numbered), sum(len(document.words) for _, document in numbered))

    def _forget(self, cursor: sqlite3.Cursor, keys: Sequence[Key]) -> int:
        asked = documents_of_keys("row", keys)
        gone = [row for sql, values in asked for (row,) in cursor.execute(sql, values).fetchall()]
        for part, marks in parts(gone, "?"):
            sql = f"SELECT language, row, counts FROM words WHERE row IN ({marks})"
            for language, _, counts in cursor.execute(sql, part).fetchall():
                _count(cursor, language, -1, -checksums.number_of_words(counts))
            for table in ("documents", "words", "vectors", "facets"):
                cursor.execute(f"DELETE FROM {table} WHERE row IN ({marks})", part)
        if gone:
            sql = "INSERT OR REPLACE INTO notes SELECT 'deleted', value + 1 FROM notes WHERE name = 'generation'"
            cursor.execute(sql)
        return len(gone)

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with explained(self._path), self._connections.lent() as connection:
            return connection.execute(sql, values).fetchall()

    def _among(self, sql: str, items: Sequence[Any], values: Sequence[Any] = (), order: str = "") -> list[Any]:
        pieces = parts(items, "?")
        return [row for part, marks in pieces for row in self._all(f"{sql} IN ({marks}) {order}", [*values, *part])]

    def _decoding(self) -> AbstractContextManager[None]:
        return decoding(self._path)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Cursor]:
        connections = self._connections
        with explained(self._path), connections.lent() as connection, connections.writing:
            cursor = connection.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                files.system.commit(cursor)
            except BaseException:
                # SQLite has already taken back what did not fit on a full disk.
                if connection.in_transaction:
                    cursor.execute("ROLLBACK")
                raise


def _bytes(vector: Any) -> bytes | None:
    """A vector as it is stored."""
    return None if vector is None else np.asarray(vector, "<f4").tobytes()


def _columns(numbered: tuple[int, EncodedDocument]) -> tuple[Any, ...]:
    """A row of the table of documents."""
    row, encoded = numbered
    document = encoded.document
    metadata = as_json(dict(document.metadata))
    return row, document.id, document.language, document.text, metadata, encoded.digest


def _count(cursor: sqlite3.Cursor, language: str, documents: int, words: int) -> None:
    """So many more documents and words of a language."""
    cursor.execute(
        "INSERT INTO languages (language, documents, words) VALUES (?, ?, ?) ON CONFLICT (language) DO UPDATE "
        "SET documents = documents + excluded.documents, words = words + excluded.words",
        (language, documents, words),
    )


def _next_row(cursor: sqlite3.Cursor) -> int:
    """The smallest row that was never used."""
    last = cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").fetchone()
    return int(last[0]) + 1 if last else 1
