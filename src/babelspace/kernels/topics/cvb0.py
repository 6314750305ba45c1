"""Collapsed variational inference of order zero (CVB0): Gibbs sampling with expected instead of drawn topics."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.parallel import ParallelKernel, parallel
from babelspace.kernels.topics.gibbs_random import fraction, stream
from babelspace.kernels.topics.variational import Entries

Floats = NDArray[np.float64]
Dense = NDArray[Any]  # float32


def random_shares(entries: int, n_topics: int, seed: int) -> Dense:
    """A distribution over topics for each entry, near the even one."""
    shares = np.empty((entries, n_topics), np.float32)
    _random_shares(shares, np.uint64(seed))
    return shares


def count_shares(entries: Entries, shares: Dense, words: int) -> Floats:
    """Expected tokens of each word in each topic."""
    out = np.zeros((words, shares.shape[1]))
    _count_shares(entries.word_indptr, entries.places, entries.counts, shares, out)
    return out


def collapsed_step(
    entries: Entries, shares: Dense, words: Floats, totals: Floats, languages: NDArray[Any], alpha: Floats,
    eta: Floats, smoothing: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Update every entry's shares (in place); the mean log probability of a token, and how much shares moved.

    .. math:: \\gamma_{dwk} \\propto (\\alpha_k + n_{dk} - \\gamma_{dwk})
        \\frac{\\eta + m_{kw} - \\gamma_{dwk}}{V\\eta + m_{k\\cdot} - \\gamma_{dwk}}

    n follows every update, m is that of the last step, so documents can be worked on at once.
    """
    return _stepped(_collapsed_step, entries, shares, words, totals, languages, (alpha, eta, smoothing))


def fixed_step(
    entries: Entries, shares: Dense, words: Floats, totals: Floats, theta: Dense, eta: float, smoothing: float
) -> tuple[float, float]:
    """The same of one language where the documents' topics θ stay as they are: γ ∝ θ (η + m - γ) / (Vη + m - γ)."""
    return _stepped(_fixed_step, entries, shares, words, totals, theta.astype(np.float64), (eta, smoothing))


def _stepped(kernel: ParallelKernel, entries: Entries, *settings: Any) -> tuple[float, float]:
    """A step over all documents, and what it tells of a token."""
    logs, moved = np.zeros((2, len(entries.indptr) - 1))
    kernel((entries.indptr, entries.words, entries.counts), *settings, logs, moved)
    tokens = max(entries.counts.sum(), 1.0)
    return float(logs.sum() / tokens), float(moved.sum() / tokens)


def document_counts(entries: Entries, shares: Dense) -> Floats:
    """Expected tokens of each document in each topic."""
    out = np.zeros((len(entries.indptr) - 1, shares.shape[1]))
    _document_counts(entries.indptr, entries.counts, shares, out)
    return out


def fold_in(counts: Any, words: Dense, alpha: Floats, steps: int) -> Dense:
    """θ of new documents, β fixed; a row without a word gets zeros."""
    theta = np.zeros((counts.shape[0], words.shape[1]), np.float32)
    _fold_in(counts.indptr, counts.indices, counts.data.astype(np.float64), words, alpha, steps, theta)
    return theta


@parallel()
def _random_shares(shares, seed):
    for entry in nb.prange(shares.shape[0]):
        for topic in range(shares.shape[1]):
            shares[entry, topic] = 0.5 + fraction(stream(seed, np.uint64(entry), np.uint64(topic)))
        shares[entry] /= shares[entry].sum()


@parallel()
def _count_shares(indptr, places, counts, shares, out):
    for word in nb.prange(out.shape[0]):
        target = out[word]
        for entry in range(indptr[word], indptr[word + 1]):
            place = places[entry]
            for topic in range(len(target)):
                target[topic] += counts[place] * shares[place, topic]


@parallel()
def _collapsed_step(entries, shares, words, totals, languages, prior, logs, moved):
    indptr, indices, counts = entries
    alpha, eta, smoothing = prior
    for row in nb.prange(len(indptr) - 1):
        first, last = indptr[row], indptr[row + 1]
        own = alpha.copy()
        for entry in range(first, last):
            own += counts[entry] * shares[entry]
        length = np.log(max(own.sum() - 1.0, 1e-300))
        fresh = np.empty(len(own))
        for entry in range(first, last):
            word = indices[entry]
            language = languages[word]
            own_prior = (eta[language], smoothing[language])
            total = _weigh(own, shares[entry], words[word], totals[language], own_prior, fresh)
            logs[row] += counts[entry] * (np.log(total) - length)
            for topic in range(len(own)):
                change = fresh[topic] / total - shares[entry, topic]
                own[topic] += counts[entry] * change
                moved[row] += counts[entry] * abs(change)
                shares[entry, topic] += change


@parallel()
def _fixed_step(entries, shares, words, totals, theta, prior, logs, moved):
    indptr, indices, counts = entries
    for row in nb.prange(len(indptr) - 1):
        fresh = np.empty(theta.shape[1])
        for entry in range(indptr[row], indptr[row + 1]):
            total = 0.0
            for topic in range(len(fresh)):
                share = np.float64(shares[entry, topic])
                weight = max(theta[row, topic], 1e-12) * max(words[indices[entry], topic] - share + prior[0], 1e-12)
                fresh[topic] = weight / (totals[topic] - share + prior[1])
                total += fresh[topic]
            logs[row] += counts[entry] * np.log(total)
            for topic in range(len(fresh)):
                change = fresh[topic] / total - shares[entry, topic]
                moved[row] += counts[entry] * abs(change)
                shares[entry, topic] += change


@parallel()
def _document_counts(indptr, counts, shares, out):
    for row in nb.prange(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            for topic in range(out.shape[1]):
                out[row, topic] += counts[entry] * shares[entry, topic]


@nb.njit(cache=True, fastmath={"reassoc", "contract"})
def _weigh(own, shares, words, totals, prior, fresh):
    eta, smoothing = prior
    total = 0.0
    for topic in range(len(own)):
        share = np.float64(shares[topic])
        weight = max(own[topic] - share, 1e-12) * max(words[topic] - share + eta, 1e-12)
        fresh[topic] = weight / (totals[topic] - share + smoothing)
        total += fresh[topic]
    return total


@parallel()
def _fold_in(indptr, indices, counts, words, alpha, steps, theta):
    size = len(alpha)
    for row in nb.prange(theta.shape[0]):
        first, last = indptr[row], indptr[row + 1]
        if last == first:
            continue
        shares = np.full((last - first, size), 1.0 / size)
        own = alpha + counts[first:last].sum() / size
        fresh = np.empty(size)
        for _ in range(steps):
            for entry in range(last - first):
                number, beta = counts[first + entry], words[indices[first + entry]]
                for topic in range(size):
                    fresh[topic] = max(own[topic] - shares[entry, topic], 1e-12) * beta[topic]
                fresh /= fresh.sum()
                own += number * (fresh - shares[entry])
                shares[entry] = fresh
        theta[row] = own / own.sum()
