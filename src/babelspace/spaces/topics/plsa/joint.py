"""Joint probabilistic latent semantic analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.topics.plsa import Dense, by_rows_and_columns, document_step, log_prior, word_step
from babelspace.runtime.parameters import estimator
from babelspace.spaces.topics.checkpoint import Arrays
from babelspace.spaces.topics.plsa.base import MixtureSpace, joined, started


@estimator
class JPLSA(MixtureSpace):
    """One topic mixture for all documents of a row, topics over the words of all languages together.

    .. math::
        P(\\theta, \\phi \\mid x) \\propto
        \\prod_d \\Big[ \\prod_t \\theta_{dt}^{\\alpha - 1}
        \\prod_w \\big( \\sum_t \\theta_{dt} \\phi_{tw} \\big)^{x_{dw}} \\Big]
        \\prod_{t,w} \\phi_{tw}^{\\beta - 1}

    Maximised by EM, where x are the counts of a row summed over its languages. EM starts from words sorted by frequency
    and cut into `n_components` equal runs, so nothing is random. New documents get :math:`\\theta` by a single EM step
    from equal weights: one matrix product. Vectors are distributions over topics, compared by L1 distance.

    Works on counts; other weights that are not negative are taken as they are. Fitted: `words_` (columns x topics),
    `topic_words_`, `topic_sizes_`, `objective_` (the log posterior before each iteration), `validation_scores_`
    (iteration, MRR), `n_iter_`. Memory: 8 · (rows + columns) · topics + 24 · entries bytes.

    References
    ----------
    Platt, Toutanova & Yih (2010), section 2.4. Hofmann (1999), Probabilistic Latent Semantic Analysis.

    Examples
    --------
    >>> from babelspace import JPLSA, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(planted(rows=200))
    >>> JPLSA(n_components=20).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    def em_steps(self, views: Views) -> JointEM:
        return JointEM(views, self.n_components, self.alpha, self.beta)


class JointEM:
    """EM on the joint counts of the rows."""

    def __init__(self, views: Views, topics: int, alpha: float, beta: float) -> None:
        counts = joined(views)
        self.weights, self.words = started(counts, topics, alpha, beta)
        self.counts = by_rows_and_columns(counts)
        self.alpha, self.beta = alpha, beta
        self.sizes: NDArray[np.float64] = np.full(topics, 1 / topics)
        self.ratios = np.empty(counts.nnz, np.float32)
        self.spare: tuple[Dense, Dense] = (np.empty_like(self.weights), np.empty_like(self.words))

    def step(self) -> float:
        """One iteration; returns the log posterior before it, without its constants."""
        prior = log_prior(self.weights, self.alpha - 1) + log_prior(self.words, self.beta - 1)
        weights, words = self.spare
        likelihood = document_step(self.counts, self.weights, self.words, self.alpha - 1, weights, self.ratios)
        self.sizes = word_step(self.counts, self.ratios, self.weights, self.words, self.beta - 1, words)
        self.spare = self.weights, self.words
        self.weights, self.words = weights, words
        return float(likelihood.sum()) + prior

    def state(self) -> Arrays:
        """Everything that the next step depends on."""
        return {"weights": self.weights, "words": self.words, "sizes": self.sizes}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take it back."""
        self.weights, self.words, self.sizes = state["weights"], state["words"], state["sizes"]
