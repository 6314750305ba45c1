"""Multilingual latent Dirichlet allocation by variational inference, in batches or streaming."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.kernels.topics.gibbs_inference import infer
from babelspace.kernels.topics.variational import Entries, documents_step
from babelspace.runtime.parameters import SEED, Choice, Integer, Real, Structure, estimator, parameter
from babelspace.runtime.seeds import Seed, generator
from babelspace.spaces.base import Dense
from babelspace.spaces.common_parameters import CHECKPOINT, CHECKPOINT_EVERY, OPTIMIZE_EVERY, PIVOT
from babelspace.spaces.topics.checkpoint import TrainingCheckpoint
from babelspace.spaces.topics.lda.base import TopicSpace, TupleCounts, check_samples
from babelspace.spaces.topics.lda.pivot_training import stages
from babelspace.spaces.topics.lda.variational_steps import (
    Ascent,
    Floats,
    Prior,
    Schedule,
    drawn_seeds,
    natural_gradient,
    seeded,
)

TRAININGS = ("standard", "approximate", "stochastic")


@estimator
class VariationalMLDA(TopicSpace):
    """The model of :class:`~babelspace.spaces.MLDA`, its posterior approximated by independent distributions.

    .. math::
        \\phi^{(l)}_{dwk} \\propto \\exp\\bigl(\\psi(\\gamma_{dk}) + \\psi(\\lambda^{(l)}_{kw})
        - \\psi(\\textstyle\\sum_v \\lambda^{(l)}_{kv})\\bigr),
        \\quad \\gamma_{dk} = \\alpha_k + \\sum_{l,w} c^{(l)}_{dw} \\phi^{(l)}_{dwk},
        \\quad \\lambda^{(l)}_{kw} = \\eta + \\sum_d c^{(l)}_{dw} \\phi^{(l)}_{dwk}

    Each step raises the evidence lower bound (`trace_`). λ starts from K seed rows, the same for all languages, and the
    local optimum that is found depends on them. Needs counts. Memory: 16 bytes x rows x topics, 24 x words x topics and
    32 for each entry of the matrices; "stochastic" has only `batch_rows` rows at a time (see also :meth:`fit_stream`).

    References
    ----------
    Blei, Ng & Jordan (2003); Hoffman, Blei, Wang & Paisley (2013), Stochastic Variational Inference; Minka (2000),
    Estimating a Dirichlet Distribution. Equations 33-38 and 45-51 of the thesis of :class:`~babelspace.spaces.MLDA`.

    Examples
    --------
    >>> from babelspace import VariationalMLDA, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(planted(rows=200))
    >>> VariationalMLDA(n_components=20, alpha=0.5).fit(views[:150]).score(views[150:]) > 0.3
    True
    """

    max_iter: int = parameter(100, "Steps over all documents at most.", Integer(1))
    tol: float = parameter(
        1e-5, "Training stops when a step raises the bound by less than this share of it.", Real(low=0)
    )
    training: str = parameter(
        "standard",
        "All languages together, the pivot first, or natural-gradient steps on batches of rows.",
        Choice(*TRAININGS),
    )
    pivot: str | None = parameter(None, PIVOT)
    further_iter: int = parameter(20, "Steps for each language after the pivot.", Integer(1))
    document_steps: int = parameter(20, "Updates of a document's topics in one step at most.", Integer(1))
    optimize_every: int = parameter(0, OPTIMIZE_EVERY)
    batch_rows: int = parameter(1024, "Rows of a batch in stochastic training.", Integer(1))
    delay: float = parameter(
        1.0, "Slows the first stochastic steps: step t weighs (delay + t) ** -forgetting.", Real(low=0)
    )
    forgetting: float = parameter(0.7, "How fast stochastic steps forget.", Real(above=0.5, high=1))
    seed_rows: Sequence[int] | None = parameter(
        None, "The row whose words start each topic; none draws them.", Structure("a list of row numbers")
    )
    checkpoint: str | None = parameter(None, CHECKPOINT)
    checkpoint_every: int = parameter(20, CHECKPOINT_EVERY)
    random_state: Seed = parameter(0, SEED)
    inference: str = parameter(
        "variational",
        "How the topics of a new document are found. The thesis compares VI and Gibbs with Gibbs for both.",
        Choice("variational", "gibbs"),
    )
    inference_sweeps: int = parameter(20, "With gibbs: sweeps over a new document.", Integer(1))
    inference_samples: int = parameter(
        10, "With gibbs: how many of the last sweeps are averaged; 1 is the thesis.", Integer(1)
    )

    def fit_stream(self, source: Callable[[], Iterable[Any]]) -> Self:
        """Learn from Views that come in blocks, one in memory at a time, by stochastic steps.

        `source` gives a new iterator each time it is called: once to learn which words there are, then for each of
        `max_iter` passes.
        """
        rng = generator(self.random_state)
        self.seed_ = int(rng.integers(1 << 62))
        self.columns_, self.n_features_in_, rows = self._survey(source)
        self.languages_ = tuple(self.columns_)
        sizes = np.array([len(self.columns_[name]) for name in sorted(self.languages_)])

        def batches() -> Iterable[Any]:
            for block in source():
                yield TupleCounts.of(Views.of(block), self.columns_).joint()

        self._stochastic(batches, rows, sizes, np.random.default_rng(self.seed_))
        return self

    def _survey(self, source: Callable[[], Iterable[Any]]) -> tuple[dict[str, NDArray[np.int64]], int, int]:
        used: dict[str, NDArray[np.bool_]] = {}
        rows = width = 0
        for block in source():
            views = Views.of(block)
            self._check(views)
            if used and set(used) != set(views.languages):
                raise ParameterError(
                    f"a block has the languages {', '.join(views.languages)}, the first one had {', '.join(used)}. "
                    "Give every block all languages; rows without one are marked in `present`."
                )
            rows, width = rows + len(views), views.shape[1]
            for name, matrix in views.items():
                used.setdefault(name, np.zeros(width, bool))[matrix.indices] = True
        if not used:
            raise ParameterError("the source gave no block. It must be a function that gives a new iterator of Views.")
        return {name: np.flatnonzero(mask) for name, mask in used.items()}, width, rows

    def _learn(self, counts: TupleCounts) -> None:
        sizes = np.array([matrix.shape[1] for matrix in counts.matrices])
        rng = np.random.default_rng(self.seed_)
        if self.training == "stochastic":
            joint = counts.joint()
            starts = range(0, joint.shape[0], self.batch_rows)
            # Rows by hash are rows in random order.
            self._stochastic(lambda: (joint[at : at + self.batch_rows] for at in starts), joint.shape[0], sizes, rng)
            return
        self.trace_: dict[str, NDArray[np.float64]] = {}
        seeds = self._seeds(counts, rng)
        (self._approximate if self.training == "approximate" else self._standard)(counts, sizes, seeds)

    def _prior(self, languages: int) -> Prior:
        return Prior(self._start_alpha(), np.full(languages, float(self.eta)))

    def _seeds(self, counts: TupleCounts, rng: np.random.Generator) -> NDArray[Any]:
        rows = len(counts.order)
        if self.seed_rows is None:
            return drawn_seeds(counts.matrices, self.n_components, rng)
        place = np.empty(rows, np.int64)
        place[counts.order] = np.arange(rows)
        return place[np.asarray(self.seed_rows)]

    def _standard(self, counts: TupleCounts, sizes: NDArray[Any], seeds: NDArray[Any]) -> None:
        ascent = Ascent(counts.joint(), sizes, self._prior(len(sizes)), seeds, self.document_steps)
        self.trace_["all"] = ascent.run(
            self.max_iter, self.tol, self.optimize_every, self._at("all"), self._title("all", ascent)
        )
        self._finish(counts.languages, ascent.weights, sizes, ascent.prior)
        self.document_topics_ = counts.back(shares(ascent.gamma))

    def _approximate(self, counts: TupleCounts, sizes: NDArray[Any], seeds: NDArray[Any]) -> None:
        """The pivot with its counts times L in γ, then λ of each other language with γ fixed (eqs. 45-51)."""
        pivot, further = stages(counts, self.pivot)
        number = {name: place for place, name in enumerate(counts.languages)}
        parts: dict[str, Ascent] = {}
        gamma: Floats | None = None
        for name in (pivot, *further):
            matrix, prior = counts.matrices[number[name]], self._prior(1)
            if gamma is not None:
                prior.alpha = parts[pivot].prior.alpha
            ascent = Ascent(matrix, sizes[[number[name]]], prior, seeds, self.document_steps, float(len(sizes)), gamma)
            steps = self.max_iter if gamma is None else self.further_iter
            self.trace_[name] = ascent.run(
                steps, self.tol, self.optimize_every, self._at(name), self._title(name, ascent)
            )
            gamma, parts[name] = ascent.gamma, ascent
        weights = np.vstack([parts[name].weights for name in counts.languages])
        eta = np.array([parts[name].prior.eta[0] for name in counts.languages])
        self._finish(counts.languages, weights, sizes, Prior(parts[pivot].prior.alpha, eta))
        self.document_topics_ = counts.back(shares(parts[pivot].gamma))

    def _stochastic(
        self, batches: Callable[[], Iterable[Any]], rows: int, sizes: NDArray[Any], rng: np.random.Generator
    ) -> None:
        first = next(iter(batches()))
        borders = np.concatenate([[0], np.cumsum(sizes)])
        parts = [first[:, start:end] for start, end in pairwise(borders)]
        seeds = drawn_seeds(parts, self.n_components, rng)
        prior = self._prior(len(sizes))
        plan = Schedule(self.max_iter, self.delay, self.forgetting, self.document_steps)
        weights = seeded(first, seeds, np.repeat(prior.eta, sizes))
        weights, trace = natural_gradient(batches, rows, sizes, prior, weights, plan, self._at("batches"))
        self.trace_ = {"batches": trace}
        self._finish(tuple(sorted(self.languages_)), weights, sizes, prior)

    def _finish(self, languages: Sequence[str], weights: Floats, sizes: NDArray[Any], prior: Prior) -> None:
        """β = λ / Σ λ (eq. 38)."""
        parts = np.split(weights, np.cumsum(sizes)[:-1])
        words = {
            name: (part / part.sum(axis=0)).astype(np.float32) for name, part in zip(languages, parts, strict=True)
        }
        self._set(words, (weights - np.repeat(prior.eta, sizes)[:, None]).sum(axis=0), prior.alpha, prior.eta)

    def _at(self, stage: str) -> TrainingCheckpoint:
        return TrainingCheckpoint.of(self.checkpoint, stage, self.checkpoint_every)

    def _title(self, stage: str, ascent: Ascent) -> str:
        size = (16 * ascent.gamma.size + 24 * ascent.weights.size + 32 * len(ascent.entries.counts)) / 1e9
        return f"variational {stage}: {self.n_components} topics, {size:.2f} GB"

    def _infer(self, counts: Any, words: Dense, seeds: NDArray[Any]) -> Dense:
        if self.inference == "gibbs":
            mixed = seeds ^ np.uint64(self.seed_)
            return infer(counts, words, self.alpha_, mixed, self.inference_sweeps, self.inference_samples)
        lengths = np.asarray(counts.sum(axis=1), np.float64).reshape(-1, 1)
        gamma = self.alpha_ + lengths / len(self.alpha_)
        documents_step(Entries.of(counts), words.astype(np.float64), self.alpha_, gamma, 1.0, 100, 1e-3)
        return np.where(lengths > 0, shares(gamma), 0).astype(np.float32)

    def _check(self, views: Views) -> None:
        super()._check(views)
        check_samples(self.inference_samples, self.inference_sweeps)
        if self.seed_rows is not None and len(self.seed_rows) != self.n_components:
            raise ParameterError(
                f"seed_rows has {len(self.seed_rows)} rows for n_components={self.n_components}. Give as many."
            )


def shares(gamma: Floats) -> Dense:
    """θ = γ / Σ γ (eq. 37)."""
    return (gamma / gamma.sum(axis=1, keepdims=True)).astype(np.float32)
