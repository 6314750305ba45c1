"""What only the embedded store can suffer."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from babelspace.errors import StoreError
from babelspace.store import Settings
from babelspace.store.postings import Postings
from babelspace.store.sqlite.batched_values import documents_of_keys
from babelspace.store.sqlite.store import SQLiteStore
from babelspace.store.vector_copy import VectorCopy
from babelspace.store.word_copy import WordCopy
from tests.store.conftest import DIMENSIONS, entries


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def store(tmp_path):
    made = SQLiteStore.create(tmp_path, Settings(DIMENSIONS, "cosine"))
    yield made
    made.close()


def test_documents_are_found_by_their_keys_without_reading_all(store, rng):
    store.write(entries(rng, 500))
    store._all("ANALYZE")
    ((sql, values),) = documents_of_keys("digest", [("d1", "es"), ("none", "en")])
    plan = " ".join(line[-1] for line in store._all(f"EXPLAIN QUERY PLAN {sql}", values))
    assert "SEARCH documents USING INDEX" in plan
    assert "SCAN documents" not in plan


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


def test_an_open_copy_counts_no_rows_when_documents_come_and_forgets_those_that_another_deletes(store, rng, tmp_path):
    made = entries(rng, 30)
    store.write(made[:10])
    asked, ask = [], store._copies._ask
    store._copies._ask = lambda sql, *values: asked.append(sql) or ask(sql, *values)
    assert len(store.nearest(made[0].vector, "es", 99).rows) == 10
    asked.clear()
    store.write(made[10:20])
    assert len(store.nearest(made[0].vector, "es", 99).rows) == 20
    assert not [sql for sql in asked if "count(" in sql]
    second = SQLiteStore.open(tmp_path)
    second.delete([made[3].key, made[12].key])
    second.write([made[5], *made[20:]])
    second.close()
    found = store.nearest(made[0].vector, "es", 99).rows
    ids = {document.id for document in store.documents(found).values()}
    assert ids == {entry.document.id for entry in made} - {made[3].document.id, made[12].document.id}
    assert set(found) == set(store.rows("es"))


def test_searches_of_before_and_after_a_write_do_not_undo_each_others_copies(store, rng):
    made, turn, asked = entries(rng, 30), threading.Barrier(2, timeout=30), []
    store.write(made[:20])
    ask = store._copies._ask
    store._copies._ask = lambda sql, *values: asked.append(sql) or ask(sql, *values)

    def found():
        return len(store.nearest(made[0].vector, "es", 99).rows)

    def older():
        with store.snapshot():
            seen = [found()]
            for _ in range(6):
                turn.wait()
                seen.append(found())
                turn.wait()
        return seen

    with ThreadPoolExecutor(1) as pool:
        before = pool.submit(older)
        for number in range(6):
            turn.wait()
            if not number:
                store.delete([made[0].key])
                store.write(made[20:])
            turn.wait()
            assert found() == 29
        assert before.result() == [20] * 7
    assert len([sql for sql in asked if "SELECT row FROM" in sql]) == 2


def test_a_generation_is_remembered_for_one_moment_only(store, rng, tmp_path):
    other = SQLiteStore.open(tmp_path)
    with store.snapshot():
        assert store.generation() == 0
        other.write(entries(rng, 3))
        assert store.generation() == 0 and len(store.rows("es")) == 0
    assert store.generation() == 1 and len(store.rows("es")) == 3
    with store._writing() as cursor:
        assert store.generation() == 1
        cursor.execute(store.next_generation)
        assert store.generation() == 2, "a transaction that writes sees what it has written"
    assert store.generation() == 2
    other.close()


@pytest.mark.parametrize("place", ["arrays", "fold"])
def test_another_process_replaces_the_copies_while_they_are_read(store, rng, tmp_path, monkeypatch, place):
    made = entries(rng, 30)
    store.write(made[:20])
    store.finish()
    second = SQLiteStore.open(tmp_path)
    reading = {"arrays": (Postings, "read"), "fold": (WordCopy, "load")}[place]
    read, replaced = getattr(*reading), []

    def meanwhile(*arguments, **named):
        if not replaced:
            replaced.append(True)
            second.delete([made[0].key])
            second.write(made[20:])
            second.finish()
        return read(*arguments, **named)

    monkeypatch.setattr(*reading, staticmethod(meanwhile))
    if place == "fold":
        with store.snapshot():
            now = store.generation()
            store._copies._fold("words", "es", store._copies.words("es", now), store._copies.rows("words", "es"), now)
            monkeypatch.undo()
            copy, rows = store._copies.words("es", now), store._copies.rows("words", "es").tolist()
            having = [copy.occurrences(term).rows.tolist() for term in range(len(copy.base.starts) - 1)]
        assert copy.rows().tolist() == rows
        assert sorted({row for found in having for row in found}) == rows
        assert all(found == sorted(found) for found in having)
    else:
        copy, seen = WordCopy.load(tmp_path / "words" / "es", store.note("identity"))
        assert (seen, copy.rows().tolist()) == (second.generation(), second.rows("es").tolist())
    assert replaced
    assert store.rows("es").tolist() == second.rows("es").tolist()
    second.close()


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
