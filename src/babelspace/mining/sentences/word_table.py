"""Which words may translate each other, with probabilities of both directions: what sentences are compared by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.alignment import Aligner, Bitext, make_aligner
from babelspace.kernels.linalg.sparse import compact
from babelspace.spaces import Encoder
from babelspace.terms.lexicon import Lexicon
from babelspace.text.ngrams import MARKER
from babelspace.vectors.neighbours import neighbours

Words = tuple[str, ...]
# Smaller probabilities cost time and tell little.
SMALLEST = 0.01
# Words of the other language that a word of a space is compared with, and the power of their cosines.
NEAREST, POWER = 8, 4


@dataclass(frozen=True, eq=False)
class WordTable:
    """t(target | source) in `forward` (source x target words) and t(source | target) in `reverse` (target x source).

    >>> table = WordTable.of_bitext([["red", "house"], ["house"]] * 3, [["maison", "rouge"], ["maison"]] * 3)
    >>> row = table.forward[[table.source_words.index("red")]].toarray()[0]
    >>> table.target_words[row.argmax()]
    'rouge'
    """

    source_words: Words
    target_words: Words
    forward: Any
    reverse: Any

    @classmethod
    def empty(cls) -> WordTable:
        """Without any word: only lengths, numbers and names speak."""
        return cls((), (), sp.csr_array((0, 0), dtype=np.float32), sp.csr_array((0, 0), dtype=np.float32))

    @classmethod
    def of_aligner(cls, aligner: Aligner) -> WordTable:
        """What a trained word aligner has learned."""
        pairs, values = aligner.translations()
        words = aligner.source_words_, aligner.target_words_
        rows = np.repeat(np.arange(len(words[0])), np.diff(pairs.starts))
        return cls._of(words, rows, pairs.partners, values[:, 0], values[:, 1])

    @classmethod
    def of_bitext(cls, source: Sequence[Sequence[str]], target: Sequence[Sequence[str]]) -> WordTable:
        """Learned by IBM model 1, both directions in agreement, from pairs of sentences."""
        return cls.of_aligner(make_aligner("ibm1").fit(Bitext.of(source, target)))

    @classmethod
    def of_lexicon(cls, lexicon: Lexicon) -> WordTable:
        """From a dictionary; without probabilities all translations of a word are equally likely."""
        known = lexicon.without_null()
        source, target = tuple(dict.fromkeys(known.source)), tuple(dict.fromkeys(known.target))
        rows, columns = _places(known.source, source), _places(known.target, target)
        given = [_or_even(known.forward, rows), _or_even(known.reverse, columns)]
        return cls._of((source, target), rows, columns, *given)

    @classmethod
    def of_encoder(cls, encoder: Encoder, source: str, target: str) -> WordTable:
        """The words of a space beside their nearest words of the other language, by the fourth power of cosines."""
        words = [_single_words(encoder, language) for language in (source, target)]
        vectors = [encoder.encode(list(part), language) for part, language in zip(words, (source, target), strict=True)]
        left, right = vectors
        there, back = neighbours(left, right, NEAREST), neighbours(right, left, NEAREST)
        first, place = np.nonzero((there.indices >= 0) & (there.scores > 0))
        last, rank = np.nonzero((back.indices >= 0) & (back.scores > 0))
        rows = np.concatenate([first, back.indices[last, rank]])
        columns = np.concatenate([there.indices[first, place], last])
        cosines = np.concatenate([there.scores[first, place], back.scores[last, rank]]).astype(np.float64)
        _, kept = np.unique(rows * np.int64(max(len(words[1]), 1)) + columns, return_index=True)
        rows, columns, weights = rows[kept], columns[kept], cosines[kept] ** POWER
        forward, reverse = weights / _sums(weights, rows), weights / _sums(weights, columns)
        return cls._of((words[0], words[1]), rows, columns, forward, reverse)

    @classmethod
    def _of(cls, words: tuple[Words, Words], rows: Any, columns: Any, forward: Any, reverse: Any) -> WordTable:
        shape = len(words[0]), len(words[1])
        there = sp.coo_array((np.where(forward >= SMALLEST, forward, 0), (rows, columns)), shape=shape)
        back = sp.coo_array((np.where(reverse >= SMALLEST, reverse, 0), (columns, rows)), shape=shape[::-1])
        return cls(*words, compact(sp.csr_array(there)), compact(sp.csr_array(back)))

    def __len__(self) -> int:
        return int(self.forward.nnz)

    def mixed(self, other: WordTable, share: float = 0.5) -> WordTable:
        """`share` of this table and the rest of another; a word that only one of them knows is as that one says."""
        source = tuple(dict.fromkeys((*self.source_words, *other.source_words)))
        target = tuple(dict.fromkeys((*self.target_words, *other.target_words)))
        mine, theirs = self.among(source, target), other.among(source, target)
        forward, reverse = _blend(mine.forward, theirs.forward, share), _blend(mine.reverse, theirs.reverse, share)
        return WordTable(source, target, forward, reverse)

    def among(self, source: Sequence[str], target: Sequence[str]) -> WordTable:
        """The part for given words, numbered as they are."""
        rows, columns = _places(source, self.source_words), _places(target, self.target_words)
        forward, reverse = _part(self.forward, rows, columns), _part(self.reverse, columns, rows)
        return WordTable(tuple(source), tuple(target), forward, reverse)


def _places(words: Sequence[str], known: Words) -> NDArray[np.int64]:
    number = {word: place for place, word in enumerate(known)}
    return np.array([number.get(word, -1) for word in words], np.int64)


def _part(table: Any, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Any:
    """Rows and columns by number; -1 is an empty one."""
    back = np.full(table.shape[1] + 1, -1, np.int64)
    back[columns] = np.arange(len(columns))
    back[-1] = -1
    counts = np.append(np.diff(table.indptr), 0)[rows] if table.shape[0] else np.zeros(len(rows), np.int64)
    owner = np.repeat(np.arange(len(rows)), counts)
    starts = np.append(table.indptr[:-1], 0)[rows]
    entries = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
    places = back[table.indices[entries]]
    known = places >= 0
    values = table.data[entries][known].astype(np.float32)
    return compact(sp.csr_array((values, (owner[known], places[known])), shape=(len(rows), len(columns))))


def _blend(mine: Any, theirs: Any, share: float) -> Any:
    only = [np.diff(table.indptr) == 0 for table in (theirs, mine)]
    weights = np.where(only[0], 1.0, np.where(only[1], 0.0, share))
    mixed = sp.diags_array(weights) @ mine + sp.diags_array(1 - weights) @ theirs
    return compact(sp.csr_array(mixed).astype(np.float32))


def _single_words(encoder: Encoder, language: str) -> Words:
    """The words that a vectorizer knows, without character n-grams."""
    return tuple(word for word in encoder.vectorizer.table(language) if not word.startswith(MARKER))


def _sums(values: NDArray[Any], owner: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum over all values of the same owner, for each value."""
    totals = np.bincount(owner, values) if len(owner) else np.zeros(0)
    return np.maximum(totals, 1e-12)[owner]


def _or_even(values: NDArray[np.float64], owner: NDArray[np.int64]) -> NDArray[np.float64]:
    return 1 / _sums(np.ones(len(values)), owner) if np.isnan(values).any() else values
