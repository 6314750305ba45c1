"""What `lexical` finds, for many queries over a few documents in memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.features.counting import count_vocabulary_terms
from babelspace.search.lexical import CEILING, QueryWord, query_word, saturated
from babelspace.search.tuned_settings import SETTINGS
from babelspace.spaces.lexical.query_dictionary import QueryDictionary
from babelspace.store.base import BM25_B


def lexical_matrix(
    queries: Sequence[Sequence[str]],
    documents: Sequence[list[str]],
    source: str,
    target: str,
    dictionary: QueryDictionary | None,
) -> NDArray[np.float64]:
    """How much of each query (row) each document (column) holds, from 0 to 1."""
    vocabulary = {word: place for place, word in enumerate(dict.fromkeys(chain.from_iterable(documents)))}
    counts = sp.csr_array(count_vocabulary_terms(documents, vocabulary, len(vocabulary)), dtype=np.float64)
    lengths = np.array([len(words) for words in documents], np.float64)
    scale = 1 / (1 - BM25_B + BM25_B * lengths / max(lengths.mean(), 1e-9))
    frequencies = dict(zip(vocabulary, np.bincount(counts.indices, minlength=len(vocabulary)).tolist(), strict=True))
    distinct = list(dict.fromkeys(chain.from_iterable(queries)))
    known = dictionary.translations(distinct, source, target) if dictionary and source != target else {}
    asked = {
        word: query_word(
            word,
            known.get(word, [(word, 1.0)]),
            frequencies,
            len(documents),
            dictionary.rarity_of(word, source) if dictionary and source != target else None,
        )
        for word in distinct
    }
    held = sp.csr_array(_spellings(asked, vocabulary) @ sp.csr_array(sp.diags_array(scale) @ counts).T)
    held.data = saturated(held.data)
    rarity = np.array([asked[word].rarity for word in distinct])
    wanted = _wanted(queries, asked, rarity)
    trust = [
        1.0 if source == target or any(word in known for word in query) else SETTINGS.untranslated for query in queries
    ]
    total = CEILING * np.asarray(wanted.sum(axis=1)).ravel()
    return np.asarray((wanted @ held).toarray() * (np.array(trust) / np.maximum(total, 1e-300))[:, None])


def _spellings(asked: dict[str, QueryWord], vocabulary: dict[str, int]) -> sp.csr_array:
    """The share of every word of the documents (column) in every word asked for (row)."""
    entries = [
        (row, vocabulary[spelling], share)
        for row, word in enumerate(asked.values())
        for spelling, share in word.spellings
        if spelling in vocabulary
    ]
    rows, columns, shares = np.array(entries, np.float64).reshape(-1, 3).T
    places = rows.astype(np.int64), columns.astype(np.int64)
    return sp.csr_array((shares, places), shape=(len(asked), len(vocabulary)))


def _wanted(queries: Sequence[Sequence[str]], asked: dict[str, QueryWord], rarity: NDArray[np.float64]) -> sp.csr_array:
    """The rarity of the most telling words (columns) of each query (row)."""
    number = {word: place for place, word in enumerate(asked)}
    rows, columns = [], []
    for row, query in enumerate(queries):
        places = sorted({number[word] for word in query}, key=lambda place: (-rarity[place], place))[: SETTINGS.words]
        rows += [row] * len(places)
        columns += places
    shape = len(queries), len(asked)
    return sp.csr_array((rarity[columns] if columns else np.zeros(0), (rows, columns)), shape=shape)
