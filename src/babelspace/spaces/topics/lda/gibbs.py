"""Multilingual latent Dirichlet allocation by collapsed Gibbs sampling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.topics import gibbs
from babelspace.kernels.topics.gibbs_inference import infer
from babelspace.kernels.topics.gibbs_layout import Layout
from babelspace.runtime.parameters import SEED, Boolean, Choice, Integer, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense
from babelspace.spaces.common_parameters import CHECKPOINT, CHECKPOINT_EVERY, OPTIMIZE_EVERY, PIVOT
from babelspace.spaces.topics.checkpoint import TrainingCheckpoint
from babelspace.spaces.topics.lda.base import TopicSpace, TupleCounts, check_samples
from babelspace.spaces.topics.lda.gibbs_chain import Chain, document_topics, word_topics
from babelspace.spaces.topics.lda.pivot_training import approximate

TRAININGS = ("standard", "approximate")


@estimator
class MLDA(TopicSpace):
    """Topics that all languages of a row share, each with its own words; a document is its distribution over topics.

    .. math::
        \\theta_d \\sim \\mathrm{Dir}(\\alpha), \\quad \\beta^{(l)}_k \\sim \\mathrm{Dir}(\\eta), \\quad
        z \\sim \\theta_d, \\quad w^{(l)} \\sim \\beta^{(l)}_z

        p(z^{(l)}_{dn} = k \\mid \\ldots) \\propto
        (\\alpha_k + n_{dk}) \\frac{\\eta + m^{(l)}_{kw}}{V^{(l)}\\eta + m^{(l)}_{k\\cdot}}

    n counts the topics of a row over all of its languages; rows with languages missing take part with what they have.
    Needs counts: ``ViewsVectorizer(weighting="tf", normalize=False)``. Words that training never saw in a language are
    unknown there. Memory: 6 bytes for each token (its document and topic); for each row either 2 bytes x topics rounded
    up to a multiple of 128 (a table, where that is faster: up to 8 topics for each token of a row) or 4 bytes for each
    of its tokens (a list; 8 where a row has 65,536 tokens or more); 8 bytes x topics for each word of each language and
    8 bytes x topics for each row (counts and results); 24 bytes for each entry of the matrices. The fit does not depend
    on threads, nor on the order of rows and languages.

    References
    ----------
    Mimno et al. (2009), Polylingual Topic Models; Ni et al. (2009), Mining Multilingual Topics from Wikipedia;
    Griffiths & Steyvers (2004), Finding Scientific Topics; Yu et al. (2015), A Scalable Asynchronous Distributed
    Algorithm for Topic Modeling (words in order, sparse documents); Yan, Xu & Qi (2009) (diagonals of blocks).
    Equations 30-32 and 39-44 are those of the thesis on approximate training of multilingual LDA.

    Examples
    --------
    >>> from babelspace import MLDA, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(planted(rows=200))
    >>> MLDA(n_components=20, alpha=0.1, sweeps=50, random_state=0).fit(views[:150]).score(views[150:]) > 0.3
    True
    """

    sweeps: int = parameter(200, "Sweeps over all tokens.", Integer(1))
    training: str = parameter(
        "standard",
        "All languages together, or first the pivot and then the words of each other language. The counts of the "
        "pivot are multiplied by the number of languages; the documents' topics are fixed after it.",
        Choice(*TRAININGS),
    )
    pivot: str | None = parameter(None, PIVOT)
    further_sweeps: int = parameter(10, "Sweeps for each language after the pivot.", Integer(1))
    greedy: bool = parameter(
        True, "Start these at each document's main topic (Greedy Initialisation) instead of anywhere.", Boolean()
    )
    joint_sweeps: int = parameter(
        0, "Sweeps over all languages together after approximate training; 0 is the thesis.", Integer(0)
    )
    optimize_every: int = parameter(0, OPTIMIZE_EVERY)
    inference_sweeps: int = parameter(20, "Sweeps over a new document.", Integer(1))
    inference_samples: int = parameter(10, "How many of the last of these are averaged; 1 is the thesis.", Integer(1))
    blocks: int | None = parameter(
        None, "Blocks that can be sampled at once; 1 is strictly sequential, none chooses by the data.", Integer(1)
    )
    checkpoint: str | None = parameter(None, CHECKPOINT)
    checkpoint_every: int = parameter(20, CHECKPOINT_EVERY)
    random_state: Seed = parameter(0, SEED)

    def _learn(self, counts: TupleCounts) -> None:
        self.trace_: dict[str, NDArray[np.float64]] = {}
        if self.training == "approximate":
            approximate(self, counts)
            return
        layout = Layout.of(counts.matrices, self.blocks)
        eta = np.full(len(counts.languages), float(self.eta))
        chain = self._chain(layout, self._start_alpha(), eta, "all", self.sweeps)
        self._set_joint(counts, chain)

    def _set_joint(self, counts: TupleCounts, chain: Chain) -> None:
        """Keep what a chain over all languages has learned."""
        words = dict(zip(counts.languages, word_topics(chain), strict=True))
        self._set(words, chain.state.totals.sum(axis=0), chain.alpha, chain.eta)
        self.document_topics_ = counts.back(document_topics(chain))

    def _chain(
        self,
        layout: Layout,
        alpha: NDArray[np.float64],
        eta: NDArray[np.float64],
        stage: str,
        sweeps: int,
        start: NDArray[Any] | None = None,
        rows_of: gibbs.State | None = None,
    ) -> Chain:
        """One stage of training, from its checkpoint if there is one."""
        first = gibbs.random_topics(layout.tokens, self.n_components, self.seed_) if start is None else start
        state = gibbs.count(layout, first, self.n_components, rows_of)
        chain = Chain(layout, state, alpha, eta, self.seed_, rows_of is not None)
        checkpoint = TrainingCheckpoint.of(self.checkpoint, stage, self.checkpoint_every)
        table = 0 if state.dense is None else state.dense.nbytes
        size = (layout.tokens * 6 + state.rows.nbytes + state.words.nbytes + table) / 1e9
        title = f"Gibbs {stage}: {layout.tokens:,} tokens, {self.n_components} topics, {size:.2f} GB"
        chain.run(sweeps, self.optimize_every, checkpoint, title)
        self.trace_[stage] = np.array(chain.trace)
        return chain

    def _infer(self, counts: Any, words: Dense, seeds: NDArray[Any]) -> Dense:
        mixed = seeds ^ np.uint64(self.seed_)
        return infer(counts, words, self.alpha_, mixed, self.inference_sweeps, self.inference_samples)

    def _check(self, views: Views) -> None:
        super()._check(views)
        check_samples(self.inference_samples, self.inference_sweeps)
