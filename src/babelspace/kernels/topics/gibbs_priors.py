"""Hyper-parameters of Dirichlet-multinomial counts by Minka's fixed point, which never lowers their likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

Array = NDArray[Any]
SMALLEST = 1e-6


def document_prior(counts: Any, lengths: Array, alpha: Array, steps: int = 5) -> Array:
    """α, one for each topic, from the (topic, count) pairs of all documents.

    .. math:: \\alpha_k \\leftarrow \\alpha_k \\frac{\\sum_d \\psi(\\alpha_k + n_{dk}) - \\psi(\\alpha_k)}
        {\\sum_d \\psi(\\alpha_\\cdot + n_{d\\cdot}) - \\psi(\\alpha_\\cdot)}
    """
    topics, numbers = counts
    pairs, times = np.unique(np.stack([topics, numbers]).astype(np.int64), axis=1, return_counts=True)
    sizes, often = np.unique(lengths[lengths > 0], return_counts=True)
    alpha = alpha.astype(np.float64)
    for _ in range(steps):
        own = alpha[pairs[0]]
        gains = np.bincount(pairs[0], (digamma(own + pairs[1]) - digamma(own)) * times, minlength=len(alpha))
        total = alpha.sum()
        alpha = np.maximum(alpha * gains / (often * (digamma(total + sizes) - digamma(total))).sum(), SMALLEST)
    return alpha


def expected_document_prior(counts: Array, never: Array, alpha: Array, steps: int = 5) -> Array:
    """The same fixed point for expected counts (documents x topics), each of which is zero with a chance of `never`."""
    told = counts.sum(axis=1) > 0
    counts, never = counts[told], never[told]
    lengths = counts.sum(axis=1)
    alpha = alpha.astype(np.float64)
    for _ in range(steps):
        gains = _expected_gain(counts, never, alpha).sum(axis=0)
        total = alpha.sum()
        alpha = np.maximum(alpha * gains / (digamma(total + lengths) - digamma(total)).sum(), SMALLEST)
    return alpha


def _expected_gain(counts: Array, never: Array, prior: Any) -> Array:
    """E[ψ(a + n) - ψ(a)]: that of the mean of a count above zero, times the chance of one (Teh et al. 2007).

    An expected count is never quite zero: with it in place of n priors grow without bound where shares are soft.
    """
    some = np.maximum(1 - never.astype(np.float64), 1e-12)
    gain: Array = some * (digamma(prior + counts / some) - digamma(prior))
    return gain


def word_prior(words: Array, totals: Array, eta: float, steps: int = 5) -> float:
    """η of one language from its words x K counts and their sums over words; the same for all its words."""
    numbers, times = np.unique(words[words > 0], return_counts=True)
    size = len(words)
    for _ in range(steps):
        gains = ((digamma(eta + numbers) - digamma(eta)) * times).sum()
        eta *= gains / (size * (digamma(size * eta + totals) - digamma(size * eta)).sum())
        eta = max(eta, SMALLEST)
    return float(eta)


def expected_word_prior(words: Array, never: Array, eta: float, steps: int = 5) -> float:
    """The same for expected counts, each of which is zero with a chance of `never`."""
    totals, size = words.sum(axis=0), len(words)
    for _ in range(steps):
        gains = _expected_gain(words, never, eta).sum()
        eta *= gains / (size * (digamma(size * eta + totals) - digamma(size * eta)).sum())
        eta = max(eta, SMALLEST)
    return float(eta)
