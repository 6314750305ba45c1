"""Variational inference of multilingual LDA: coordinate ascent on documents and words, and the bound it climbs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numba as nb
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from babelspace.kernels.parallel import parallel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Entries:
    """Counts by document and, for the sums over documents, the places of each word's entries."""

    indptr: NDArray[Any]
    words: NDArray[Any]
    counts: Floats
    word_indptr: NDArray[Any]
    documents: NDArray[Any]
    places: NDArray[Any]

    @classmethod
    def of(cls, matrix: Any) -> Entries:
        """Entries of a csr matrix documents x words."""
        numbered = (np.arange(matrix.nnz, dtype=np.int64), matrix.indices, matrix.indptr)
        turned = sp.csc_array(sp.csr_array(numbered, shape=matrix.shape))
        turned.sort_indices()
        return cls(
            matrix.indptr, matrix.indices, matrix.data.astype(np.float64), turned.indptr, turned.indices, turned.data
        )


def expected_log_words(weights: Floats, sizes: NDArray[Any]) -> Floats:
    """E[ln β] (words x K) for Dirichlet parameters λ; each language's words are one distribution for each topic."""
    parts = np.split(weights, np.cumsum(sizes)[:-1])
    return np.vstack([digamma(part) - digamma(part.sum(axis=0)) for part in parts])


def documents_step(
    entries: Entries, words: Floats, alpha: Floats, gamma: Floats, factor: float, steps: int, tol: float
) -> tuple[Floats, Floats, float]:
    """Climb in γ (in place) from where it is; exp E[ln θ], counts / normalisers, and the documents' part of the bound.

    .. math:: \\phi_{dwk} \\propto e^{E[\\ln \\theta_{dk}]} b_{wk}, \\qquad
        \\gamma_{dk} = \\alpha_k + L \\textstyle\\sum_w c_{dw} \\phi_{dwk}

    `words` is b: exp E[ln β] or a fixed β. With `steps` = 0 γ stays. Each document stops when its γ moves by less than
    `tol` on average.
    """
    theta, ratios = np.empty_like(gamma), np.empty_like(entries.counts)
    bounds = np.zeros(len(gamma))
    parts = (entries.indptr, entries.words, entries.counts)
    _documents_step(*parts, np.ascontiguousarray(words), alpha, gamma, factor, steps, tol, theta, ratios, bounds)
    constant = math.lgamma(alpha.sum()) - gammaln(alpha).sum()
    return theta, ratios, float(bounds.sum() + len(gamma) * constant)


def word_statistics(entries: Entries, words: Floats, theta: Floats, ratios: Floats) -> Floats:
    """Σ_d c_dw φ_dwk (words x K)."""
    out = np.zeros(words.shape)
    _word_statistics(entries.word_indptr, entries.documents, entries.places, ratios, theta, out)
    return out * words


def words_bound(weights: Floats, log_words: Floats, sizes: NDArray[Any], eta: Floats) -> float:
    """The words' part of the bound: E[ln p(β)] - E[ln q(β)]."""
    total, borders = 0.0, np.cumsum(sizes)[:-1]
    parts = zip(np.split(weights, borders), np.split(log_words, borders), eta, strict=True)
    for own, logs, prior in parts:
        if len(own) == 0:
            continue
        constant = math.lgamma(len(own) * prior) - len(own) * math.lgamma(prior)
        total += own.shape[1] * constant + ((prior - own) * logs).sum()
        total += gammaln(own).sum() - gammaln(own.sum(axis=0)).sum()
    return float(total)


@nb.njit(cache=True)
def psi(x):
    """The digamma function of a positive number: recurrence up to 10, then its asymptotic series."""
    shift = 0.0
    while x < 10.0:
        shift -= 1.0 / x
        x += 1.0
    inverse = 1.0 / (x * x)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))))
    return shift + math.log(x) - 0.5 / x - series


@parallel()
def _documents_step(indptr, indices, counts, words, alpha, gamma, factor, steps, tol, theta, ratios, bounds):
    for row in nb.prange(gamma.shape[0]):
        first, last = indptr[row], indptr[row + 1]
        own, mine = gamma[row], theta[row]
        fresh = np.empty_like(own)
        for _ in range(steps):
            _expected(own, mine)
            _normalise(indices[first:last], counts[first:last], words, mine, ratios[first:last])
            moved = _gather(indices[first:last], ratios[first:last], words, mine, alpha, factor, own, fresh)
            own[:] = fresh
            if moved < tol * len(own):
                break
        _expected(own, mine)
        bound = _normalise(indices[first:last], counts[first:last], words, mine, ratios[first:last])
        bounds[row] = bound + _divergence(own, alpha)


@nb.njit(cache=True)
def _expected(gamma, theta):
    whole = psi(gamma.sum())
    for topic in range(len(gamma)):
        theta[topic] = math.exp(psi(gamma[topic]) - whole)


@nb.njit(cache=True, fastmath={"reassoc", "contract"})
def _normalise(indices, counts, words, theta, ratios):
    bound = 0.0
    for entry in range(len(indices)):
        total = 0.0
        own = words[indices[entry]]
        for topic in range(len(theta)):
            total += own[topic] * theta[topic]
        total = max(total, 1e-300)
        ratios[entry] = counts[entry] / total
        bound += counts[entry] * math.log(total)
    return bound


@nb.njit(cache=True, fastmath={"reassoc", "contract"})
def _gather(indices, ratios, words, theta, alpha, factor, gamma, fresh):
    fresh[:] = 0.0
    for entry in range(len(indices)):
        own = words[indices[entry]]
        for topic in range(len(theta)):
            fresh[topic] += ratios[entry] * own[topic]
    moved = 0.0
    for topic in range(len(theta)):
        fresh[topic] = alpha[topic] + factor * theta[topic] * fresh[topic]
        moved += abs(fresh[topic] - gamma[topic])
    return moved


@nb.njit(cache=True)
def _divergence(gamma, alpha):
    """E[ln p(θ)] - E[ln q(θ)] without the part that depends on α alone."""
    total = gamma.sum()
    whole, bound = psi(total), -math.lgamma(total)
    for topic in range(len(gamma)):
        bound += math.lgamma(gamma[topic]) + (alpha[topic] - gamma[topic]) * (psi(gamma[topic]) - whole)
    return bound


@parallel()
def _word_statistics(indptr, documents, places, ratios, theta, out):
    for word in nb.prange(out.shape[0]):
        target = out[word]
        for entry in range(indptr[word], indptr[word + 1]):
            ratio, source = ratios[places[entry]], theta[documents[entry]]
            for topic in range(len(target)):
                target[topic] += ratio * source[topic]
