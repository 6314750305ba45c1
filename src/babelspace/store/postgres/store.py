"""The server store: PostgreSQL with pgvector, a schema for each index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.store.base import EncodedDocument, Key, Rows, ScoredRows, Settings, Vectors, bm25, kept_only_whole
from babelspace.store.connections import Connections
from babelspace.store.database import DatabaseStore
from babelspace.store.postgres import schema
from babelspace.store.postgres.errors import explained

# As in the embedded store: every vector up to here, a graph above it.
FLAT = 50_000
# pgvector indexes vectors of up to so many dimensions.
INDEXED_DIMENSIONS = 2_000
OPERATORS = {"euclidean": "<->", "l1": "<+>"}
CLASSES = {"euclidean": "vector_l2_ops", "l1": "vector_l1_ops"}
SEARCHED = 200


class PostgresStore(DatabaseStore):
    """Documents, words (a table of postings) and vectors (pgvector) in one schema of a database."""

    by_code_points = ' COLLATE "C"'
    next_generation = "UPDATE notes SET value = (value::bigint + 1)::text WHERE name = 'generation'"

    def __init__(self, url: str, name: str, settings: Settings, connection: Any) -> None:
        self.url, self.name, self.settings = url, name, settings
        self._connections = Connections(self._connected, connection)
        self._lengths: tuple[int, dict[str, float]] = (-1, {})
        self._operator = OPERATORS.get(settings.similarity, "<#>")

    @classmethod
    def create(cls, url: str, name: str, settings: Settings) -> PostgresStore:
        """A new schema `name` in the database at `url`."""
        connection = schema.connected(url)
        with kept_only_whole(connection), explained(connection, url):
            with connection.transaction():
                schema.make(connection, name, settings)
            schema.prepare(connection, name)
        return cls(url, name, settings, connection)

    @classmethod
    def open(cls, url: str, name: str) -> PostgresStore:
        """The schema `name` in the database at `url`."""
        connection = schema.connected(url)
        with kept_only_whole(connection), explained(connection, url):
            settings = schema.settings_of(connection, name, url)
            schema.prepare(connection, name)
        return cls(url, name, settings, connection)

    def close(self) -> None:
        self._connections.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._connections.lent() as connection, explained(connection, self.url):
            if connection.info.transaction_status:
                yield
                return
            with connection.transaction():
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield

    def generation(self) -> int:
        return int(self.note("generation") or 0)

    def set_note(self, name: str, value: str) -> None:
        with self._writing() as cursor:
            cursor.execute(
                "INSERT INTO notes VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (name, value),
            )

    def counts(self) -> dict[str, int]:
        return dict(self._all("SELECT language, count(*) FROM documents GROUP BY language ORDER BY language"))

    def digests(self, keys: Sequence[Key]) -> dict[Key, str]:
        sql = f"SELECT id, language, digest FROM documents JOIN {_KEYS} USING (id, language)"
        return {(id, language): digest for id, language, digest in self._all(sql, _columns(keys))}

    def write(self, documents: Sequence[EncodedDocument]) -> None:
        # The last of several with one key counts.
        unique = list({document.key: document for document in documents}.values())
        with self._writing() as cursor:
            self._forget(cursor, [document.key for document in unique])
            cursor.execute("SELECT nextval('rows') FROM generate_series(1, %s)", (len(unique),))
            schema.copy(cursor, dict(zip((row for (row,) in cursor.fetchall()), unique, strict=True)))
            cursor.execute(self.next_generation)

    def finish(self) -> None:
        """Count for the planner, and make a graph of the vectors of each large language."""
        self._all("ANALYZE")
        for language, documents in self.counts().items():
            if documents <= FLAT or self.settings.dimensions > INDEXED_DIMENSIONS:
                continue
            kind = CLASSES.get(self.settings.similarity, "vector_ip_ops")
            with self._writing() as cursor:
                # The planner takes an index of a part only for a language written in the statement.
                cursor.execute(
                    f"CREATE INDEX IF NOT EXISTS {schema.quoted(f'near_{language}')} ON vectors "
                    f"USING hnsw (vector {kind}) WHERE language = {schema.literal(language)}"
                )

    def faults(self) -> list[str]:
        """None: the server checks its own pages."""
        return []

    def miscounted(self) -> list[str]:
        """None: it is always counted anew."""
        return []

    def bad_rows(self) -> Rows:
        """None, likewise."""
        return np.zeros(0, np.int64)

    def recount(self) -> None:
        """Nothing, likewise."""

    def bad_copies(self, remove: bool) -> list[str]:
        """None: vectors are searched where they are stored."""
        return []

    def rows(self, language: str) -> Rows:
        return self._numbers(self._all("SELECT row FROM vectors WHERE language = ? ORDER BY row", (language,)))

    def vectors(self, rows: Rows) -> Vectors:
        sql = "SELECT row, vector FROM vectors WHERE row = ANY(%s)"
        found = dict(self._all(sql, (rows.tolist(),), binary=True))
        result = np.zeros((len(rows), self.settings.dimensions), np.float32)
        for place, row in enumerate(rows.tolist()):
            if row in found:
                result[place] = found[row]
        return result

    def nearest(self, vector: NDArray[Any], language: str, k: int, within: Rows | None = None) -> ScoredRows:
        asked = np.asarray(vector, np.float32)
        limits = "" if within is None else " AND row = ANY(%(within)s)"
        sql = (
            f"SELECT row, vector {self._operator} %(asked)b FROM vectors WHERE language = {schema.literal(language)}"
            f"{limits} ORDER BY vector {self._operator} %(asked)b LIMIT %(k)s"
        )
        values = {"asked": asked, "k": k, "within": None if within is None else within.tolist()}
        with self._connections.lent() as connection, explained(connection, self.url), connection.transaction():
            # A graph that is searched too narrowly gives fewer than k, or none that pass the filter.
            connection.execute(f"SET LOCAL hnsw.ef_search = {min(1000, max(SEARCHED, k))}")
            connection.execute("SET LOCAL hnsw.iterative_scan = strict_order")
            found = connection.execute(sql, values).fetchall()
        rows = np.array([row for row, _ in found], np.int64)
        # pgvector's operators are all distances; its <#> is the negated product.
        scores = -np.array([score for _, score in found], np.float64)
        order = np.lexsort((rows, -scores))
        return ScoredRows(rows[order], scores[order])

    def frequencies(self, language: str, words: Sequence[str]) -> dict[str, int]:
        sql = "SELECT word, count(*) FROM postings WHERE language = %s AND word = ANY(%s) GROUP BY word"
        return dict(self._all(sql, (language, list(words))))

    def lexical(self, language: str, word: str, within: Rows | None = None) -> ScoredRows:
        sql = (
            "SELECT row, p.count, d.length FROM postings p JOIN documents d USING (row) "
            "WHERE p.language = %s AND p.word = %s "
        )
        values = [language, word]
        found = (
            self._all(sql + "ORDER BY row", values)
            if within is None
            else self._all(sql + "AND row = ANY(%s) ORDER BY row", [*values, within.tolist()])
        )
        if not found:
            return ScoredRows.nothing()
        rows, counts, lengths = (np.array(column) for column in zip(*found, strict=True))
        return ScoredRows(rows.astype(np.int64), bm25(counts, lengths, self._mean_length(language)))

    def _mean_length(self, language: str) -> float:
        """Words of a document of a language; counted again only after something was written."""
        seen, lengths = self._lengths
        now = self.generation()
        if seen != now:
            found = self._all("SELECT language, avg(length)::float8 FROM documents GROUP BY language")
            self._lengths = now, (lengths := dict(found))
        return lengths[language]

    def add_translations(self, source: str, target: str, table: Sequence[tuple[str, str, float]]) -> None:
        unique = {(word, other): share for word, other, share in table}
        with self._writing() as cursor:
            cursor.execute("DELETE FROM translations WHERE source = %s AND target = %s", (source, target))
            with cursor.copy("COPY translations FROM STDIN") as copy:
                for (word, other), share in unique.items():
                    copy.write_row((source, target, word, other, share))

    def _forget(self, cursor: Any, keys: Sequence[Key]) -> int:
        cursor.execute(schema.FORGET, _columns(keys))
        return int(cursor.fetchone()[0])

    def _all(self, sql: str, values: Sequence[Any] = (), binary: bool = False) -> list[Any]:
        with self._connections.lent() as connection, explained(connection, self.url):
            # What stores have in common has the marks of SQLite.
            cursor = connection.execute(sql.replace("?", "%s"), values, binary=binary)
            return cursor.fetchall() if cursor.description else []

    def _among(self, sql: str, items: Sequence[Any], values: Sequence[Any] = (), order: str = "") -> list[Any]:
        return self._all(f"{sql} = ANY(?) {order}", [*values, list(items)])

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        lending, url = self._connections, self.url
        with lending.lent() as connection, lending.writing, explained(connection, url), connection.transaction():
            yield connection.cursor()

    def _connected(self) -> Any:
        connection = schema.connected(self.url)
        with kept_only_whole(connection), explained(connection, self.url):
            schema.prepare(connection, self.name)
        return connection


_KEYS = "(SELECT unnest(%s::text[]) AS id, unnest(%s::text[]) AS language) AS k"


def _columns(keys: Sequence[Key]) -> tuple[list[str], list[str]]:
    return [id for id, _ in keys], [language for _, language in keys]
