"""Coordinate ascent and natural-gradient steps of variational multilingual LDA."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from babelspace.kernels.variational import (
    Entries,
    documents_step,
    expected_log_words,
    word_statistics,
    words_bound,
)
from babelspace.kernels.variational_priors import asymmetric, symmetric
from babelspace.runtime import progress

Floats = NDArray[np.float64]


@dataclass
class Prior:
    """α of each topic, η of each language."""

    alpha: Floats
    eta: Floats


class Ascent:
    """λ and γ under way, for languages side by side in one matrix of counts (`sizes`: the words of each).

    `factor` is L in γ = α + L Σ c φ; with `gamma` given, γ stays and only λ is learned.
    """

    def __init__(
        self,
        matrix: Any,
        sizes: NDArray[Any],
        prior: Prior,
        seeds: NDArray[Any],
        document_steps: int,
        factor: float = 1.0,
        gamma: Floats | None = None,
    ) -> None:
        self.sizes, self.prior, self.factor = sizes, prior, factor
        self.entries = Entries.of(matrix)
        self.weights = seeded(matrix, seeds, np.repeat(prior.eta, sizes))
        self.document_steps = document_steps if gamma is None else 0
        lengths = np.asarray(matrix.sum(axis=1), np.float64).reshape(-1, 1)
        self.gamma = prior.alpha + factor * lengths / len(prior.alpha) if gamma is None else gamma

    def step(self, optimize: bool = False) -> float:
        """Documents, then words; the bound between the two, for each token."""
        logs = expected_log_words(self.weights, self.sizes)
        words = np.exp(logs)
        theta, ratios, bound = documents_step(
            self.entries, words, self.prior.alpha, self.gamma, self.factor, self.document_steps, 1e-3
        )
        bound += words_bound(self.weights, logs, self.sizes, self.prior.eta)
        statistics = word_statistics(self.entries, words, theta, ratios)
        self.weights = np.repeat(self.prior.eta, self.sizes)[:, None] + statistics
        if optimize:
            self._optimize()
        return bound / max(float(self.entries.counts.sum()), 1.0)

    def _optimize(self) -> None:
        if self.document_steps:
            logs = digamma(self.gamma) - digamma(self.gamma.sum(axis=1, keepdims=True))
            self.prior.alpha = asymmetric(logs.mean(axis=0), self.prior.alpha)
        parts = np.split(expected_log_words(self.weights, self.sizes), np.cumsum(self.sizes)[:-1])
        self.prior.eta = np.array(
            [symmetric(float(p.mean()), len(p), e) if len(p) else e for p, e in zip(parts, self.prior.eta, strict=True)]
        )

    def run(self, steps: int, tol: float, optimize_every: int, title: str) -> Floats:
        """Steps until the bound hardly rises; its values."""
        trace: list[float] = []
        for number in progress.track(range(1, steps + 1), title, steps):
            trace.append(self.step(optimize_every > 0 and number % optimize_every == 0))
            if number > 1 and abs(trace[-1] - trace[-2]) < tol * abs(trace[-2]):
                break
        return np.array(trace)


def seeded(matrix: Any, seeds: NDArray[Any], eta: Floats) -> Floats:
    """λ (words x K): η plus the counts of one seed document for each topic."""
    return eta[:, None] + matrix[seeds].toarray().T.astype(np.float64)


def drawn_seeds(matrices: list[Any], number: int, rng: np.random.Generator) -> NDArray[Any]:
    """Random rows, those with the most languages first: a topic must start in every language to become one topic."""
    has = np.sum([np.diff(matrix.indptr) > 0 for matrix in matrices], axis=0)
    order = rng.permutation(len(has))
    return np.resize(order[np.argsort(-has[order], kind="stable")], number)


@dataclass(frozen=True)
class Schedule:
    """Weight of batch t: (delay + t) ** -forgetting."""

    passes: int
    delay: float
    forgetting: float
    document_steps: int


def natural_gradient(
    batches: Callable[[], Iterable[Any]], rows: int, sizes: NDArray[Any], prior: Prior, weights: Floats, plan: Schedule
) -> tuple[Floats, Floats]:
    """λ after passes over batches of documents, and the estimate of the bound per token at each batch.

    .. math:: \\lambda \\leftarrow (1 - \\rho_t) \\lambda + \\rho_t \\bigl(\\eta + \\tfrac{D}{|B|}
        \\textstyle\\sum_{d \\in B} c_{dw} \\phi_{dwk}\\bigr), \\qquad \\rho_t = (\\tau + t)^{-\\kappa}
    """
    trace: list[float] = []
    smoothing = np.repeat(prior.eta, sizes)[:, None]
    for _ in progress.track(range(plan.passes), "stochastic variational inference", plan.passes):
        for matrix in batches():
            if matrix.nnz == 0:
                continue
            entries = Entries.of(matrix)
            logs = expected_log_words(weights, sizes)
            words, scale = np.exp(logs), rows / matrix.shape[0]
            lengths = np.asarray(matrix.sum(axis=1), np.float64).reshape(-1, 1)
            gamma = prior.alpha + lengths / len(prior.alpha)
            theta, ratios, bound = documents_step(entries, words, prior.alpha, gamma, 1.0, plan.document_steps, 1e-3)
            whole = scale * bound + words_bound(weights, logs, sizes, prior.eta)
            trace.append(whole / (scale * entries.counts.sum()))
            rate = (plan.delay + len(trace)) ** -plan.forgetting
            fresh = smoothing + scale * word_statistics(entries, words, theta, ratios)
            weights = (1 - rate) * weights + rate * fresh
    return weights, np.array(trace)
