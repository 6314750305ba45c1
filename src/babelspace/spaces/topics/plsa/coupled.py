"""Coupled probabilistic latent semantic analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.topics.coupled_plsa import coupled_step
from babelspace.kernels.topics.plsa import by_rows_and_columns, log_prior, word_step
from babelspace.runtime.parameters import Integer, Real, estimator, parameter
from babelspace.spaces.topics.checkpoint import Arrays
from babelspace.spaces.topics.plsa.base import MixtureSpace, started


@estimator
class CPLSA(MixtureSpace):
    """A topic mixture for every document, and mates whose topic fractions are made to agree while learning.

    .. math::
        \\max_{\\theta, \\phi} \\; \\log P(x, \\theta, \\phi)
        - \\min_q \\Big[ \\mathrm{KL}(q \\,\\|\\, P(z \\mid x, \\theta, \\phi)) + \\sigma \\|\\xi\\|_1 \\Big], \\qquad
        \\big| f^a_t - f^b_t \\big| \\le \\epsilon + \\xi_t, \\quad f^d_t = \\frac{1}{n_d} \\sum_w x_{dw} q_{dw}(t)

    EM in which the expected counts of the M step come from q, the distributions nearest to the posteriors under which
    the documents a, b of a row agree in what fraction of their words each topic has. The paper's bound subtracts
    ‖ε‖ with the factor 1 beside a divergence that is summed over all words of a row: a difference of fractions is at
    most 2, so taken literally it buys next to nothing and CPLSA would be two separate PLSAs. What is done instead is
    agreement within `epsilon` (0: entirely) at no price, and beyond it at a price σ for each word of the shorter
    document (none: no more is allowed). A short document says as much as
    its long mate; joint PLSA adds their words up instead. With three languages and more, all fractions of a topic lie
    within ε/2 of a common centre, which is ε between any two; ξ is then counted against that centre.
    The projection is convex and solved in its dual (:mod:`babelspace.kernels.topics.coupled_plsa`), row by row, from
    where the last iteration left it. New documents, vectors, start, priors and early stopping are those of
    :class:`JPLSA`.
    Memory: 16 · documents · topics + 8 · columns · topics + 24 · entries bytes.

    References
    ----------
    Platt, Toutanova & Yih (2010), section 2.5. Ganchev, Graça, Gillenwater & Taskar (2010), Posterior Regularization
    for Structured Latent Variable Models.

    Examples
    --------
    >>> from babelspace import CPLSA, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(planted(rows=200))
    >>> CPLSA(n_components=20).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    epsilon: float = parameter(0.0, "The largest difference ε of topic fractions that costs nothing.", Real(low=0))
    penalty: float | None = parameter(
        None, "Price σ of a larger one, for each word of the shorter document; none allows none.", Real(low=0)
    )
    projection_tol: float = parameter(
        0.02,
        "How near to its solution a projection ends. Differences of fractions are summed over topics.",
        Real(above=0),
    )
    projection_steps: int = parameter(4, "Steps of a projection in one iteration at most.", Integer(2))

    def em_steps(self, views: Views) -> CoupledEM:
        return CoupledEM(self, views)


class CoupledEM:
    """EM on all documents, those of one row next to each other."""

    def __init__(self, space: CPLSA, views: Views) -> None:
        counts, self.tuples = stacked(views)
        self.weights, self.words = started(counts, space.n_components, space.alpha, space.beta)
        self.counts = by_rows_and_columns(counts)
        self.lengths = np.asarray(counts.sum(axis=1), np.float32).ravel()
        self.space = space
        self.sizes: NDArray[np.float64] = np.full(space.n_components, 1 / space.n_components)
        self.ratios = np.empty(counts.nnz, np.float32)
        self.multipliers, self.tilted, self.spare = (np.zeros_like(self.weights) for _ in range(3))
        self.spare_words = np.empty_like(self.words)
        self.gap = np.inf

    def step(self) -> float:
        """One iteration; returns the objective before it, without its constants."""
        space = self.space
        prior = log_prior(self.weights, space.alpha - 1) + log_prior(self.words, space.beta - 1)
        values, gaps = coupled_step(
            self.counts,
            self.tuples,
            self.lengths,
            self.weights,
            self.words,
            self.multipliers,
            space.alpha - 1,
            self.tilted,
            self.spare,
            self.ratios,
            epsilon=space.epsilon,
            penalty=np.inf if space.penalty is None else space.penalty,
            tolerance=space.projection_tol,
            steps=space.projection_steps,
        )
        self.sizes = word_step(self.counts, self.ratios, self.tilted, self.words, space.beta - 1, self.spare_words)
        self.weights, self.spare = self.spare, self.weights
        self.words, self.spare_words = self.spare_words, self.words
        self.gap = float(gaps.mean())
        return float(values.sum()) + prior

    def state(self) -> Arrays:
        """Everything that the next step depends on."""
        now = {"weights": self.weights, "words": self.words, "sizes": self.sizes}
        return {**now, "multipliers": self.multipliers}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take it back."""
        self.weights, self.words, self.sizes = state["weights"], state["words"], state["sizes"]
        self.multipliers = state["multipliers"]


def stacked(views: Views) -> tuple[Any, NDArray[np.int64]]:
    """The documents that are there, row by row, and where each row's documents start."""
    present = np.array([views.present[name] for name in views.languages]).T
    place = np.arange(present.size).reshape(len(views.languages), len(views)).T[present]
    everything = sp.vstack([matrix for _, matrix in views.items()], format="csr")
    tuples = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    return sp.csr_array(everything[place]), tuples.astype(np.int64)
