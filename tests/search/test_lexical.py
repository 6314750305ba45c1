from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from babelspace.corpus import Document
from babelspace.search import lexical as module
from babelspace.search.lexical import Wanted, lexical, occurrences, saturated
from babelspace.search.lexical_matrix import lexical_matrix
from babelspace.search.tuned_settings import SETTINGS
from babelspace.spaces.lexical.query_dictionary import QueryDictionary
from babelspace.store import EncodedDocument, MemoryStore, Settings
from babelspace.store.base import BM25_B, BM25_K1

WORDS = {"en": ["a", "b", "c", "d"], "es": ["x", "y", "z", "c"]}
letters = st.sampled_from(["x", "y", "z", "c", "w"])
piles = st.lists(st.lists(letters, min_size=1, max_size=8), min_size=1, max_size=6)
queries = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "w"]), min_size=1, max_size=5)


def a_dictionary():
    table = csr_array(np.array([[0.7, 0.3, 0, 0], [0, 0, 1.0, 0], [0, 0, 0.5, 0.5], [0, 0, 0, 0]], np.float32))
    rarity = {"en": np.array([2.0, 1.0, 0.5, 3.0], np.float32), "es": np.ones(4, np.float32)}
    return QueryDictionary("es", WORDS, rarity, {"en": table}, {"en": csr_array(table.T)})


def a_store(pile):
    made = [EncodedDocument(Document(str(row), "es", "-"), words=words) for row, words in enumerate(pile)]
    return MemoryStore(Settings(1, "cosine"), made)


def by_hand(query, pile, dictionary):
    """Probabilistic structured queries, word by word and document by document."""
    lengths = np.array([len(words) for words in pile])
    scores, total = np.zeros(len(pile)), 0.0
    known = dictionary.translations(query, "en", "es") if dictionary else {}
    for word in set(query):
        spellings = known.get(word, [(word, 1.0)])
        counts = sum(share * np.array([words.count(other) for words in pile]) for other, share in spellings)
        frequency = sum(share * sum(other in words for words in pile) for other, share in spellings)
        rarity = max(np.log((len(pile) - frequency + 0.5) / (frequency + 0.5)), 1e-6)
        own = dictionary.rarity_of(word, "en") if dictionary else None
        plain = np.log(1 + (len(pile) - frequency + 0.5) / (frequency + 0.5))
        rarity = plain if own is None else np.sqrt(rarity * own)
        norm = BM25_K1 * (1 - BM25_B + BM25_B * lengths / lengths.mean())
        scores += rarity * counts * (BM25_K1 + 1) / (counts + norm)
        total += rarity * (BM25_K1 + 1)
    return scores / total * (1.0 if known else SETTINGS.untranslated)


@given(queries, piles, st.booleans())
def test_structured_queries_are_the_formula(query, pile, learned):
    dictionary = a_dictionary() if learned else None
    expected = by_hand(query, pile, dictionary)
    found, _ = lexical(a_store(pile), query, "en", "es", len(pile), dictionary, np.inf)
    scores = np.zeros(len(pile))
    scores[found.rows] = found.scores
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(
        lexical_matrix([query], pile, "en", "es", dictionary)[0], expected, rtol=1e-6, atol=1e-12
    )


@given(st.lists(letters, min_size=1, max_size=4), piles)
def test_within_a_language_it_is_bm25(query, pile):
    """As Lucene has it: a word of every document tells a little, too."""
    found, _ = lexical(a_store(pile), query, "es", "es", len(pile), a_dictionary(), np.inf)
    lengths = np.array([len(words) for words in pile])
    expected, total = np.zeros(len(pile)), 0.0
    for word in set(query):
        counts = np.array([words.count(word) for words in pile])
        frequency = int(np.count_nonzero(counts))
        rarity = np.log(1 + (len(pile) - frequency + 0.5) / (frequency + 0.5))
        norm = BM25_K1 * (1 - BM25_B + BM25_B * lengths / lengths.mean())
        expected += rarity * counts * (BM25_K1 + 1) / (counts + norm)
        total += rarity * (BM25_K1 + 1)
    np.testing.assert_allclose(found.scores, (expected / total)[found.rows], rtol=1e-6)
    assert set(found.rows.tolist()) == {row for row, words in enumerate(pile) if set(words) & set(query)}


@given(st.floats(1e-3, 1e3))
def test_saturation_has_a_way_back(count):
    assert occurrences(saturated(np.array([count])))[0] == pytest.approx(count, rel=1e-5)


def test_the_most_telling_words_of_a_long_query_are_looked_for():
    pile = [[f"w{number}" for number in range(row, 60)] for row in range(40)]
    query = [f"w{number}" for number in range(60)]
    found, _ = lexical(a_store(pile), query, "es", "es", len(pile), None, np.inf)
    assert found.rows.tolist() == list(range(min(SETTINGS.words, 40)))
    few, _ = lexical(a_store(pile), query, "es", "es", len(pile), None, 3)
    assert few.rows.tolist() == [0, 1]


@given(
    st.lists(st.sampled_from(["a", "b", "c", "d", "e", "w"]), min_size=1, max_size=6),
    st.lists(st.lists(letters, min_size=1, max_size=8), min_size=1, max_size=30),
    st.booleans(),
    st.integers(1, 6),
    st.sets(st.integers(0, 29)),
    st.none() | st.sets(st.integers(0, 29)),
)
def test_the_best_are_the_same_where_common_words_are_only_looked_up(query, pile, across, best, also, within):
    source, store = "en" if across else "es", a_store(pile)
    rows = np.array(sorted(row for row in also if row < len(pile)), np.int64)
    allowed = None if within is None else np.array(sorted(within), np.int64)
    asked = store, query, source, "es", len(pile), a_dictionary(), np.inf
    whole, _ = lexical(*asked)
    with mock.patch.object(module, "FEW_POSTINGS", 0):
        found, _ = lexical(*asked, Wanted(best, rows, allowed))
    expected = whole if allowed is None else whole.among(allowed)
    order = np.lexsort((expected.rows, -expected.scores))[:best]
    known = dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))
    everything = dict(zip(whole.rows.tolist(), whole.scores.tolist(), strict=True))
    assert {row: known[row] for row in expected.rows[order].tolist()} == {
        row: everything[row] for row in expected.rows[order].tolist()
    }
    assert [known.get(row, 0.0) for row in rows.tolist()] == [everything.get(row, 0.0) for row in rows.tolist()]
    # What else is there is never better than it is.
    assert all(score <= everything[row] for row, score in known.items())


def test_a_word_of_every_document_is_not_read_whole():
    pile = [["common", *(["rare"] * (row < 20))] for row in range(4_000)]
    read = []

    class Watched(MemoryStore):
        def lexical(self, language, word, within=None):
            read.append((word, None if within is None else len(within)))
            return super().lexical(language, word, within)

    store = Watched(Settings(1, "cosine"), a_store(pile)._documents)
    found, _ = lexical(store, ["common", "rare"], "es", "es", len(pile), None, np.inf, Wanted(5, np.array([3_999])))
    assert read == [("rare", None), ("common", 21)]
    assert found.rows.tolist() == [*range(20), 3_999]
