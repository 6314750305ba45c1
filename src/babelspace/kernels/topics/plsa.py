"""EM for mixtures of topics: sparse counts x of documents, their topic weights θ, the topics' words φ.

The posterior q(t | d, w) = θ_dt φ_wt / m_dw with m = θ_d · φ_w is never stored. With the ratios r_dw = x_dw / m_dw both
sums of expected counts are products with a sparse matrix: Σ_w x q = θ ∘ (r φ) and Σ_d x q = φ ∘ (rᵀ θ). Each output row
is summed in one thread, so results do not depend on the number of threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.kernels.parallel import parallel

Dense = NDArray[Any]  # float32; the kernels also run in float64

BLOCKS = 64  # pieces of equal work, so that threads finish together
CHUNK = 1024  # documents that are summed in single precision before they go into a double
REASSOCIATE = {"reassoc", "contract", "arcp", "nsz"}  # what SIMD needs; NaN and infinity stay what they are


class CountEntries(NamedTuple):
    """A sparse matrix by rows and by columns; `order` says where a column's entries stand among those of the rows."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]
    row_blocks: NDArray[Any]
    column_indptr: NDArray[Any]
    rows: NDArray[Any]
    order: NDArray[Any]
    column_blocks: NDArray[Any]


# Kernels that an older version compiled are unpickled under this name before numba finds them stale.
Counts = CountEntries


def by_rows_and_columns(matrix: Any) -> CountEntries:
    """The layout that the steps need; 12 more bytes for each entry of a csr matrix."""
    numbered = sp.csr_array((np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape).tocsc()
    rows = (matrix.indptr, matrix.indices, matrix.data, _equal_work(matrix.indptr))
    return CountEntries(*rows, numbered.indptr, numbered.indices, numbered.data, _equal_work(numbered.indptr))


def _equal_work(indptr: NDArray[Any]) -> NDArray[np.int64]:
    """Bounds of at most BLOCKS runs of rows with about the same number of entries."""
    shares = np.linspace(0, int(indptr[-1]), BLOCKS + 1)[1:-1]
    inner = np.minimum(np.searchsorted(indptr, shares), len(indptr) - 1)
    return np.unique(np.concatenate([[0], inner, [len(indptr) - 1]])).astype(np.int64)


def document_step(
    counts: CountEntries, weights: Dense, words: Dense, prior: float, out: Dense, ratios: Dense
) -> NDArray[np.float64]:
    """New topic weights into `out`, proportional to expected counts + prior; the ratios; each row's log likelihood."""
    likelihood = np.zeros(len(weights), np.float64)
    _document_step(*counts[:4], weights, words, weights.dtype.type(prior), out, ratios, likelihood)
    return likelihood


def word_step(
    counts: CountEntries, ratios: Dense, weights: Dense, words: Dense, prior: float, out: Dense
) -> NDArray[np.float64]:
    """New word probabilities (columns x topics) into `out`; returns each topic's share of the expected counts.

    A column without counts gets no probability: it has nothing to say about topics, and the prior alone would only
    tell which of them are small.
    """
    _word_step(*counts[4:], ratios, weights, words, weights.dtype.type(prior), out)
    sums = out.sum(axis=0, dtype=np.float64)
    out /= np.where(sums > 0, sums, 1).astype(out.dtype)
    sizes = np.maximum(sums - prior * np.count_nonzero(np.diff(counts.column_indptr)), 0)
    return sizes / max(float(sizes.sum()), 1e-300)


def log_prior(values: Dense, prior: float) -> float:
    """prior · Σ log of the positive values."""
    if prior == 0:
        return 0.0
    rows = np.zeros(len(values), np.float64)
    _log_sums(values, rows)
    return prior * float(rows.sum())


def topic_shares(words: Dense) -> Dense:
    """Each row divided by its sum: the posterior of the topics under equal weights; zero rows stay zero."""
    sums = words.sum(axis=1, dtype=np.float64, keepdims=True)
    return (words / np.where(sums > 0, sums, 1)).astype(np.float32)


@nb.njit(cache=True)
def _ratio(count, mixture):
    """A column that training never saw has no probability in any topic: it says nothing."""
    return count / mixture if mixture > 0 else count * 0


@nb.njit(cache=True)
def _log_chance(count, mixture):
    return count * np.log(mixture) if count > 0 and mixture > 0 else 0.0


@nb.njit(cache=True, fastmath=REASSOCIATE)
def mix_document(start, stop, indices, data, weights, words, ratios, sums):
    """Ratios of one document's entries, `sums` = Σ_w r φ_w, and the log likelihood.

    Four words at a time: weights and sums are then read once for four rows of `words`.
    """
    zero = weights.dtype.type(0)
    likelihood = 0.0
    sums[:] = zero
    last = stop - 1
    for p in range(start, stop, 4):
        p1, p2, p3 = min(p + 1, last), min(p + 2, last), min(p + 3, last)
        w0, w1, w2, w3 = words[indices[p]], words[indices[p1]], words[indices[p2]], words[indices[p3]]
        m0, m1, m2, m3 = zero, zero, zero, zero
        for t in range(len(weights)):
            weight = weights[t]
            m0 += weight * w0[t]
            m1 += weight * w1[t]
            m2 += weight * w2[t]
            m3 += weight * w3[t]
        c0 = data[p]
        c1 = data[p1] if p + 1 < stop else zero
        c2 = data[p2] if p + 2 < stop else zero
        c3 = data[p3] if p + 3 < stop else zero
        r0, r1, r2, r3 = _ratio(c0, m0), _ratio(c1, m1), _ratio(c2, m2), _ratio(c3, m3)
        likelihood += _log_chance(c0, m0) + _log_chance(c1, m1) + _log_chance(c2, m2) + _log_chance(c3, m3)
        for t in range(len(sums)):
            sums[t] += r0 * w0[t] + r1 * w1[t] + r2 * w2[t] + r3 * w3[t]
        # Backwards: entries beyond the last one stand for it, and its own value must be written after theirs.
        ratios[p3], ratios[p2], ratios[p1], ratios[p] = r3, r2, r1, r0
    return likelihood


@nb.njit(cache=True, fastmath=REASSOCIATE)
def normalised_sum(expected, prior, out):
    """out = (expected + prior) / its sum; equal weights if that is zero."""
    total = 0.0
    for t in range(len(out)):
        total += expected[t] + prior
    for t in range(len(out)):
        out[t] = (expected[t] + prior) / total if total > 0 else 1 / len(out)


@parallel(fastmath=REASSOCIATE)
def _document_step(indptr, indices, data, blocks, weights, words, prior, out, ratios, likelihood):
    for block in nb.prange(len(blocks) - 1):
        for row in range(blocks[block], blocks[block + 1]):
            here, target = weights[row], out[row]
            likelihood[row] = mix_document(indptr[row], indptr[row + 1], indices, data, here, words, ratios, target)
            for t in range(len(target)):
                target[t] *= here[t]
            normalised_sum(target, prior, target)


@parallel(fastmath=REASSOCIATE)
def _word_step(indptr, rows, order, blocks, ratios, weights, words, prior, out):
    topics = out.shape[1]
    for block in nb.prange(len(blocks) - 1):
        part = np.empty(topics, out.dtype)
        total = np.empty(topics, np.float64)
        for word in range(blocks[block], blocks[block + 1]):
            start, stop = indptr[word], indptr[word + 1]
            total[:] = 0.0
            for first in range(start, stop, CHUNK):
                _weighted_rows(first, min(first + CHUNK, stop), rows, order, ratios, weights, part)
                for t in range(topics):
                    total[t] += part[t]
            for t in range(topics):
                out[word, t] = words[word, t] * total[t] + prior if stop > start else 0


@nb.njit(cache=True, fastmath=REASSOCIATE)
def _weighted_rows(start, stop, rows, order, ratios, weights, out):
    """Σ r θ_d over a column's entries, four at a time."""
    zero = out.dtype.type(0)
    out[:] = zero
    last = stop - 1
    for p in range(start, stop, 4):
        p1, p2, p3 = min(p + 1, last), min(p + 2, last), min(p + 3, last)
        d0, d1, d2, d3 = weights[rows[p]], weights[rows[p1]], weights[rows[p2]], weights[rows[p3]]
        r0 = ratios[order[p]]
        r1 = ratios[order[p1]] if p + 1 < stop else zero
        r2 = ratios[order[p2]] if p + 2 < stop else zero
        r3 = ratios[order[p3]] if p + 3 < stop else zero
        for t in range(len(out)):
            out[t] += r0 * d0[t] + r1 * d1[t] + r2 * d2[t] + r3 * d3[t]


@parallel(fastmath=REASSOCIATE)
def _log_sums(values, out):
    for row in nb.prange(len(out)):
        total = 0.0
        for t in range(values.shape[1]):
            if values[row, t] > 0:
                total += np.log(values[row, t])
        out[row] = total
