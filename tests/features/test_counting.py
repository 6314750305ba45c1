"""Counts are those of `collections.Counter`."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from babelspace.features.counting import count_and_collect_terms, count_vocabulary_terms

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
