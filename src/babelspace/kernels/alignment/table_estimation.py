"""From expected counts to the tables of word alignment models."""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.alignment.ibm import diagonal
from babelspace.kernels.alignment.word_pairs import WordPairs, even_blocks
from babelspace.kernels.threaded_blocks import on_threads

# Below this exp(digamma(x)) < exp(-1 / x) is less than 1e-40.
VANISHING = 0.01


class Stems(NamedTuple):
    """Words that begin alike: source words `order[starts[s]:starts[s + 1]]` have stem s, target word f `target[f]`.

    `source_shares` and `target_shares` say how much of its stem's occurrences each word has; `cognates[s]` is the
    target stem that is spelled as source stem s is, or -1.
    """

    order: NDArray[np.int32]
    starts: NDArray[np.int64]
    target: NDArray[np.int32]
    source_shares: NDArray[np.float64]
    target_shares: NDArray[np.float64]
    cognates: NDArray[np.int32]


def translation_tables(
    counts: NDArray[np.float64],
    pairs: WordPairs,
    words: tuple[int, int],
    prior: float,
    sparse: bool,
    stems: Stems,
    backoff: float,
) -> NDArray[np.float32]:
    """t(f | e) and t(e | f) by pair under a Dirichlet prior; two more rows are left to fill (see `LexiconTables`).

    A pair has `prior` pseudo-counts and its part of the `backoff` that each word e has. That is shared out as the links
    c of its stem S are, cognates counting as linked once more, and among the words of the other stem by occurrences n:
    backoff · (c(S(e), S(f)) + prior) / Σ(c(S(e), ·) + prior) · n(f) / n(S(f)). The tables are posterior means, or with
    `sparse` the variational exp ψ(counts) / exp ψ(their sum), which take from small counts. `words` are the sizes of
    the source and target vocabulary.
    """
    links = np.bincount(pairs.partners, counts[:, 1], words[1])
    by_stem = np.bincount(stems.target, links) + prior * (len(stems.starts) - 1)
    by_stem[stems.cognates[stems.cognates >= 0]] += 1
    by_target = links + (prior * words[0] + backoff)
    weights = np.concatenate([[0], np.cumsum(np.diff(pairs.starts)[stems.order])])[stems.starts]
    tables, blocks = np.empty((len(counts) + 2, 2), np.float32), even_blocks(weights)
    settings = (stems, by_target, by_stem, prior, sparse, backoff)
    on_threads(_normalise, len(blocks) - 1, counts, pairs, *settings, blocks, tables)
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
def _normalise(block, counts, pairs, stems, by_target, by_stem, prior, sparse, backoff, blocks, tables):
    # Links of one source stem with each target stem.
    linked = np.zeros((len(by_stem), 2))
    for stem in range(blocks[block], blocks[block + 1]):
        members = stems.order[stems.starts[stem] : stems.starts[stem + 1]]
        of_stem = prior * len(by_stem)
        for word in members:
            for pair in range(pairs.starts[word], pairs.starts[word + 1]):
                other = stems.target[pairs.partners[pair]]
                linked[other, 0] += counts[pair, 0]
                linked[other, 1] += counts[pair, 1]
                of_stem += counts[pair, 0]
        cognate = stems.cognates[stem]
        if cognate >= 0:
            linked[cognate, 0] += 1
            linked[cognate, 1] += 1
            of_stem += 1
        for word in members:
            _normalise_word(
                word, counts, pairs, stems, by_target, by_stem, of_stem, prior, sparse, backoff, linked, tables
            )
        for word in members:
            for pair in range(pairs.starts[word], pairs.starts[word + 1]):
                linked[stems.target[pairs.partners[pair]]] = 0
        if cognate >= 0:
            linked[cognate] = 0


@nb.njit(cache=True)
def _normalise_word(word, counts, pairs, stems, by_target, by_stem, of_stem, prior, sparse, backoff, linked, tables):
    """The tables of the pairs of one source word; `linked` and `of_stem` are the links of its stem."""
    first, last = pairs.starts[word], pairs.starts[word + 1]
    total = prior * len(by_target) + backoff + counts[first:last, 0].sum()
    total = exp_digamma(total) if sparse else total
    for pair in range(first, last):
        partner = pairs.partners[pair]
        stem, other = stems.target[partner], by_target[partner]
        forward = backoff * (linked[stem, 0] + prior) / of_stem * stems.target_shares[partner]
        reverse = backoff * (linked[stem, 1] + prior) / by_stem[stem] * stems.source_shares[word]
        forward, reverse = forward + counts[pair, 0] + prior, reverse + counts[pair, 1] + prior
        if sparse:
            forward, reverse, other = exp_digamma(forward), exp_digamma(reverse), exp_digamma(other)
        tables[pair, 0] = forward / total
        tables[pair, 1] = reverse / other


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
