"""How much of a query documents hold: BM25 in the query's own language, and through a dictionary in the others.

Probabilistic structured queries (Darwish & Oard 2003): all translations f of a query word e count as one word that
occurs so often as they do together, each as much as it is probable,

    tf(e, d) = Σ_f p(f | e) tf(f, d),      df(e) = Σ_f p(f | e) df(f)

and BM25 of e is made of these. The translations of a word that says little are a mixture of anything, which looks rare;
so its rarity is the geometric mean of that in the documents and that in its own language, where the model has learned
it. A store gives BM25 of single words in units of their rarity; with tf' = tf · k1 / K(d) of the document's length
K(d), both ways between the two are one division, and nothing else of the documents need be known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.search.tuned_settings import SETTINGS
from babelspace.spaces.lexical.query_dictionary import QueryDictionary, inverse_document_frequency
from babelspace.store import ScoredRows, SearchableStore
from babelspace.store.base import BM25_K1, Rows

Translations = Mapping[str, Sequence[tuple[str, float]]]
# BM25 of a word that occurs without end, in units of its rarity.
CEILING = BM25_K1 + 1
# Words in fewer documents are read whole: to look some of them up would take as long.
FEW_POSTINGS = 3_000
# Rows so much farther apart are sorted, nearer ones counted.
SPARSE = 64


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
    wanted: Wanted | None = None,
) -> tuple[ScoredRows, frozenset[str]]:
    """How much of a query documents of a language hold, from 0 to 1, and the spellings looked for that tell something.

    The score is BM25 as a share of what all words together could reach. A word without a translation counts as it is
    spelled: names, numbers and loan words need none. Where it is said which documents are `wanted`, others may be
    missing.
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
    total = CEILING * sum(word.rarity for word in asked)
    if total <= 0:
        return ScoredRows.nothing(), telling
    found = best_documents(store, target, _affordable(asked, frequencies, most), frequencies, wanted)
    trust = 1.0 if source == target or known else SETTINGS.untranslated
    return ScoredRows(found.rows, found.scores * (trust / total)), telling


def _affordable(asked: Sequence[QueryWord], frequencies: Mapping[str, int], most: float) -> list[QueryWord]:
    """The words that occur, from the first on while they do so in at most so many documents; at least one."""
    kept: list[QueryWord] = []
    read = 0
    for word in asked:
        found = [(spelling, share) for spelling, share in word.spellings if spelling in frequencies]
        read += sum(frequencies[spelling] for spelling, _ in found)
        if kept and read > most:
            break
        if found:
            kept.append(QueryWord(found, word.rarity))
    return kept


def best_documents(
    store: SearchableStore,
    language: str,
    asked: Sequence[QueryWord],
    frequencies: Mapping[str, int],
    wanted: Wanted | None,
) -> ScoredRows:
    """BM25 of all words together, the rarest first: of every document, or of those that are wanted (and some more).

    No document gains more by a word than its rarity can give. Once those that are best so far stand above what all
    other words could give together, only documents that may still come among them are looked up for the rest
    (MaxScore, Turtle & Flood 1995): the words that nearly every document has are not read.
    """
    rest = list(accumulate(CEILING * word.rarity for word in reversed(asked)))[::-1]
    parts: list[ScoredRows] = []
    may: ScoredRows | None = None  # the documents that may be wanted, once others are ruled out
    top = 0.0  # no score is above it so far
    for word, more in zip(asked, rest, strict=True):
        many = sum(frequencies[spelling] for spelling, _ in word.spellings) > FEW_POSTINGS
        if wanted is not None and many and top > more:
            if may is None:
                parts = [_summed(parts)]
            may = wanted.reachable(parts[0] if may is None else may, more) or may
        part = _of_word(store, language, word, None if may is None else may.rows)
        if may is None:
            parts.append(part)
        else:
            may.scores[may.rows.searchsorted(part.rows)] += part.scores
        top += float(part.scores.max(initial=0.0))
    return _summed(parts) if may is None else may.above_nothing()


@dataclass(frozen=True)
class Wanted:
    """The documents whose scores are needed: so many of the best among `within`, if that is given, and `also` these."""

    best: int
    also: Rows
    within: Rows | None = None

    def reachable(self, found: ScoredRows, rest: float) -> ScoredRows | None:
        """Those that may be wanted if scores can still grow by so much; None if that may be any document."""
        may = found if self.within is None else found.among(self.within)
        if len(may.rows) < self.best:
            return None
        least = np.partition(may.scores, len(may.rows) - self.best)[len(may.rows) - self.best]
        # Not for a tie: which of two equal documents comes first, their rows tell.
        if least <= rest:
            return None
        kept = may.scores >= least - rest
        if not len(self.also):
            return ScoredRows(may.rows[kept], may.scores[kept])
        return found.at(_united(may.rows[kept], np.sort(self.also)))


def _united(rows: Rows, others: Rows) -> Rows:
    """Rows that are among some or others, both of which are in order."""
    if not len(others):
        return rows
    both = np.sort(np.concatenate([rows, others]), kind="stable")
    return both[np.append(True, both[1:] != both[:-1])]


def _summed(parts: Sequence[ScoredRows]) -> ScoredRows:
    """Scores of the same row added up, part after part; rows in order."""
    filled = [part for part in parts if len(part.rows)]
    if len(filled) <= 1:
        return filled[0] if filled else ScoredRows.nothing()
    rows, scores = np.concatenate([part.rows for part in filled]), np.concatenate([part.scores for part in filled])
    first, last = int(rows.min()), int(rows.max())
    if last - first > SPARSE * len(rows):
        unique, place = np.unique(rows, return_inverse=True)
        sums: Any = np.bincount(place, scores)
        return ScoredRows(unique, sums)
    dense: Any = np.bincount(rows - first, scores)
    places = (dense > 0).nonzero()[0]  # whoever has a word has more than nothing
    return ScoredRows(places + first, dense[places])


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
    """A word with what it tells; `rarity` is that in its own language, None if nothing is known of it.

    As it is spelled, a word in most of the documents still tells a little, log (1 + (N - n + ½) / (n + ½)) as Lucene
    has it: how often it occurs may be all that a query asks for. Translations of such a word are anything, and tell
    nothing.
    """
    frequency = sum(share * frequencies.get(spelling, 0) for spelling, share in spellings)
    if rarity is None:
        return QueryWord(spellings, float(np.log1p((documents - frequency + 0.5) / (frequency + 0.5))))
    found = float(inverse_document_frequency(documents, frequency))
    return QueryWord(spellings, float(np.sqrt(found * rarity)))


def _rarity(dictionary: QueryDictionary | None, word: str, source: str, target: str) -> float | None:
    return None if dictionary is None or source == target else dictionary.rarity_of(word, source)


def _shares(others: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    whole = sum(share for _, share in others)
    return [(other, share / whole) for other, share in others]


def _most_telling(asked: list[QueryWord]) -> list[QueryWord]:
    """The words that tell the most, best first: a whole document as a query has too many to look for."""
    return sorted(asked, key=lambda word: (-word.rarity, word.spellings[0][0]))[: SETTINGS.words]


def _of_word(store: SearchableStore, language: str, word: QueryWord, within: Rows | None) -> ScoredRows:
    """BM25 of a word whose spellings count as one."""
    if len(word.spellings) == 1 and word.spellings[0][1] == 1:
        found = store.lexical(language, word.spellings[0][0], within)
        return ScoredRows(found.rows, word.rarity * found.scores)
    parts = [(share, store.lexical(language, spelling, within)) for spelling, share in word.spellings]
    counts = _summed([ScoredRows(part.rows, share * occurrences(part.scores)) for share, part in parts])
    return ScoredRows(counts.rows, word.rarity * saturated(counts.scores))


def saturated(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """BM25 in units of rarity, from occurrences in units of a document's length."""
    return counts * CEILING / (counts + BM25_K1)


def occurrences(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The way back."""
    return scores * BM25_K1 / (CEILING - scores)
