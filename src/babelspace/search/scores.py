"""Scores of meaning and spelling in one number, comparable between languages.

The similarity of a space is comparable between languages as it is: that is what the space was learned for. Counting it
in standard deviations of each language gained a point on one of three corpora and lost on the others, and of each
language for each query it lost a fifth of the first places (benchmarks/measure/search.py), so nothing of the
kind is done.

Spelling is another matter: a query finds its own words in documents of its own language only. So what a document gains
by it is told against the best of its language: whoever holds the query's words as well as any other loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelspace.search.settings import SETTINGS
from babelspace.store import ScoredRows, SearchableStore
from babelspace.store.base import Rows, Vectors, greatest_bm25
from babelspace.store.vector_copy import compared
from babelspace.vectors.similarity import PRODUCTS

SMALLEST_DEVIATION = 1e-6


@dataclass(frozen=True)
class TypicalSimilarity:
    """Mean and standard deviation of the similarity of two documents."""

    mean: float = 0.0
    deviation: float = 1.0


def typical_similarity(sample: Vectors, similarity: str) -> TypicalSimilarity:
    """What is typical of the documents of an index, from a sample of their vectors."""
    if similarity in PRODUCTS:
        scores = sample.astype(np.float64) @ sample.astype(np.float64).T
    else:
        scores = np.array([compared(similarity, row, sample) for row in sample]).reshape(len(sample), len(sample))
    pairs = scores[np.triu_indices(len(sample), 1)]
    return (
        TypicalSimilarity(float(pairs.mean()), max(float(pairs.std()), SMALLEST_DEVIATION))
        if len(pairs)
        else TypicalSimilarity()
    )


def combined(
    similarity: NDArray[np.float64], spelled: NDArray[np.float64], weight: float, typical: TypicalSimilarity
) -> NDArray[np.float64]:
    """Scores of one language's candidates.

    `weight` counts in standard deviations of similarities, so that it means the same in every space. `similarity` is
    NaN for documents without a vector, which count as typical.
    """
    lacking = spelled - spelled.max(initial=0.0)
    return np.where(np.isnan(similarity), typical.mean, similarity) + weight * typical.deviation * lacking


def sampled(rows: Rows) -> Rows:
    """Rows spread evenly over all."""
    return (
        rows if len(rows) <= SETTINGS.sample else rows[np.linspace(0, len(rows) - 1, SETTINGS.sample).astype(np.int64)]
    )


def lexical(
    store: SearchableStore,
    words: Sequence[str],
    source: str,
    target: str,
    documents: int,
    most: float = SETTINGS.postings,
) -> tuple[ScoredRows, frozenset[str]]:
    """How much of a query documents of a language hold as it is spelled, and the words looked for that tell something.

    The score is BM25 as a share of what all words together could reach, between 0 and 1. A word of another language
    counts through its translations, each as much as it is probable, where the store knows any, and as it is otherwise:
    names, numbers and loan words need no translation.
    """
    known = {} if source == target else store.translations(source, target, list(dict.fromkeys(words)))
    terms = _terms(words, known)
    trust = 1.0 if source == target or known else SETTINGS.untranslated
    frequencies = store.frequencies(target, list(terms))
    total = sum(weight * greatest_bm25(documents, frequencies.get(term, 0)) for term, weight in terms.items())
    telling = frozenset(term for term in terms if frequencies.get(term, 0) <= max(1, SETTINGS.common * documents))
    rows: list[Rows] = []
    scores: list[NDArray[np.float64]] = []
    read = 0
    for term in sorted(frequencies, key=lambda term: (frequencies[term], term)):
        if read + frequencies[term] > most:
            break
        found = store.lexical(target, term)
        rows.append(found.rows)
        scores.append(found.scores * terms[term])
        read += len(found.rows)
    if not rows or total <= 0:
        return ScoredRows.nothing(), telling
    unique, place = np.unique(np.concatenate(rows), return_inverse=True)
    shares = np.bincount(place, np.concatenate(scores)).astype(np.float64) * (trust / total)
    return ScoredRows(unique, shares), telling


def _terms(words: Sequence[str], known: Mapping[str, list[tuple[str, float]]]) -> dict[str, float]:
    """The words to look for in a language, with weights."""
    terms: dict[str, float] = {}
    for word in dict.fromkeys(words):
        best = known.get(word, [(word, 1.0)])[: SETTINGS.translations]
        whole = sum(share for _, share in best)
        for other, share in best:
            terms[other] = terms.get(other, 0.0) + share / whole
    return terms
