"""Multilingual latent Dirichlet allocation by collapsed variational inference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.topics.cvb0 import (
    collapsed_step,
    count_shares,
    document_counts,
    fixed_step,
    fold_in,
    random_shares,
)
from babelspace.kernels.topics.gibbs_priors import expected_document_prior, expected_word_prior
from babelspace.kernels.topics.variational import Entries
from babelspace.runtime import progress
from babelspace.runtime.parameters import SEED, Choice, Integer, Real, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense
from babelspace.spaces.common_parameters import CHECKPOINT, CHECKPOINT_EVERY, OPTIMIZE_EVERY, PIVOT
from babelspace.spaces.topics.checkpoint import Arrays, TrainingCheckpoint, fingerprint
from babelspace.spaces.topics.lda.base import Floats, TopicSpace, TupleCounts
from babelspace.spaces.topics.lda.pivot_training import stages

# Steps before hyper-parameters are fitted for the first time.
BURN_IN = 50
LARGEST_SHARE = np.float32(1 - 1e-7)


@estimator
class CollapsedMLDA(TopicSpace):
    """The model of :class:`~babelspace.spaces.MLDA` with the expectation in place of each draw (CVB0).

    .. math::
        \\gamma_{dwk} \\propto (\\alpha_k + n_{dk} - \\gamma_{dwk})
        \\frac{\\eta + m^{(l)}_{kw} - \\gamma_{dwk}}{V^{(l)}\\eta + m^{(l)}_{k\\cdot} - \\gamma_{dwk}}, \\qquad
        n_{dk} = \\sum_w c_{dw} \\gamma_{dwk}, \\quad m_{kw} = \\sum_d c_{dw} \\gamma_{dwk}

    n follows each update, m each step. α and η are not fitted before 50 steps, where shares are near even, which looks
    like endless priors. Needs counts. Memory: 4 bytes x entries of the matrices x topics for γ.

    References
    ----------
    Asuncion, Welling, Smyth & Teh (2009), On Smoothing and Inference for Topic Models; Teh, Newman & Welling (2006).

    Examples
    --------
    >>> from babelspace import CollapsedMLDA, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(planted(rows=200))
    >>> CollapsedMLDA(n_components=20, alpha=0.5).fit(views[:150]).score(views[150:]) > 0.3
    True
    """

    max_iter: int = parameter(100, "Steps over all documents at most.", Integer(1))
    tol: float = parameter(
        1e-3, "Training stops when a step moves less than this share of the tokens to another topic.", Real(low=0)
    )
    inference_steps: int = parameter(50, "Steps over a new document.", Integer(1))
    checkpoint: str | None = parameter(None, CHECKPOINT)
    checkpoint_every: int = parameter(20, CHECKPOINT_EVERY)
    random_state: Seed = parameter(0, SEED)
    training: str = parameter(
        "standard",
        "All languages together, or first the pivot and then the words of each other, as in MLDA.",
        Choice("standard", "approximate"),
    )
    pivot: str | None = parameter(None, PIVOT)
    further_iter: int = parameter(20, "Steps for each language after the pivot.", Integer(1))
    optimize_every: int = parameter(0, OPTIMIZE_EVERY)

    def _learn(self, counts: TupleCounts) -> None:
        self.trace_: dict[str, Floats] = {}
        (self._approximate if self.training == "approximate" else self._standard)(counts)

    def _standard(self, counts: TupleCounts) -> None:
        sizes = np.array([matrix.shape[1] for matrix in counts.matrices])
        stage = TrainingStage("all", counts.joint(), sizes, self._start_alpha(), np.full(len(sizes), float(self.eta)))
        self._run(stage, self.max_iter)
        words = dict(zip(counts.languages, stage.word_topics(), strict=True))
        self._set(words, stage.words().sum(axis=0), stage.alpha, stage.eta)
        self.document_topics_ = counts.back(stage.document_topics())

    def _approximate(self, counts: TupleCounts) -> None:
        """The pivot with its counts times L (α / L stands for it), then each other language with θ fixed."""
        pivot, further = stages(counts, self.pivot)
        matrices = dict(zip(counts.languages, counts.matrices, strict=True))
        factor = len(counts.languages)
        first = self._stage(pivot, matrices[pivot], self._start_alpha() / factor)
        self._run(first, self.max_iter)
        theta, parts = first.document_topics(), {pivot: first}
        for name in further:
            parts[name] = self._stage(name, matrices[name], first.alpha)
            parts[name].theta = theta
            self._run(parts[name], self.further_iter)
        sizes = np.sum([part.words().sum(axis=0) for part in parts.values()], axis=0)
        words = {name: part.word_topics()[0] for name, part in parts.items()}
        eta = np.array([parts[name].eta[0] for name in counts.languages])
        self._set(words, sizes, first.alpha * factor, eta)
        self.document_topics_ = counts.back(theta)

    def _stage(self, name: str, matrix: Any, alpha: Floats) -> TrainingStage:
        return TrainingStage(name, matrix, np.array([matrix.shape[1]]), alpha, np.array([float(self.eta)]))

    def _run(self, stage: TrainingStage, iterations: int) -> None:
        """Steps until hardly a token moves, first from the checkpoint if there is one."""
        checkpoint = TrainingCheckpoint.of(self.checkpoint, stage.name, self.checkpoint_every)
        matrix = stage.matrix
        data = (matrix.indptr, matrix.indices, matrix.data, stage.sizes, stage.alpha, stage.eta)
        own = fingerprint(*data, self.seed_, self.optimize_every, stage.theta)
        stage.shares = random_shares(len(stage.entries.counts), self.n_components, self.seed_)
        stored = checkpoint.read(own, stage.arrays() | {"steps": np.zeros((0, 2))}, ("steps",))
        if stored is not None:
            stage.restore(stored)
        size = stage.shares.nbytes / 1e9
        title = f"CVB0 {stage.name}: {len(stage.entries.counts):,} entries, {self.n_components} topics, {size:.2f} GB"

        def done() -> bool:
            return len(stage.steps) >= iterations or (len(stage.steps) > 0 and stage.steps[-1][1] < self.tol)

        with progress.task(title, iterations) as advance:
            advance(len(stage.steps))
            while not done():
                number = len(stage.steps) + 1
                # Shares start near even, where all documents look alike and the priors would grow without bound.
                settled = number > BURN_IN or stage.theta is not None
                stage.step(settled and self.optimize_every > 0 and number % self.optimize_every == 0)
                advance(1)
                checkpoint.write(number, done(), own, stage.arrays)
        self.trace_[stage.name] = np.array([value for value, _ in stage.steps])

    def _infer(self, counts: Any, words: Dense, seeds: NDArray[Any]) -> Dense:
        return fold_in(counts, words, self.alpha_, self.inference_steps)


class TrainingStage:
    """Shares of topics under way, for languages side by side in one matrix of counts (`sizes`: the words of each).

    With `theta` the documents' topics stay as they are, and only those of the words of one language are learned.
    """

    def __init__(self, name: str, matrix: Any, sizes: NDArray[Any], alpha: Floats, eta: Floats) -> None:
        self.name, self.matrix, self.sizes = name, matrix, sizes
        self.alpha, self.eta = alpha.copy(), eta.copy()
        self.entries = Entries.of(matrix)
        self.theta: Dense | None = None
        self.shares: Dense = np.empty((0, len(alpha)), np.float32)
        self.steps: list[tuple[float, float]] = []

    def words(self) -> Floats:
        """Expected tokens of each word in each topic."""
        return count_shares(self.entries, self.shares, int(self.sizes.sum()))

    def step(self, optimize: bool) -> None:
        """One step over all documents; then, if asked, better hyper-parameters (α where θ is learned)."""
        words, borders = self.words(), np.cumsum(self.sizes)[:-1]
        totals = np.array([part.sum(axis=0) for part in np.split(words, borders)])
        smoothing = self.eta * self.sizes
        if self.theta is None:
            languages = np.repeat(np.arange(len(self.sizes)), self.sizes)
            prior = (self.alpha, self.eta, smoothing)
            self.steps.append(collapsed_step(self.entries, self.shares, words, totals, languages, *prior))
        else:
            eta, smooth = float(self.eta[0]), float(smoothing[0])
            self.steps.append(fixed_step(self.entries, self.shares, words, totals[0], self.theta, eta, smooth))
        if optimize:
            self.fit_priors()

    def fit_priors(self) -> None:
        """Better hyper-parameters; α where θ is learned."""
        # Logarithms of the chances that no token of an entry is of a topic.
        logs = np.log1p(-np.minimum(self.shares, LARGEST_SHARE))
        if self.theta is None:
            counts, never = (document_counts(self.entries, part) for part in (self.shares, logs))
            self.alpha = expected_document_prior(counts, np.exp(never), self.alpha)
        borders, size = np.cumsum(self.sizes)[:-1], int(self.sizes.sum())
        nevers = np.split(np.exp(count_shares(self.entries, logs, size)), borders)
        for language, part in enumerate(np.split(self.words(), borders)):
            if part.any():
                self.eta[language] = expected_word_prior(part, nevers[language], float(self.eta[language]))

    def word_topics(self) -> list[Dense]:
        """β of each language (words x K)."""
        parts = zip(np.split(self.words(), np.cumsum(self.sizes)[:-1]), self.eta, strict=True)
        smooth = [part + prior for part, prior in parts]
        return [(part / part.sum(axis=0)).astype(np.float32) for part in smooth]

    def document_topics(self) -> Dense:
        """θ of each document; a row without an entry is zero."""
        counts = document_counts(self.entries, self.shares)
        lengths = counts.sum(axis=1, keepdims=True)
        theta = (counts + self.alpha) / (lengths + self.alpha.sum())
        return np.where(lengths > 0, theta, 0).astype(np.float32)

    def arrays(self) -> Arrays:
        """Everything that the next step depends on."""
        return {"shares": self.shares, "steps": np.array(self.steps), "alpha": self.alpha, "eta": self.eta}

    def restore(self, arrays: Arrays) -> None:
        """Take it back."""
        self.shares, self.alpha, self.eta = arrays["shares"], arrays["alpha"], arrays["eta"]
        self.steps = [(float(value), float(moved)) for value, moved in arrays["steps"].reshape(-1, 2)]
