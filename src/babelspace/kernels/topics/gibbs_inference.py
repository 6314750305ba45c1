"""Topics of new documents, the words' distributions fixed: Gibbs sampling of each document on its own."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.parallel import parallel
from babelspace.kernels.topics.gibbs_random import advance, fraction

Array = NDArray[Any]


def infer(counts: Any, phi: Array, alpha: Array, seeds: Array, sweeps: int, samples: int) -> Array:
    """θ of each row of a csr matrix of counts: the mean of the last `samples` of `sweeps` sweeps of its tokens.

    .. math:: p(z = k) \\propto (\\alpha_k + n_{dk})\\, \\phi_{wk}, \\qquad
        \\theta_k = (\\alpha_k + n_{dk}) / \\textstyle\\sum_j (\\alpha_j + n_{dj})

    `phi` is words x K, `seeds` one for each row. A row without a word gets zeros.
    """
    theta = np.zeros((counts.shape[0], phi.shape[1]), np.float32)
    smooth = phi @ alpha.astype(np.float32)
    frequency = counts.data.astype(np.int64)
    _infer(
        counts.indptr, counts.indices, frequency, phi, smooth, alpha.astype(np.float32), seeds, sweeps, samples, theta
    )
    return theta


@parallel()
def _infer(indptr, indices, frequency, phi, smooth, alpha, seeds, sweeps, samples, theta):
    for row in nb.prange(len(theta)):
        first, last = indptr[row], indptr[row + 1]
        if last > first:
            words = np.repeat(indices[first:last], frequency[first:last])
            _document(words, phi, smooth, alpha, seeds[row], sweeps, samples, theta[row])


@nb.njit(cache=True)
def _document(words, phi, smooth, alpha, random, sweeps, samples, theta):
    size = phi.shape[1]
    counts = np.zeros(size, np.int64)
    active = np.empty(size, np.int64)  # the topics that have tokens
    products = np.empty(size, np.float32)
    topics = np.full(len(words), -1, np.int64)
    total = np.zeros(size, np.int64)
    found = 0
    for sweep in range(sweeps + 1):  # the first pass gives every token its first topic
        for token in range(len(words)):
            if topics[token] >= 0:
                found = _take(topics[token], counts, active, found)
            random = advance(random)
            topic = _draw(
                fraction(random), phi[words[token]], smooth[words[token]], alpha, counts, active, found, products
            )
            if counts[topic] == 0:
                active[found] = topic
                found += 1
            counts[topic] += 1
            topics[token] = topic
        if sweep > sweeps - samples:
            total += counts
    scale = np.float64(alpha.sum()) + len(words)
    for topic in range(size):
        theta[topic] = (alpha[topic] + total[topic] / samples) / scale


@nb.njit(cache=True)
def _take(topic, counts, active, found):
    counts[topic] -= 1
    if counts[topic]:
        return found
    place = 0
    while active[place] != topic:
        place += 1
    active[place] = active[found - 1]
    return found - 1


@nb.njit(cache=True)
def _draw(chance, phi, smooth, alpha, counts, active, found, products):
    inside = np.float32(0.0)
    for place in range(found):
        products[place] = counts[active[place]] * phi[active[place]]
        inside += products[place]
    left = np.float32(chance * (inside + smooth))
    if left < inside:
        for place in range(found - 1):
            left -= products[place]
            if left < 0:
                return active[place]
        return active[found - 1]
    left -= inside
    for topic in range(len(phi) - 1):
        left -= alpha[topic] * phi[topic]
        if left < 0:
            return topic
    return len(phi) - 1
