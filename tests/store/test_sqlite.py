"""What only the embedded store can suffer."""

from __future__ import annotations

import shutil
import sqlite3

import numpy as np
import pytest

from babelspace.errors import StoreError
from babelspace.store import Settings
from babelspace.store.sqlite.store import SQLiteStore
from babelspace.store.vector_copy import VectorCopy
from tests.store.conftest import DIMENSIONS, entries


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def store(tmp_path):
    made = SQLiteStore.create(tmp_path, Settings(DIMENSIONS, "cosine"))
    yield made
    made.close()


def test_a_full_disk_loses_nothing(store, rng):
    made = entries(rng, 3000)
    store.write(made[:100])
    pages = store._all("PRAGMA page_count")[0][0]
    store._all(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(StoreError, match=r"the disk is full\. What was committed before is kept; free some space"):
        store.write(made[100:])
    assert store.counts() == {"es": 100}
    assert len(store.nearest(made[0].vector, "es", 200).rows) == 100
    store._all("PRAGMA max_page_count = 1000000")
    store.write(made[100:])
    assert store.counts() == {"es": 3000}


def test_a_copy_that_cannot_be_written(store, rng, monkeypatch):
    store.write(entries(rng, 20))

    def full(self, folder, now, fetch, generation):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(VectorCopy, "fold", full)
    with pytest.raises(StoreError, match="All documents are stored, and searching works without this copy"):
        store.finish()
    assert len(store.nearest(entries(rng, 1)[0].vector, "es", 99).rows) == 20


def test_copies_can_be_deleted_and_are_made_again(store, rng, tmp_path):
    made = entries(rng, 30)
    store.write(made)
    store.finish()
    before = store.nearest(made[0].vector, "es", 9).rows.tolist()
    store.close()
    assert (tmp_path / "vectors" / "es" / "stamp.json").is_file()
    shutil.rmtree(tmp_path / "vectors")
    again = SQLiteStore.open(tmp_path)
    assert again.nearest(made[0].vector, "es", 9).rows.tolist() == before
    again.finish()
    assert (tmp_path / "vectors" / "es" / "stamp.json").is_file()
    again.close()


def test_a_copy_of_an_older_state_is_brought_up_to_date(store, rng, tmp_path):
    made = entries(rng, 30)
    store.write(made[:20])
    store.finish()
    store.write(made[20:])
    store.delete([made[0].key])
    store.close()
    again = SQLiteStore.open(tmp_path)
    assert set(again.nearest(made[0].vector, "es", 99).rows) == set(again.rows("es"))
    assert len(again.rows("es")) == 29
    again.close()


def test_another_writer(store, rng, tmp_path, monkeypatch):
    monkeypatch.setattr("babelspace.store.sqlite.schema.SECONDS_TO_WAIT", 0.05)
    other = sqlite3.connect(tmp_path / "documents.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    second = SQLiteStore.open(tmp_path)
    with pytest.raises(StoreError, match="another process is writing"):
        second.write(entries(rng, 2))
    other.execute("ROLLBACK")
    second.write(entries(rng, 2))
    second.close()
    other.close()


def test_files_that_are_no_store(store, tmp_path):
    store.set_note("format", "9")
    store.close()
    with pytest.raises(StoreError, match="format '9', this version reads format 3"):
        SQLiteStore.open(tmp_path)
    (tmp_path / "documents.sqlite").write_bytes(b"no database at all" * 300)
    with pytest.raises(StoreError, match="this is no database"):
        SQLiteStore.open(tmp_path)
    (tmp_path / "documents.sqlite").write_bytes(b"")
    with pytest.raises(StoreError, match=r"refused \(no such table: notes\). Restore a copy, or make the index again"):
        SQLiteStore.open(tmp_path)
    (tmp_path / "documents.sqlite").unlink()
    with pytest.raises(StoreError, match=r"documents\.sqlite is missing"):
        SQLiteStore.open(tmp_path)


def test_a_damaged_file(store, rng, tmp_path):
    store.write(entries(rng, 200))
    store.finish()
    store.close()
    path = tmp_path / "documents.sqlite"
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="the database is damaged"):
        SQLiteStore.open(tmp_path).counts()


def test_strange_languages_are_refused(store, rng):
    with pytest.raises(StoreError, match="is no language code"):
        store.write(entries(rng, 1, language='es"; DROP TABLE notes; --'))
    assert store.counts() == {}
