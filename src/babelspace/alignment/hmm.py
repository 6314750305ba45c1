"""The hidden Markov model of word positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.bitext import Bitext
from babelspace.alignment.ibm import train_independent
from babelspace.alignment.model import (
    AGREE,
    BACKOFF,
    ITERATIONS,
    MODEL1_ITERATIONS,
    NULL_SHARE,
    PRIOR,
    SPARSE,
    STEM,
    Aligner,
    Cells,
)
from babelspace.alignment.tables import learned_lexicon
from babelspace.kernels.alignment.hmm import hmm_posteriors
from babelspace.kernels.alignment.ibm import Posteriors
from babelspace.kernels.alignment.word_pairs import PackedText
from babelspace.runtime import progress
from babelspace.runtime.parameters import estimator, parameter

# Pseudo-count of each jump.
JUMP_PRIOR = 0.5


@estimator
class HMM(Aligner):
    """A position follows the one before: most jumps are one step ahead.

    .. math::
        p(f, a \\mid e) = c(I + 1 \\mid a_J) \\prod_j \\begin{cases} p_0\\, t(f_j \\mid \\mathrm{NULL}) \\\\
        (1 - p_0)\\, c(a_j \\mid a_{j-})\\, t(f_j \\mid e_{a_j}) \\end{cases}, \\quad
        c(i \\mid i') = \\frac{w(i - i')}{\\sum_{k=1}^{I + 1} w(k - i')}

    Here :math:`a_{j-}` is the last position before j that is not NULL (0 at the start), and I + 1 is the end of the
    sentence. Trained by EM with the exact forward-backward recursion after a few steps of model 1. The weights w are
    relative expected counts of jumps; the normalisation by what is in range is left out of that step. With `agree`
    both directions learn their words from the product of their link posteriors, which is what makes this model good.

    References
    ----------
    Vogel, Ney & Tillmann (1996), HMM-Based Word Alignment in Statistical Translation. Och & Ney (2003), A Systematic
    Comparison of Various Statistical Alignment Models (NULL). Liang, Taskar & Klein (2006), Alignment by Agreement.

    Examples
    --------
    >>> from babelspace.alignment import HMM, Bitext
    >>> bitext = Bitext.of([["a", "b", "c"], ["b", "c"], ["a"]], [["x", "y", "z"], ["y", "z"], ["x"]])
    >>> aligner = HMM().fit(bitext)
    >>> aligner.posteriors(bitext).links(0.5)[0]
    [(0, 0), (1, 1), (2, 2)]
    """

    name = "hmm"
    chain = True

    iterations: int = parameter(3, ITERATIONS)
    model1_iterations: int = parameter(3, MODEL1_ITERATIONS)
    null: float = parameter(0.07, NULL_SHARE)
    prior: float = parameter(1e-5, PRIOR)
    sparse: bool = parameter(False, SPARSE)
    agree: bool = parameter(True, AGREE)
    backoff: float = parameter(5.0, BACKOFF)
    stem: int = parameter(4, STEM)

    def _train(self, bitext: Bitext) -> None:
        train_independent(self, bitext, self.model1_iterations)
        self.jumps_ = peaked_jumps(bitext.longest)
        train_chain(self, bitext, self.iterations)

    def _expect(self, text: PackedText, cells: Cells, agree: bool) -> Posteriors:
        return hmm_posteriors(text, cells, self.lexicon_, self.null, self._wide_jumps(text), agree)[0]


def train_chain(aligner: Aligner, bitext: Bitext, iterations: int) -> None:
    """EM steps of the HMM on the tables of an aligner."""
    prior = aligner._prior(bitext)
    for _ in progress.track(range(iterations), "HMM"):
        found, jumps = hmm_posteriors(
            bitext.text, bitext.table.cells, aligner.lexicon_, aligner.null, aligner.jumps_, aligner.agree
        )
        aligner.lexicon_ = learned_lexicon(bitext, found, prior)
        aligner.jumps_ = jump_weights(jumps)


def peaked_jumps(longest: int) -> NDArray[np.float32]:
    """Where training starts: jumps fall off on both sides of one step ahead."""
    offsets = np.arange(-longest - 1, longest + 2)
    return jump_weights(np.tile(1000 * np.exp(-0.3 * np.abs(offsets - 1)), (2, 1)))


def jump_weights(counts: NDArray[np.float64]) -> NDArray[np.float32]:
    """Relative counts of each direction, smoothed."""
    smooth = counts + JUMP_PRIOR
    return (smooth / smooth.sum(axis=1, keepdims=True)).astype(np.float32)
