"""What only the server store can suffer."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from babelspace.corpus import Document
from babelspace.errors import MissingExtra, StoreError
from babelspace.store import EncodedDocument, Settings
from babelspace.store.postgres.store import PostgresStore
from tests.store.conftest import DIMENSIONS, entries
from tests.store.server import Server


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_server_that_dies_in_the_middle_of_a_write(rng):
    """The connection is cut within the transaction: all of the batch or nothing."""
    mortal = Server().start()
    try:
        store = PostgresStore.create(mortal.url, "index", Settings(DIMENSIONS, "cosine"))
        made = entries(rng, 40)
        store.write(made[:20])
        with pytest.raises(StoreError, match="the database went away") as told, store._writing() as cursor:
            store._forget(cursor, [entry.key for entry in made[:10]])
            mortal.kill()
            cursor.execute("SELECT 1")
        assert "What was committed before is kept; run the same command again when it is back." in str(told.value)
        with pytest.raises(StoreError, match="the database went away"):
            store.counts()
        mortal.start()
        again = PostgresStore.open(mortal.url, "index")
        assert again.counts() == {"es": 20}
        again.write(made)
        assert again.counts() == {"es": 40}
        again.close()
    finally:
        mortal.remove()


def test_several_indexes_in_one_database(server, rng):
    first, second = (PostgresStore.create(server.url, name, Settings(DIMENSIONS, "cosine")) for name in ("one", "t'wo"))
    first.write(entries(rng, 3))
    second.write(entries(rng, 5))
    assert (first.counts(), second.counts()) == ({"es": 3}, {"es": 5})
    first.close()
    second.close()


def test_schemas_that_are_no_index(server):
    with pytest.raises(StoreError, match="no index 'nothing' in this database"):
        PostgresStore.open(server.url, "nothing")
    store = PostgresStore.create(server.url, "old", Settings(DIMENSIONS, "cosine"))
    store.set_note("format", "9")
    store.close()
    with pytest.raises(StoreError, match="format '9', this version reads format 1"):
        PostgresStore.open(server.url, "old")


def test_more_dimensions_than_the_server_can_hold(server):
    with pytest.raises(StoreError, match="dimensions"):
        PostgresStore.create(server.url, "wide", Settings(20_000, "cosine"))


def test_texts_that_the_server_refuses(server, rng):
    store = PostgresStore.create(server.url, "binary", Settings(DIMENSIONS, "cosine"))
    (entry,) = entries(rng, 1)
    with pytest.raises(StoreError, match="the database refused"):
        store.write([entry, EncodedDocument(Document("x", "es", "a\0b"))])
    assert store.counts() == {}
    store.close()


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"pip install 'babelspace\[postgres\]'"):
        PostgresStore.open("postgresql://host/db", "index")
