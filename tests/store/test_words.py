"""The embedded store's words: numbered terms in the database, an inverted file beside it, BM25 by its definition."""

from __future__ import annotations

import shutil
from collections import Counter

import numpy as np
import pytest

from babelspace.errors import StoreError
from babelspace.store import Settings
from babelspace.store.base import bm25
from babelspace.store.sqlite.store import SQLiteStore
from babelspace.store.word_copy import WordCopy
from tests.store.conftest import DIMENSIONS, changed, entries


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def store(tmp_path):
    made = SQLiteStore.create(tmp_path, Settings(DIMENSIONS, "cosine"))
    yield made
    made.close()


def literal(stored, word):
    """BM25 of one word, document by document."""
    lengths = {key: len(entry.words) for key, entry in stored.items()}
    counts = {key: Counter(entry.words)[word] for key, entry in stored.items()}
    having = [key for key in stored if counts[key]]
    mean = sum(lengths.values()) / len(lengths)
    return {key: float(bm25(counts[key], lengths[key], mean)) for key in having}


def told(store, word):
    found = store.lexical("es", word)
    keys = [(document.id, document.language) for document in store.documents(found.rows).values()]
    assert (np.diff(found.rows) > 0).all()
    some = store.lexical("es", word, found.rows[1::2])
    assert some.rows.tolist() == found.rows[1::2].tolist() and some.scores.tolist() == found.scores[1::2].tolist()
    return dict(zip(keys, found.scores.tolist(), strict=True))


def test_every_history_gives_the_scores_of_the_definition(store, rng, tmp_path):
    """Written, replaced, deleted, finished, opened anew: only what is there now counts."""
    stored = {}
    for turn in range(12):
        fresh = entries(rng, 12, prefix=f"t{turn % 4}-", words="abcdefghijklmnop"[: 6 + turn])
        store.write(fresh)
        stored |= {entry.key: entry for entry in fresh}
        gone = [key for key in stored if rng.random() < 0.15]
        store.delete(gone)
        stored = {key: entry for key, entry in stored.items() if key not in gone}
        if turn % 3 == 1:
            store.finish()
        if turn % 4 == 2:
            store.close()
            store = SQLiteStore.open(tmp_path)
        for word in "acegknz":
            expected = literal(stored, word)
            assert told(store, word) == pytest.approx(expected)
            assert store.frequencies("es", [word]) == ({word: len(expected)} if expected else {})
        assert store.counts() == {"es": len(stored)}
        assert store.faults() == []
    store.close()


def test_two_processes_number_terms_in_turn(store, rng, tmp_path):
    other = SQLiteStore.open(tmp_path)
    made = entries(rng, 40, words="abcdefghijkl")
    for number, entry in enumerate(made):
        (store if number % 2 else other).write([entry])
    stored = {entry.key: entry for entry in made}
    for one in (store, other):
        assert told(one, "c") == pytest.approx(literal(stored, "c"))
    other.close()


def test_numbers_of_a_write_that_failed_are_given_again(store, rng, monkeypatch):
    made = entries(rng, 20)
    store.write(made[:5])
    broken = changed(made[6], words=["only", "here"], vector="no vector")
    with pytest.raises(ValueError, match="could not convert"):
        store.write([made[5], broken])
    store.write(made[5:])
    assert told(store, "only") == {}
    stored = {entry.key: entry for entry in made}
    for word in "abh":
        assert told(store, word) == pytest.approx(literal(stored, word))


def test_copies_of_words_can_be_deleted(store, rng, tmp_path):
    made = entries(rng, 30)
    store.write(made)
    store.finish()
    before = told(store, "a")
    store.close()
    shutil.rmtree(tmp_path / "words")
    again = SQLiteStore.open(tmp_path)
    assert told(again, "a") == before
    again.finish()
    assert (tmp_path / "words" / "es" / "stamp.json").is_file()
    again.close()


@pytest.mark.parametrize("name", ["rows", "lengths", "starts", "places", "counts"])
def test_a_damaged_copy_of_words_is_no_copy(store, rng, tmp_path, name):
    store.write(entries(rng, 30))
    store.finish()
    path = tmp_path / "words" / "es" / f"{name}.npy"
    np.save(path, np.load(path)[:-1])
    assert WordCopy.load(tmp_path / "words" / "es", store.note("identity"))[1] == -1
    assert store.bad_copies(remove=True) == ["words of es"]
    assert store.bad_copies(remove=False) == []


def test_counts_that_are_wrong_are_a_fault(store, rng):
    store.write(entries(rng, 3))
    with store._writing() as cursor:
        cursor.execute("UPDATE languages SET documents = 7")
    assert store.faults() == []
    assert [fault.partition(": ")[2] for fault in store.miscounted()] == ["7 documents of es are counted, there are 3"]
    store.recount()
    assert store.miscounted() == []


def test_a_language_is_a_plain_name(store, rng, tmp_path):
    with pytest.raises(StoreError, match="is no language code"):
        store.write(entries(rng, 1, language="../../evil"))
