"""Coordinate ascent and natural-gradient steps of variational multilingual LDA."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from babelspace.kernels.topics.variational import (
    Entries,
    documents_step,
    expected_log_words,
    word_statistics,
    words_bound,
)
from babelspace.kernels.topics.variational_priors import asymmetric, symmetric
from babelspace.runtime import progress
from babelspace.spaces.topics.checkpoint import Arrays, TrainingCheckpoint, fingerprint

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
        settings = (document_steps, factor, gamma is None)
        data = (matrix.indptr, matrix.indices, matrix.data, sizes, seeds, prior.alpha, prior.eta)
        self.fingerprint = fingerprint(*data, settings, gamma)
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
        # In the order of a checkpoint: sums over another one are rounded differently.
        self.weights = np.ascontiguousarray(np.repeat(self.prior.eta, self.sizes)[:, None] + statistics)
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

    def run(self, steps: int, tol: float, optimize_every: int, checkpoint: TrainingCheckpoint, title: str) -> Floats:
        """Steps until the bound hardly rises, first from the checkpoint if there is one; the bound's values."""
        own = fingerprint(self.fingerprint, optimize_every)
        trace = self._restored(checkpoint.read(own, self._arrays() | {"trace": np.zeros(0)}, ("trace",)))

        def done() -> bool:
            small = len(trace) > 1 and abs(trace[-1] - trace[-2]) < tol * abs(trace[-2])
            return small or len(trace) >= steps

        with progress.task(title, steps) as advance:
            advance(len(trace))
            while not done():
                number = len(trace) + 1
                trace.append(self.step(optimize_every > 0 and number % optimize_every == 0))
                advance(1)
                checkpoint.write(number, done(), own, lambda: self._arrays() | {"trace": np.array(trace)})
        return np.array(trace)

    def _arrays(self) -> Arrays:
        return {"weights": self.weights, "gamma": self.gamma, "alpha": self.prior.alpha, "eta": self.prior.eta}

    def _restored(self, arrays: Arrays | None) -> list[float]:
        if arrays is None:
            return []
        self.weights, self.gamma = arrays["weights"], arrays["gamma"]
        self.prior = Prior(arrays["alpha"], arrays["eta"])
        return list(arrays["trace"].tolist())


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
    batches: Callable[[], Iterable[Any]],
    rows: int,
    sizes: NDArray[Any],
    prior: Prior,
    weights: Floats,
    plan: Schedule,
    checkpoint: TrainingCheckpoint,
) -> tuple[Floats, Floats]:
    """λ after passes over batches of documents, and the estimate of the bound per token at each batch.

    .. math:: \\lambda \\leftarrow (1 - \\rho_t) \\lambda + \\rho_t \\bigl(\\eta + \\tfrac{D}{|B|}
        \\textstyle\\sum_{d \\in B} c_{dw} \\phi_{dwk}\\bigr), \\qquad \\rho_t = (\\tau + t)^{-\\kappa}
    """
    own = fingerprint(weights, rows, prior.alpha, prior.eta, (plan.delay, plan.forgetting, plan.document_steps))
    stored = checkpoint.read(own, {"weights": weights, "trace": np.zeros(0)}, ("trace",))
    trace: list[float] = [] if stored is None else list(stored["trace"].tolist())
    weights = weights if stored is None else stored["weights"]
    smoothing, seen = np.repeat(prior.eta, sizes)[:, None], 0
    for _ in progress.track(range(plan.passes), "stochastic variational inference", plan.passes):
        for matrix in batches():
            seen += 1
            if seen <= len(trace):
                continue  # done before the training was stopped
            value, statistics = _batch(matrix, rows / matrix.shape[0], sizes, prior, weights, plan.document_steps)
            trace.append(value)
            rate = (plan.delay + seen) ** -plan.forgetting
            weights = np.ascontiguousarray((1 - rate) * weights + rate * (smoothing + statistics))
            now = {"weights": weights, "trace": np.array(trace)}
            checkpoint.write(seen, False, own, lambda now=now: now)  # type: ignore[misc]
    return weights, np.array(trace)


def _batch(
    matrix: Any, scale: float, sizes: NDArray[Any], prior: Prior, weights: Floats, steps: int
) -> tuple[float, Floats]:
    """The estimate of the bound per token from one batch, and its statistics scaled to all documents."""
    entries = Entries.of(matrix)
    logs = expected_log_words(weights, sizes)
    words = np.exp(logs)
    lengths = np.asarray(matrix.sum(axis=1), np.float64).reshape(-1, 1)
    gamma = prior.alpha + lengths / len(prior.alpha)
    theta, ratios, bound = documents_step(entries, words, prior.alpha, gamma, 1.0, steps, 1e-3)
    whole = scale * bound + words_bound(weights, logs, sizes, prior.eta)
    value = whole / max(scale * float(entries.counts.sum()), 1.0)
    return value, scale * word_statistics(entries, words, theta, ratios)
