"""From expected counts to the tables of word alignment models."""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.alignment.ibm import diagonal
from babelspace.kernels.alignment.word_pairs import WordPairs, even_blocks
from babelspace.kernels.threaded_blocks import on_threads

# Below this exp(digamma(x)) < exp(-1 / x) is less than 1e-40.
VANISHING = 0.01


def translation_tables(
    counts: NDArray[np.float64], pairs: WordPairs, words: tuple[int, int], prior: float, sparse: bool
) -> NDArray[np.float32]:
    """t(f | e) and t(e | f) by pair under a Dirichlet prior; two more rows are left to fill (see `Lexicon`).

    Posterior means (c + prior) / (Σc + prior · words), or with `sparse` the variational exp ψ(c + prior) /
    exp ψ(Σc + prior · words), which takes from small counts. `words` are the sizes of the source and target vocabulary.
    """
    by_target = np.bincount(pairs.partners, counts[:, 1], words[1]) + prior * words[0]
    tables, blocks = np.empty((len(counts) + 2, 2), np.float32), even_blocks(pairs.starts)
    on_threads(_normalise, len(blocks) - 1, counts, pairs, by_target, words[1], prior, sparse, blocks, tables)
    return tables


def mean_closeness(lengths: NDArray[np.int64], occurrences: NDArray[np.int64], tension: float) -> tuple[float, float]:
    """What a diagonal of this tension expects: the sum of -|i/I - j/J| over all words, and its derivative.

    `lengths` are rows (words, sources) of sentence shapes, each with its number of occurrences.
    """
    first, second = _closeness(lengths, occurrences, tension)
    return float(first), float(second)


@nb.njit(cache=True)
def exp_digamma(value):
    """exp(ψ(x)) for x > 0, to about 1e-6 of itself: the recurrence up to 4, then an asymptotic series."""
    if value < VANISHING:
        return 0.0
    shift = 0.0
    while value < 4.0:
        shift += 1.0 / value
        value += 1.0
    half = value - 0.5
    return (half + 1.0 / (24.0 * half) - 37.0 / (5760.0 * half**3)) * np.exp(-shift)


@nb.njit(nogil=True, cache=True)
def _normalise(block, counts, pairs, by_target, target_words, prior, sparse, blocks, tables):
    for word in range(blocks[block], blocks[block + 1]):
        total = prior * target_words
        for pair in range(pairs.starts[word], pairs.starts[word + 1]):
            total += counts[pair, 0]
        total = exp_digamma(total) if sparse else total
        for pair in range(pairs.starts[word], pairs.starts[word + 1]):
            other = by_target[pairs.partners[pair]]
            first, second = counts[pair, 0] + prior, counts[pair, 1] + prior
            if sparse:
                first, second, other = exp_digamma(first), exp_digamma(second), exp_digamma(other)
            tables[pair, 0] = first / total
            tables[pair, 1] = second / other


@nb.njit(cache=True)
def _closeness(lengths, occurrences, tension):
    first, second = 0.0, 0.0
    weights = np.empty(max(1, lengths[:, 1].max()), np.float32)
    for shape in range(len(lengths)):
        words, sources = lengths[shape]
        for j in range(words):
            total = diagonal(weights, j, words, sources, tension)
            mean, square = 0.0, 0.0
            for i in range(sources):
                distance = abs((i + 0.5) / sources - (j + 0.5) / words)
                mean += weights[i] / total * distance
                square += weights[i] / total * distance * distance
            first -= occurrences[shape] * mean
            second += occurrences[shape] * (square - mean * mean)
    return first, second
