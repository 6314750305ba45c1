"""Tables of the server store, and vectors on the wire as pgvector's binary format has them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from babelspace.errors import StoreError
from babelspace.runtime.extras import need
from babelspace.store.address import without_password
from babelspace.store.base import EncodedDocument, Settings
from babelspace.store.postgres.errors import explained

FORMAT = 1
# Rows of the other tables are taken out with their documents by `FORGET`: foreign keys would check every word.
SECONDS_TO_CONNECT = 10
TABLES = """
CREATE TABLE notes (name text PRIMARY KEY, value text NOT NULL);
CREATE SEQUENCE rows;
CREATE TABLE documents (
    row bigint PRIMARY KEY, id text NOT NULL, language text NOT NULL, text text NOT NULL, metadata text NOT NULL,
    digest text NOT NULL, length integer NOT NULL, UNIQUE (id, language)
);
CREATE INDEX documents_of_language ON documents (language) INCLUDE (length);
CREATE TABLE vectors (
    row bigint PRIMARY KEY, language text NOT NULL, vector vector({dimensions}) NOT NULL
);
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE PLAIN;
CREATE INDEX vectors_of_language ON vectors (language, row);
CREATE TABLE facets (name text, value text, row bigint, PRIMARY KEY (name, value, row));
CREATE INDEX facets_of_row ON facets (row);
CREATE TABLE postings (
    language text, word text, row bigint, count integer NOT NULL, PRIMARY KEY (language, word, row)
);
CREATE INDEX postings_of_row ON postings (row);
CREATE TABLE translations (
    source text, target text, word text, other text, share float8, PRIMARY KEY (source, target, word, other)
);
"""

FORGET = """
WITH gone AS (
    DELETE FROM documents d USING (SELECT unnest(%s::text[]) AS id, unnest(%s::text[]) AS language) AS k
    WHERE d.id = k.id AND d.language = k.language RETURNING d.row
),
v AS (DELETE FROM vectors t USING gone WHERE t.row = gone.row),
f AS (DELETE FROM facets t USING gone WHERE t.row = gone.row),
p AS (DELETE FROM postings t USING gone WHERE t.row = gone.row)
SELECT count(*) FROM gone
"""


def connected(url: str) -> Any:
    """A connection that begins no transaction by itself."""
    psycopg = need("psycopg", extra="postgres")
    with explained(None, url):
        return psycopg.connect(url, autocommit=True, connect_timeout=SECONDS_TO_CONNECT)


def make(connection: Any, name: str, settings: Settings) -> None:
    """The schema of a new index and all its tables."""
    # In `public`, where every index of the database finds the type.
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    connection.execute(f"CREATE SCHEMA {quoted(name)}")
    connection.execute(f"SET LOCAL search_path TO {quoted(name)}, public")
    # A vector of unknown length is refused by graphs, one of more dimensions than the type allows by PostgreSQL.
    connection.execute(TABLES.format(dimensions=settings.dimensions))
    notes = {"format": FORMAT, "generation": 0, **asdict(settings)}
    for note, value in notes.items():
        connection.execute("INSERT INTO notes VALUES (%s, %s)", (note, str(value)))


def settings_of(connection: Any, name: str, url: str) -> Settings:
    """What the schema was made for; an error if it is not there or of another version."""
    if connection.execute("SELECT to_regclass(%s)", (f"{quoted(name)}.notes",)).fetchone()[0] is None:
        raise StoreError(
            f"{without_password(url)}: no index {name!r} in this database",
            hint="make it again: {build_index(store=URL)}",
        )
    notes = dict(connection.execute(f"SELECT name, value FROM {quoted(name)}.notes").fetchall())
    if notes.get("format") != str(FORMAT):
        raise StoreError(
            f"{without_password(url)}: format {notes.get('format')!r}, this version reads format {FORMAT}",
            hint="make the index again with this version: {build_index(store=URL)}",
        )
    return Settings(int(notes["dimensions"]), notes["similarity"])


def prepare(connection: Any, name: str) -> None:
    """Set a connection up: names are looked up in the schema, vectors are arrays."""
    connection.execute(f"SET search_path TO {quoted(name)}, public")
    connection.execute("SET client_min_messages TO warning")
    types = need("psycopg.types", extra="postgres")
    info = types.TypeInfo.fetch(connection, "vector")
    info.register(connection)
    connection.adapters.register_dumper(np.ndarray, _dumper(info.oid))
    connection.adapters.register_loader("vector", _loader())


def copy(cursor: Any, rows: Mapping[int, EncodedDocument]) -> None:
    """Bring documents with their rows into all tables."""
    with cursor.copy("COPY documents FROM STDIN") as writer:
        for row, encoded in rows.items():
            document = encoded.document
            metadata = json.dumps(dict(document.metadata), ensure_ascii=False)
            kept = (document.id, document.language, document.text, metadata, encoded.digest, len(encoded.words))
            writer.write_row((row, *kept))
    with cursor.copy("COPY vectors FROM STDIN (FORMAT BINARY)") as writer:
        writer.set_types(["int8", "text", "vector"])
        for row, encoded in rows.items():
            if encoded.vector is not None:
                writer.write_row((row, encoded.language, np.asarray(encoded.vector, np.float32)))
    with cursor.copy("COPY facets FROM STDIN") as writer:
        for row, encoded in rows.items():
            for name, value in encoded.facets():
                writer.write_row((name, value, row))
    with cursor.copy("COPY postings FROM STDIN") as writer:
        for row, encoded in rows.items():
            for word, count in Counter(encoded.words).items():
                writer.write_row((encoded.language, word, row, count))


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A string in SQL; percent signs are doubled, because they would stand for parameters."""
    return "'" + text.replace("'", "''").replace("%", "%%") + "'"


def _dumper(vector_type: int) -> type[Any]:
    """Arrays in pgvector's binary format: two 16-bit numbers, the first of them the length, then big-endian floats."""
    adapt, pq = need("psycopg.adapt", extra="postgres"), need("psycopg.pq", extra="postgres")

    class ArrayDumper(adapt.Dumper):  # type: ignore[name-defined]
        format = pq.Format.BINARY
        oid = vector_type

        def dump(self, value: Any) -> bytes:
            return np.array([len(value), 0], ">u2").tobytes() + value.astype(">f4").tobytes()

    return ArrayDumper


def _loader() -> type[Any]:
    adapt, pq = need("psycopg.adapt", extra="postgres"), need("psycopg.pq", extra="postgres")

    class ArrayLoader(adapt.Loader):  # type: ignore[name-defined]
        format = pq.Format.BINARY

        def load(self, data: Any) -> Any:
            return np.frombuffer(bytes(data), ">f4", offset=4)

    return ArrayLoader
