"""Lexical weights of phrase pairs: for each word the mean probability of the words that it is linked to, or of NULL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.alignment.phrases import BITS
from babelspace.terms.lexicon import NULL_WORD, Lexicon
from babelspace.terms.phrase_numbers import NumberedWords, Numbers

Floats = NDArray[np.float64]
# The probability of words that were never linked.
UNSEEN = 1e-7


class LexicalWeights:
    """The probabilities of a lexicon for numbered words, NULL being 0 (Koehn, Och & Marcu 2003)."""

    def __init__(self, lexicon: Lexicon, source: NumberedWords, target: NumberedWords) -> None:
        self.width = len(target.words) + 1
        left, right = (
            np.fromiter(map({NULL_WORD: 0, **side.number}.__getitem__, words), np.int64, len(words))
            for side, words in ((source, lexicon.source), (target, lexicon.target))
        )
        keys = left * self.width + right
        order = np.argsort(keys)
        self.keys, self.forward, self.reverse = keys[order], lexicon.forward[order], lexicon.reverse[order]

    def both(self, source: Numbers, target: Numbers, links: Numbers, longest: int) -> tuple[Floats, Floats]:
        """Of the target given the source, and of the source given the target.

        Phrases are rows of words filled up with 0, `links` those inside each pair as bits.
        """
        counts = [np.zeros(source.shape) for _ in range(2)]
        sums = [np.zeros(source.shape) for _ in range(2)]
        for place in range(longest * longest):
            linked = np.flatnonzero(links[:, place // BITS] >> (place % BITS) & 1)
            i, j = divmod(place, longest)
            keys = source[linked, i] * self.width + target[linked, j]
            for side, (table, word) in enumerate(((self.forward, j), (self.reverse, i))):
                counts[side][linked, word] += 1
                sums[side][linked, word] += self._values(table, keys)
        null = self._values(self.forward, target), self._values(self.reverse, source * self.width)
        means = [np.where(counts[side] > 0, sums[side] / np.maximum(counts[side], 1), null[side]) for side in (0, 1)]
        return _products(means[0], target), _products(means[1], source)

    def _values(self, table: Floats, keys: Numbers) -> Floats:
        if not len(table):
            return np.full(keys.shape, UNSEEN)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, table[places], UNSEEN)


def _products(means: Floats, words: Numbers) -> Floats:
    """The product over the words of each phrase."""
    found: Floats = np.where(words > 0, means, 1.0).prod(axis=1)
    return found
