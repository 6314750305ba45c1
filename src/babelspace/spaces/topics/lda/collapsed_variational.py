"""Multilingual latent Dirichlet allocation by collapsed variational inference."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.topics.cvb0 import collapsed_step, count_shares, fold_in, random_shares
from babelspace.kernels.topics.variational import Entries
from babelspace.runtime import progress
from babelspace.runtime.parameters import Integer, Parameter, Real, Table
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense
from babelspace.spaces.common_parameters import CHECKPOINT, CHECKPOINT_EVERY
from babelspace.spaces.topics.checkpoint import TrainingCheckpoint, fingerprint
from babelspace.spaces.topics.lda.base import Floats, TopicSpace, TupleCounts


class CollapsedMLDA(TopicSpace):
    """The model of :class:`~babelspace.spaces.MLDA` with the expectation in place of each draw (CVB0).

    .. math::
        \\gamma_{dwk} \\propto (\\alpha_k + n_{dk} - \\gamma_{dwk})
        \\frac{\\eta + m^{(l)}_{kw} - \\gamma_{dwk}}{V^{(l)}\\eta + m^{(l)}_{k\\cdot} - \\gamma_{dwk}}, \\qquad
        n_{dk} = \\sum_w c_{dw} \\gamma_{dwk}, \\quad m_{kw} = \\sum_d c_{dw} \\gamma_{dwk}

    n follows each update, m each step. Needs counts. Memory: 4 bytes x entries of the matrices x topics for γ.

    Parameters
    ----------
    n_components, alpha, eta
        Topics K, α (None is 50 / K) and η.
    max_iter : int
        Steps over all documents at most.
    tol : float
        Training stops when a step moves less than this share of the tokens from one topic to another.
    inference_steps : int
        Steps over a new document.
    checkpoint, checkpoint_every
        As in :class:`~babelspace.spaces.MLDA`.
    random_state : int, Generator or None

    References
    ----------
    Asuncion, Welling, Smyth & Teh (2009), On Smoothing and Inference for Topic Models; Teh, Newman & Welling (2006).

    Examples
    --------
    >>> from babelspace.corpus import planted
    >>> from babelspace.features import ViewsVectorizer
    >>> from babelspace.spaces import CollapsedMLDA
    >>> views = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(planted(rows=200))
    >>> CollapsedMLDA(n_components=20, alpha=0.5).fit(views[:150]).score(views[150:]) > 0.3
    True
    """

    _parameters: ClassVar[Table] = {
        **TopicSpace._parameters,
        "max_iter": Parameter("Steps over all documents at most.", Integer(1)),
        "tol": Parameter(
            "Training stops when a step moves less than this share of the tokens to another topic.", Real(low=0)
        ),
        "inference_steps": Parameter("Steps over a new document.", Integer(1)),
        "checkpoint": CHECKPOINT,
        "checkpoint_every": CHECKPOINT_EVERY,
    }

    def __init__(
        self,
        n_components: int = 100,
        alpha: float | None = None,
        eta: float = 0.1,
        max_iter: int = 100,
        tol: float = 1e-3,
        inference_steps: int = 50,
        checkpoint: str | None = None,
        checkpoint_every: int = 20,
        random_state: Seed = 0,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.eta = eta
        self.max_iter = max_iter
        self.tol = tol
        self.inference_steps = inference_steps
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.random_state = random_state

    def _learn(self, counts: TupleCounts) -> None:
        joint = counts.joint()
        sizes = np.array([matrix.shape[1] for matrix in counts.matrices])
        alpha, eta = self._start_alpha(), np.full(len(sizes), float(self.eta))
        entries = Entries.of(joint)
        data = (joint.indptr, joint.indices, joint.data, sizes, alpha, eta)
        trace, shares = self._run(entries, sizes, alpha, eta, fingerprint(*data, self.seed_))
        self.trace_ = {"all": trace}
        words = count_shares(entries, shares, int(sizes.sum()))
        parts = [part + prior for part, prior in zip(np.split(words, np.cumsum(sizes)[:-1]), eta, strict=True)]
        found = [(part / part.sum(axis=0)).astype(np.float32) for part in parts]
        self._set(dict(zip(counts.languages, found, strict=True)), words.sum(axis=0), alpha, eta)
        self.document_topics_ = counts.back(_document_topics(entries, shares, alpha))

    def _run(self, entries: Entries, sizes: NDArray[Any], alpha: Floats, eta: Floats, own: str) -> tuple[Floats, Dense]:
        """Steps until hardly a token moves, first from the checkpoint if there is one."""
        checkpoint = TrainingCheckpoint.of(self.checkpoint, "all", self.checkpoint_every)
        stored = checkpoint.read(own)
        if stored is None:
            stored = {"shares": random_shares(len(entries.counts), self.n_components, self.seed_), "steps": np.empty(0)}
        shares, steps = stored["shares"], [tuple(step) for step in stored["steps"].reshape(-1, 2).tolist()]
        languages, borders = np.repeat(np.arange(len(sizes)), sizes), np.cumsum(sizes)[:-1]

        def done() -> bool:
            return len(steps) >= self.max_iter or (len(steps) > 0 and steps[-1][1] < self.tol)

        title = f"CVB0: {len(entries.counts):,} entries, {self.n_components} topics, {shares.nbytes / 1e9:.2f} GB"
        with progress.task(title, self.max_iter) as advance:
            advance(len(steps))
            while not done():
                words = count_shares(entries, shares, len(languages))
                totals = np.array([part.sum(axis=0) for part in np.split(words, borders)])
                steps.append(collapsed_step(entries, shares, words, totals, languages, alpha, eta, eta * sizes))
                advance(1)
                checkpoint.write(len(steps), done(), own, lambda: {"shares": shares, "steps": np.array(steps)})
        return np.array([value for value, _ in steps]), shares

    def _infer(self, counts: Any, words: Dense, seeds: NDArray[Any]) -> Dense:
        return fold_in(counts, words, self.alpha_, self.inference_steps)


def _document_topics(entries: Entries, shares: Dense, alpha: NDArray[np.float64]) -> Dense:
    """θ of each document from its entries' shares; a row without an entry is zero."""
    theta = np.zeros((len(entries.indptr) - 1, len(alpha)), np.float32)
    for row, (first, last) in enumerate(zip(entries.indptr[:-1], entries.indptr[1:], strict=True)):
        if last > first:
            own = alpha + entries.counts[first:last] @ shares[first:last]
            theta[row] = own / own.sum()
    return theta
