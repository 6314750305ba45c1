"""How much of a query documents hold: BM25 in the query's own language, and through a dictionary in the others.

Probabilistic structured queries (Darwish & Oard 2003): all translations f of a query word e count as one word that
occurs so often as they do together, each as much as it is probable,

    tf(e, d) = Σ_f p(f | e) tf(f, d),      df(e) = Σ_f p(f | e) df(f)

and BM25 of e is made of these. The translations of a word that says little are a mixture of anything, which looks rare;
so its rarity is the geometric mean of that in the documents and that in its own language, where the model has learned
it. A store gives BM25 of single words; with tf' = tf · k1 / K(d) of the document's length K(d), both ways between the
two are one division, and nothing else of the documents need be known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelspace.search.settings import SETTINGS
from babelspace.spaces.lexical.query_dictionary import QueryDictionary, inverse_document_frequency
from babelspace.store import ScoredRows, SearchableStore
from babelspace.store.base import BM25_K1, Rows

Translations = Mapping[str, Sequence[tuple[str, float]]]
# BM25 of a word that occurs without end, in units of its rarity.
CEILING = BM25_K1 + 1


@dataclass(frozen=True)
class QueryWord:
    """A word of a query as it is looked for in a language: spellings with shares, and what it tells."""

    spellings: Sequence[tuple[str, float]]
    rarity: float


def lexical(
    store: SearchableStore,
    words: Sequence[str],
    source: str,
    target: str,
    documents: int,
    dictionary: QueryDictionary | None = None,
    most: float = SETTINGS.postings,
) -> tuple[ScoredRows, frozenset[str]]:
    """How much of a query documents of a language hold, from 0 to 1, and the spellings looked for that tell something.

    The score is BM25 as a share of what all words together could reach. A word without a translation counts as it is
    spelled: names, numbers and loan words need none.
    """
    known = {} if source == target else known_translations(store, dictionary, words, source, target)
    spellings = {word: known.get(word, [(word, 1.0)]) for word in dict.fromkeys(words)}
    frequencies = store.frequencies(target, list(dict.fromkeys(f for part in spellings.values() for f, _ in part)))
    asked = _most_telling(
        [
            query_word(word, part, frequencies, documents, _rarity(dictionary, word, source, target))
            for word, part in spellings.items()
        ]
    )
    common = max(1, SETTINGS.common * documents)
    telling = frozenset(f for word in asked for f, _ in word.spellings if frequencies.get(f, 0) <= common)
    rows: list[Rows] = []
    scores: list[NDArray[np.float64]] = []
    read = 0
    for word in asked:
        found = [(spelling, share) for spelling, share in word.spellings if spelling in frequencies]
        read += sum(frequencies[spelling] for spelling, _ in found)
        if rows and read > most:
            break
        if found:
            part = _of_word(store, target, documents, word.rarity, found, frequencies)
            rows.append(part.rows)
            scores.append(part.scores)
    total = CEILING * sum(word.rarity for word in asked)
    if not rows or total <= 0:
        return ScoredRows.nothing(), telling
    unique, place = np.unique(np.concatenate(rows), return_inverse=True)
    trust = 1.0 if source == target or known else SETTINGS.untranslated
    return ScoredRows(unique, np.bincount(place, np.concatenate(scores)).astype(np.float64) * (trust / total)), telling


def known_translations(
    store: SearchableStore, dictionary: QueryDictionary | None, words: Sequence[str], source: str, target: str
) -> Translations:
    """What words become in another language: what the index was told, then what the model has learned."""
    learned = {} if dictionary is None else dictionary.translations(words, source, target)
    told = store.translations(source, target, list(dict.fromkeys(words)))
    return learned | {word: _shares(others[: SETTINGS.translations]) for word, others in told.items()}


def query_word(
    word: str,
    spellings: Sequence[tuple[str, float]],
    frequencies: Mapping[str, int],
    documents: int,
    rarity: float | None,
) -> QueryWord:
    """A word with what it tells; `rarity` is that in its own language, None if nothing is known of it."""
    frequency = sum(share * frequencies.get(spelling, 0) for spelling, share in spellings)
    found = float(inverse_document_frequency(documents, frequency))
    return QueryWord(spellings, found if rarity is None else float(np.sqrt(found * rarity)))


def _rarity(dictionary: QueryDictionary | None, word: str, source: str, target: str) -> float | None:
    return None if dictionary is None or source == target else dictionary.rarity_of(word, source)


def _shares(others: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    whole = sum(share for _, share in others)
    return [(other, share / whole) for other, share in others]


def _most_telling(asked: list[QueryWord]) -> list[QueryWord]:
    """The words that tell the most, best first: a whole document as a query has too many to look for."""
    return sorted(asked, key=lambda word: (-word.rarity, word.spellings[0][0]))[: SETTINGS.words]


def _of_word(
    store: SearchableStore,
    language: str,
    documents: int,
    rarity: float,
    spellings: Sequence[tuple[str, float]],
    frequencies: Mapping[str, int],
) -> ScoredRows:
    """BM25 of a word whose spellings count as one."""
    parts = [(store.lexical(language, spelling), spelling, share) for spelling, share in spellings]
    counts = [
        share * occurrences(part.scores / inverse_document_frequency(documents, frequencies[spelling]))
        for part, spelling, share in parts
    ]
    rows, place = np.unique(np.concatenate([part.rows for part, _, _ in parts]), return_inverse=True)
    return ScoredRows(rows, rarity * saturated(np.bincount(place, np.concatenate(counts)).astype(np.float64)))


def saturated(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """BM25 in units of rarity, from occurrences in units of a document's length."""
    return counts * CEILING / (counts + BM25_K1)


def occurrences(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The way back."""
    # Another process may have written since the documents were counted: then a score can stand above its ceiling.
    held = np.minimum(scores, CEILING * (1 - 1e-9))
    return held * BM25_K1 / (CEILING - held)
