"""IBM models 1 and 2: each word chooses its position alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.bitext import Bitext
from babelspace.alignment.model import (
    AGREE,
    BACKOFF,
    ITERATIONS,
    NULL_SHARE,
    PRIOR,
    SPARSE,
    STEM,
    Aligner,
    Cells,
)
from babelspace.alignment.tables import learned_lexicon
from babelspace.kernels.alignment.ibm import Posteriors, independent_posteriors
from babelspace.kernels.alignment.table_estimation import mean_closeness
from babelspace.kernels.alignment.word_pairs import PackedText
from babelspace.runtime import progress
from babelspace.runtime.parameters import Real, estimator, parameter

STEEPEST = 30.0


@estimator
class IBM1(Aligner):
    """Model 1: all positions are equally likely.

    .. math::
        p(f, a \\mid e) = \\prod_j \\begin{cases} p_0\\, t(f_j \\mid \\mathrm{NULL}) \\\\
        \\frac{1 - p_0}{I}\\, t(f_j \\mid e_{a_j}) \\end{cases}

    Trained by EM. The tables t have a Dirichlet prior; with `agree` both directions learn from the product of their
    link posteriors, so that only links that both believe count. With `backoff` κ a word of few links believes those of
    its stem S, the words that begin as it does:

    .. math::
        t(f \\mid e) = \\frac{c(e, f) + \\kappa\\, s(f \\mid e)}{c(e) + \\kappa}, \\quad
        s(f \\mid e) = \\frac{c(S(e), S(f))}{c(S(e))} \\cdot \\frac{n(f)}{n(S(f))}

    with expected links c and occurrences n. A stem that both languages spell alike, of full length or with a digit in
    it, counts as linked once more.

    References
    ----------
    Brown et al. (1993), The Mathematics of Statistical Machine Translation. Liang, Taskar & Klein (2006), Alignment by
    Agreement. Fraser & Marcu (2005), ISI's Participation in the Romanian-English Alignment Task (stems of four
    letters). MacKay & Bauman Peto (1995), A Hierarchical Dirichlet Language Model (back-off as a prior).

    Examples
    --------
    >>> from babelspace.alignment import IBM1, Bitext
    >>> source = [["the", "house"], ["the", "book"], ["a", "book"]]
    >>> target = [["das", "haus"], ["das", "buch"], ["ein", "buch"]]
    >>> bitext = Bitext.of(source, target)
    >>> forward, reverse = IBM1().fit(bitext).viterbi(bitext)
    >>> forward[1], reverse[2]
    ([(0, 0), (1, 1)], [(0, 0), (1, 1)])
    """

    name = "ibm1"

    iterations: int = parameter(5, ITERATIONS)
    null: float = parameter(0.08, NULL_SHARE)
    prior: float = parameter(1e-5, PRIOR)
    sparse: bool = parameter(False, SPARSE)
    agree: bool = parameter(True, AGREE)
    backoff: float = parameter(0.0, BACKOFF)
    stem: int = parameter(4, STEM)

    def _train(self, bitext: Bitext) -> None:
        train_independent(self, bitext, self.iterations)

    def _expect(self, text: PackedText, cells: Cells, agree: bool) -> Posteriors:
        return independent_posteriors(text, cells, self.lexicon_, self.null, self.tension_, agree)[0]


@estimator
class IBM2(IBM1):
    """Model 2 with a diagonal: positions near the same relative place are likelier.

    .. math::
        p(a_j = i \\mid j) = (1 - p_0) \\frac{e^{-\\lambda h(i, j)}}{\\sum_{i'} e^{-\\lambda h(i', j)}}, \\quad
        h(i, j) = \\left| \\frac{i - 1/2}{I} - \\frac{j - 1/2}{J} \\right|

    The tension λ of each direction is learned: after each EM step it is moved by Newton steps to where the expected
    distance of the model equals that of the links.

    References
    ----------
    Dyer, Chahuneau & Smith (2013), A Simple, Fast, and Effective Reparameterization of IBM Model 2.

    Examples
    --------
    >>> from babelspace.alignment import IBM2, Bitext
    >>> bitext = Bitext.of([["a", "b", "c"], ["a", "b"]], [["x", "y", "z"], ["x", "y"]])
    >>> forward, reverse = IBM2().fit(bitext).viterbi(bitext)
    >>> forward[0]
    [(0, 0), (1, 1), (2, 2)]
    """

    name = "ibm2"

    tension: float = parameter(
        4.0, "How strongly (λ) positions near the diagonal are preferred at the start.", Real(low=0, high=STEEPEST)
    )

    def _train(self, bitext: Bitext) -> None:
        self.tension_ = np.full(2, float(self.tension))
        train_independent(self, bitext, self.iterations, learn_tension=True)


def train_independent(aligner: Aligner, bitext: Bitext, iterations: int, learn_tension: bool = False) -> None:
    """EM steps of model 1 or 2 on the tables of an aligner."""
    shapes, prior = _shapes(bitext) if learn_tension else None, aligner._prior(bitext)
    for _ in progress.track(range(iterations), "model 2" if learn_tension else "model 1"):
        found, closeness = independent_posteriors(
            bitext.text, bitext.table.cells, aligner.lexicon_, aligner.null, aligner.tension_, aligner.agree
        )
        aligner.lexicon_ = learned_lexicon(bitext, found, prior)
        if shapes is not None:
            links = [np.sum(1 - null, dtype=np.float64) for null in (found.target_null, found.source_null)]
            # Words without a link would follow the same diagonal.
            words = shapes[1] @ shapes[0]
            seen = closeness * words / np.maximum(links, 1e-9)
            aligner.tension_ = np.array([_tension(aligner.tension_[d], seen[d], shapes, d) for d in (0, 1)])


def _shapes(bitext: Bitext) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct (target words, source words) of sentence pairs without an empty side, and how often each occurs."""
    lengths = np.stack([bitext.target.lengths, bitext.source.lengths], axis=1)
    return np.unique(lengths[lengths.min(axis=1) > 0], axis=0, return_counts=True)


def _tension(start: float, closeness: float, shapes: tuple[NDArray[np.int64], NDArray[np.int64]], side: int) -> float:
    """Newton steps to the λ whose expected closeness is the one observed."""
    lengths = np.ascontiguousarray(shapes[0] if side == 0 else shapes[0][:, ::-1])
    tension = start
    for _ in range(6):
        expected, slope = mean_closeness(lengths, shapes[1], tension)
        # A step may overshoot where the curve is flat: stay in range.
        tension = float(np.clip(tension + (closeness - expected) / max(slope, 1e-9), 0.05, STEEPEST))
    return tension
