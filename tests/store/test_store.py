"""One suite for every store: what is written can be read, nothing is ever half written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from babelspace.corpus import Document
from babelspace.errors import StoreError
from babelspace.store import EncodedDocument
from babelspace.store.base import BM25_B, BM25_K1
from babelspace.store.vector_copy import compared
from tests.store.conftest import changed, entries, near_flat_limit, unit, with_metadata


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def brute(similarity, query, known, k):
    """Rows in order of their exact score."""
    scores = compared(similarity, query, known)
    return np.argsort(-scores, kind="stable")[:k], np.sort(scores)[::-1][:k]


def test_a_new_store_is_empty(store, rng):
    assert store.counts() == {}
    assert store.generation() == 0
    assert len(store.rows("es")) == 0
    assert store.documents(np.array([1, 2])) == {}
    assert len(store.nearest(unit(rng, 1)[0], "es", 3).rows) == 0
    assert len(store.lexical("es", "a").rows) == 0
    assert store.frequencies("es", ["a"]) == {}
    assert store.selected({"topic": ["a"]}).tolist() == []
    assert store.note("nothing") is None


def test_documents_come_back_as_they_were(store, place, rng):
    text = Document("a/b 'c' \"d\"", "pt-BR", "tab\tline\nend — 密码 \U0001f600")
    odd = EncodedDocument(text, ["密码", "don't", 'x"y'], unit(rng, 1)[0])
    odd = with_metadata(odd, year=1999, labels=["a", "b"], draft=False, nothing=None)
    store.write([odd])
    store.close()
    again = place.open()
    ((row, found),) = again.documents(again.rows("pt-BR")).items()
    assert found == odd.document
    np.testing.assert_array_equal(again.vectors(again.rows("pt-BR")), odd.vector[None])
    assert again.settings.similarity == "cosine"
    for word in odd.words:
        assert again.lexical("pt-BR", word).rows.tolist() == [row]
    again.close()


def test_generation_grows_with_every_write(store, rng):
    made = entries(rng, 4)
    seen = [store.generation()]
    for change in (lambda: store.write(made), lambda: store.write(made[:1]), lambda: store.delete([made[0].key])):
        change()
        seen.append(store.generation())
    assert seen == [0, 1, 2, 3]


def test_the_same_key_replaces(store, rng):
    made = entries(rng, 5)
    store.write(made)
    before = store.rows("es")
    new = changed(made[2], text="new", words=["new"], vector=unit(rng, 1)[0])
    store.write([new])
    assert store.counts() == {"es": 5}
    after = store.rows("es")
    assert len(np.setdiff1d(after, before)) == 1
    assert after.max() > before.max(), "a row is never used twice"
    assert store.documents(after[-1:])[after[-1]].text == "new"
    assert store.frequencies("es", ["new"]) == {"new": 1}
    assert store.nearest(new.vector, "es", 1).rows[0] == after[-1]
    assert before[2] not in store.nearest(made[2].vector, "es", 5).rows
    assert not store.vectors(before[2:3]).any()


def test_the_same_id_in_two_languages_is_two_documents(store, rng):
    first = entries(rng, 1)[0]
    store.write([first, changed(first, language="en")])
    assert store.counts() == {"en": 1, "es": 1}
    assert store.delete([first.key]) == 1
    assert store.counts() == {"en": 1}


def test_deleting(store, rng):
    made = entries(rng, 6)
    store.write(made)
    assert store.delete([made[1].key, made[4].key, ("unknown", "es")]) == 2
    assert store.counts() == {"es": 4}
    left = {document.id for document in store.documents(store.rows("es")).values()}
    assert left == {"d0", "d2", "d3", "d5"}
    assert len(store.nearest(made[1].vector, "es", 10).rows) == 4
    assert sum(store.frequencies("es", [word]).get(word, 0) for word in "abcdefgh") == sum(
        len(set(made[n].words)) for n in (0, 2, 3, 5)
    )


def test_digests_tell_what_is_stored(store, rng):
    made = entries(rng, 700)
    store.write(made[:600])
    found = store.digests([entry.key for entry in made])
    assert found == {entry.key: entry.digest for entry in made[:600]}
    assert made[0].digest != changed(made[0], text="other").digest
    assert made[0].digest != with_metadata(made[0], a="b").digest
    assert made[0].digest == replace(made[0], vector=None, words=()).digest


@pytest.mark.parametrize("similarity", ["cosine", "euclidean", "l1"])
def test_nearest_is_exact(place, rng, similarity):
    store = place.create(similarity)
    made = entries(rng, 60)
    store.write(made[:40])
    store.write(made[40:])
    known = np.array([entry.vector for entry in made])
    rows = store.rows("es")
    for query in unit(rng, 5):
        places, scores = brute(similarity, query, known, 7)
        found = store.nearest(query, "es", 7)
        assert found.rows.tolist() == rows[places].tolist()
        np.testing.assert_allclose(found.scores, scores, atol=1e-5)
    store.close()


def test_nearest_within(store, rng):
    made = entries(rng, 50)
    store.write(made)
    rows = store.rows("es")
    within = rows[3::7]
    query = unit(rng, 1)[0]
    places, _ = brute("cosine", query, np.array([entry.vector for entry in made])[3::7], 4)
    assert store.nearest(query, "es", 4, within).rows.tolist() == within[places].tolist()
    assert len(store.nearest(query, "es", 50, within).rows) == len(within)
    assert len(store.nearest(query, "es", 4, within[:0]).rows) == 0


def test_languages_are_kept_apart(store, rng):
    store.write([*entries(rng, 10), *entries(rng, 8, "de")])
    assert set(store.nearest(unit(rng, 1)[0], "de", 20).rows) == set(store.rows("de"))


def test_documents_without_a_vector_are_found_by_words_only(store, rng):
    bare = EncodedDocument(Document("bare", "es", "zzz"), ["zzz"])
    store.write([*entries(rng, 3), bare])
    assert store.counts() == {"es": 4}
    assert len(store.rows("es")) == 3
    ((row, found),) = store.documents(store.lexical("es", "zzz").rows).items()
    assert found.id == "bare"
    assert not store.vectors(np.array([row])).any()


@given(
    documents=st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=8), min_size=1, max_size=12),
    word=st.sampled_from("abcd"),
)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bm25_is_the_formula(store, documents, word):
    store.delete([(f"d{number}", "es") for number in range(12)])
    store.write([EncodedDocument(Document(f"d{n}", "es", " ".join(words)), words) for n, words in enumerate(documents)])
    having = [words for words in documents if word in words]
    mean = np.mean([len(words) for words in documents])
    counts, lengths = (np.array([size(words) for words in having]) for size in (lambda words: words.count(word), len))
    expected = counts * (BM25_K1 + 1) / (counts + BM25_K1 * (1 - BM25_B + BM25_B * lengths / mean))
    found = store.lexical("es", word)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-9)
    ceiling = BM25_K1 + 1  # a document of this word alone
    assert all(score < ceiling for score in expected)
    assert store.frequencies("es", [word]).get(word, 0) == len(having)
    within = np.array(sorted({*found.rows[::2].tolist(), 10**9}), np.int64)
    some = store.lexical("es", word, within)
    assert some.rows.tolist() == found.rows[::2].tolist()
    assert some.scores.tolist() == found.scores[::2].tolist()


def test_ids_fields_and_values(store, rng):
    assert store.fields() == [] and store.values("year") == [] and store.ids("es") == []
    made = [with_metadata(one, year=1990 + n % 3, kind=["a", "b"]) for n, one in enumerate(entries(rng, 7))]
    store.write(made)
    assert store.fields() == ["kind", "year"]
    assert store.values("year") == ["1990", "1991", "1992"] and store.values("kind") == ["a", "b"]
    assert sorted(store.ids("es")) == sorted(one.document.id for one in made)
    store.delete([made[0].key])
    assert made[0].document.id not in store.ids("es")
    many = {"year": [str(year) for year in range(3000)]}
    assert len(store.selected(many)) == 6, "more values than a statement takes"


def test_filters(store, rng):
    made = entries(rng, 6)
    kinds = [{"topic": "a"}, {"topic": "b"}, {"topic": ["a", "c"]}, {"topic": "a", "year": 1999}, {}, {"year": 1999}]
    store.write([with_metadata(entry, **kind) for entry, kind in zip(made, kinds, strict=True)])

    def kept(**filters):
        return [document.id for document in store.documents(store.selected(filters)).values()]

    assert kept(topic=["a"]) == ["d0", "d2", "d3"]
    assert kept(topic=["b", "c"]) == ["d1", "d2"]
    assert kept(topic=["a"], year=["1999"]) == ["d3"]
    assert kept(year=["2000"]) == []
    assert kept(id=["d3", "d0", "gone"]) == ["d0", "d3"]
    assert kept(id=["d3", "d5", "d1"], year=["1999"]) == ["d3", "d5"]
    assert kept() == [f"d{number}" for number in range(6)]
    store.delete([made[3].key])
    assert kept(year=["1999"]) == ["d5"]


def test_translations(store):
    table = [("house", "casa", 0.7), ("house", "hogar", 0.2), ("wine", "vino", 1.0), ("house", "casa", 0.8)]
    store.add_translations("en", "es", table)
    assert store.translations("en", "es", ["house", "wine", "tree"]) == {
        "house": [("casa", 0.8), ("hogar", 0.2)],
        "wine": [("vino", 1.0)],
    }
    assert store.translations("es", "en", ["casa"]) == {}
    store.add_translations("en", "es", [("tree", "árbol", 1.0)])
    assert store.translations("en", "es", ["house", "tree"]) == {"tree": [("árbol", 1.0)]}


def test_notes(store, place):
    store.set_note("state", "one")
    store.set_note("state", "two")
    store.close()
    again = place.open()
    assert again.note("state") == "two"
    again.close()


def test_a_batch_that_fails_leaves_nothing(store, rng):
    made = entries(rng, 5)
    store.write(made[:2])
    wrong = changed(made[4], vector=np.zeros(3, np.float32), text=None)
    with pytest.raises((StoreError, TypeError, AttributeError)):
        store.write([changed(made[0], text="changed"), made[2], wrong])
    assert store.counts() == {"es": 2}
    assert store.generation() == 1
    assert list(store.documents(store.rows("es")).values()) == [entry.document for entry in made[:2]]
    store.write(made)
    assert store.counts() == {"es": 5}


def test_another_connection_sees_what_was_committed(store, place, rng):
    made = entries(rng, 8)
    reader = place.open()
    store.write(made[:5])
    assert len(reader.nearest(made[0].vector, "es", 10).rows) == 5
    store.write(made[5:])
    store.delete([made[0].key])
    assert len(reader.nearest(made[0].vector, "es", 10).rows) == 7
    assert reader.nearest(made[6].vector, "es", 1).rows[0] == store.rows("es")[5]
    reader.close()


def test_finish_changes_no_answer(store, place, rng, monkeypatch):
    near_flat_limit(monkeypatch, 30)
    made = entries(rng, 80)
    queries = unit(rng, 4)
    store.write(made[:60])
    before = [store.nearest(query, "es", 5).rows.tolist() for query in queries]
    store.finish()
    assert [store.nearest(query, "es", 5).rows.tolist() for query in queries] == before
    store.write(made[60:])
    store.delete([made[0].key])
    changed = [store.nearest(query, "es", 5).rows.tolist() for query in queries]
    for _ in range(2):
        store.finish()
        assert [store.nearest(query, "es", 5).rows.tolist() for query in queries] == changed
    store.close()
    again = place.open()
    assert [again.nearest(query, "es", 5).rows.tolist() for query in queries] == changed
    within = again.rows("es")[::9]
    assert set(again.nearest(queries[0], "es", 99, within).rows) == set(within)
    again.close()
