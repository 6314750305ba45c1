"""Counts are those of `collections.Counter`."""

from __future__ import annotations

from collections import Counter
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

from babelspace.features import counting
from babelspace.features.counting import (
    count_and_collect_terms,
    count_and_collect_texts,
    count_vocabulary_terms,
    count_vocabulary_texts,
)
from babelspace.runtime.threads import limit
from babelspace.text import Analyzer

documents = st.lists(st.lists(st.sampled_from(["a", "b", "é", "東", "", "a b"]), max_size=12), max_size=6)


def as_counters(matrix, terms):
    rows = matrix.toarray()
    return [Counter({term: int(n) for term, n in zip(terms, row, strict=True) if n}) for row in rows]


@given(documents)
def test_counts_of_all_terms(texts):
    matrix, terms = count_and_collect_terms(iter(texts))
    assert matrix.shape == (len(texts), len(terms))
    assert terms == list(dict.fromkeys(token for text in texts for token in text))
    assert as_counters(matrix, terms) == [Counter(text) for text in texts]
    assert matrix.dtype == np.float32
    assert matrix.has_canonical_format


@given(documents, st.permutations(["a", "é", "東", "unseen"]))
def test_counts_of_known_terms(texts, known):
    table = {term: 2 * column for column, term in enumerate(known)}
    matrix = count_vocabulary_terms(iter(texts), table, 9)
    assert matrix.shape == (len(texts), 9)
    terms = [*(name for term in known for name in (term, f"not {term}")), "none"]
    assert as_counters(matrix, terms) == [Counter(token for token in text if token in table) for text in texts]


def test_no_documents():
    matrix, terms = count_and_collect_terms([])
    assert matrix.shape == (0, 0)
    assert terms == []
    assert count_vocabulary_terms([], {"a": 0}, 3).shape == (0, 3)


# Every white space of Python, what looks like one in UTF-8, half surrogates, and pieces that share their first bytes.
SPACES = [chr(code) for code in range(0x110000) if chr(code).isspace()]
PIECES = [
    "a",
    "ab",
    "abc",
    "Ab,",
    "l'eau",
    "a_b",
    "é",
    "ß",
    "\u2030",
    "\u3001",
    "\u1681",
    "\u200b",
    "\x1b",
    "\ud800",
    "1.5",
    "𝒜",
]
lines = st.lists(st.sampled_from([*SPACES, *PIECES]), max_size=30).map("".join)


def by_pieces(function, *arguments, threads=1):
    """The same by compiled loops, however little there is to count."""
    with mock.patch.object(counting, "FEW", 0), limit(threads):
        return function(*arguments)


@pytest.mark.family("counting")
@given(st.lists(lines, min_size=1, max_size=6), st.sampled_from(["words", "both"]))
def test_compiled_loops_count_as_tokens_are_counted(texts, features):
    analyzer = Analyzer("fr", features=features)
    tokens = list(analyzer.many(texts))
    expected, terms = count_and_collect_terms(tokens)
    for threads in (1, 2):
        matrix, found = by_pieces(count_and_collect_texts, analyzer, texts, threads=threads)
        assert found == terms
        assert matrix.dtype == np.float32
        assert matrix.has_canonical_format
        np.testing.assert_array_equal(matrix.toarray(), expected.toarray())
    table = {term: column for column, term in enumerate(terms[::2])}
    known = by_pieces(count_vocabulary_texts, analyzer, texts, table, 40)
    np.testing.assert_array_equal(known.toarray(), count_vocabulary_terms(tokens, table, 40).toarray())


@pytest.mark.family("counting")
def test_more_pieces_than_the_first_table_has_room_for():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{number:x}" for number in rng.integers(0, 9000, 400)) for _ in range(60)]
    analyzer = Analyzer("en")
    with mock.patch.object(counting, "TOGETHER", 40_000):
        matrix, terms = by_pieces(count_and_collect_texts, analyzer, texts, threads=2)
    expected, known = count_and_collect_terms(analyzer.many(texts))
    assert terms == known
    assert (matrix != expected).nnz == 0


def test_texts_without_spaces_and_few_texts_are_read_token_by_token():
    for language, texts in (("zh", ["我爱北京 天安门"] * 3), ("en", ["a few words"])):
        analyzer = Analyzer(language)
        matrix, terms = count_and_collect_texts(analyzer, texts)
        assert terms == list(dict.fromkeys(analyzer(texts[0])))
        assert matrix.shape == (len(texts), len(terms))
