"""Learn a dictionary for queries from the paired rows of a corpus.

IBM model 1 on the bags of words of whole rows, as in :class:`Translation`, but over all words that occur twice and not
only those of the model's vocabulary: the rare ones are what people ask for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.kernels.linalg.sparse import compact
from babelspace.runtime import progress
from babelspace.spaces.lexical.query_dictionary import KEPT, QueryDictionary, inverse_document_frequency
from babelspace.spaces.lexical.translation_tables import BagSettings, learn_both_ways
from babelspace.text.ngrams import MARKER

# As in Translation, with fewer candidates: 20 found documents as well as 50 (benchmarks/measure/search_quality.py).
BAGS = BagSettings(candidates=20, iterations=5, null=0.3, copy=5.0)
MOST_WORDS, FEWEST_OCCURRENCES = 50_000, 2
# Pairs of words that are met while candidates are sought: some 20 s on one core; rows beyond are passed over evenly.
MOST_MEETINGS = 400_000_000


@dataclass(frozen=True)
class WordCounts:
    """How often the words of a language stand in each row of a corpus (rows x words)."""

    counts: Any
    words: Sequence[str]


def dictionary_from_rows(counted: Mapping[str, WordCounts]) -> QueryDictionary:
    """A dictionary from the counts of the same rows in every language; the pivot is the language with the most rows.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from babelspace.spaces.lexical.dictionary_from_rows import WordCounts, dictionary_from_rows
    >>> rows = csr_array(np.array([[2, 0, 0, 2], [0, 2, 0, 2], [0, 0, 2, 2]]))
    >>> english, spanish = ["cat", "dog", "cow", "the"], ["gato", "perro", "vaca", "el"]
    >>> found = dictionary_from_rows({"en": WordCounts(rows, english), "es": WordCounts(rows, spanish)})
    >>> found.translations(["dog"], "en", "es")
    {'dog': [('perro', 0.8), ('dog', 0.2)]}
    """
    known = {language: frequent_words(part) for language, part in counted.items()}
    weighted = {language: _weighted(part) for language, part in known.items()}
    pivot = min(known, key=lambda name: (-np.count_nonzero(np.diff(known[name].counts.indptr)), name))
    into, back = {}, {}
    for language in progress.track([name for name in known if name != pivot], "translating words"):
        sides = weighted[language], weighted[pivot]
        rows = _affordable(*sides)
        if not len(rows):
            continue
        width = max(side.shape[1] for side in sides)
        source, target = (_widened(side[rows], width) for side in sides)
        there, again = learn_both_ways(source, target, _alike(known[language].words, known[pivot].words), BAGS)
        shape = len(known[language].words), len(known[pivot].words)
        into[language], back[language] = _cut(there, shape), _cut(again, shape[::-1])
    words = {language: part.words for language, part in known.items()}
    rarity = {language: _rarity(part.counts) for language, part in known.items()}
    return QueryDictionary(pivot, words, rarity, into, back)


def frequent_words(part: WordCounts) -> WordCounts:
    """The words that occur often enough, of too many the most frequent ones, in order of their columns."""
    totals = np.asarray(part.counts.sum(axis=0)).ravel()
    plain = np.array([not word.startswith(MARKER) for word in part.words], bool)
    kept = np.flatnonzero((totals >= FEWEST_OCCURRENCES) & plain)
    kept = np.sort(kept[np.argsort(-totals[kept], kind="stable")[:MOST_WORDS]])
    return WordCounts(sp.csr_array(part.counts[:, kept]), [part.words[column] for column in kept.tolist()])


def _rarity(counts: Any) -> NDArray[np.float32]:
    documents = int(np.count_nonzero(np.diff(counts.indptr)))
    frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.asarray(inverse_document_frequency(documents, np.minimum(frequencies, documents)), np.float32)


def _weighted(part: WordCounts) -> Any:
    """log-tf-idf: words that every row has say nothing of what translates what."""
    counts = part.counts
    documents = max(1, np.count_nonzero(np.diff(counts.indptr)))
    idf = np.log2(documents / np.maximum(1, np.bincount(counts.indices, minlength=counts.shape[1])))
    values = np.log2(1 + counts.data) * idf[counts.indices]
    return compact(sp.csr_array((values, counts.indices, counts.indptr), shape=counts.shape))


def _affordable(source: Any, target: Any) -> NDArray[np.int64]:
    """Rows that have both languages, spread evenly over all, as many as can be afforded."""
    meetings = np.diff(source.indptr).astype(np.float64) * np.diff(target.indptr)
    rows = np.flatnonzero(meetings)
    share = MOST_MEETINGS / max(float(meetings.sum()), 1.0)
    return rows if share >= 1 else rows[np.linspace(0, len(rows) - 1, max(1, int(share * len(rows)))).astype(np.int64)]


def _widened(matrix: Any, width: int) -> Any:
    return sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], width))


def _alike(source: Sequence[str], target: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Words that both languages spell alike."""
    places = {word: place for place, word in enumerate(target)}
    shared = [(place, places[word]) for place, word in enumerate(source) if word in places]
    found = np.array(shared, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _cut(table: Any, shape: tuple[int, int]) -> Any:
    """The table without the columns that made both sides equally wide, and with the best of each word only."""
    narrow = sp.csr_array(table[: shape[0], : shape[1]])
    owner = np.repeat(np.arange(shape[0]), np.diff(narrow.indptr))
    order = np.lexsort((narrow.indices, -narrow.data, owner))
    rank = np.arange(len(order)) - narrow.indptr[owner[order]]
    kept = np.sort(order[rank < KEPT])
    parts = (narrow.data[kept], (owner[kept], narrow.indices[kept]))
    return compact(sp.csr_array(parts, shape=shape))
