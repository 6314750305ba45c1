"""A model of the IBM-4 class: an HMM whose words also choose how many words they become."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.bitext import Bitext, TokenSide
from babelspace.alignment.hmm import HMM, jump_weights
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
from babelspace.kernels.alignment.fertility import Alignment, Fertilities, climb, sample
from babelspace.kernels.alignment.ibm import Posteriors
from babelspace.kernels.alignment.word_pairs import PackedText
from babelspace.runtime import progress
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.parameters import SEED, Integer, estimator, parameter
from babelspace.runtime.seeds import Seed, generator

# Fertilities 0 to 8 and "9 or more"; the prior of a word's fertilities is the language's, weighing this many words.
WIDTH, FERTILITY_PRIOR = 10, 4.0
# The N best are sought among this many times N of the HMM.
POOL = 4


@estimator
class Fertility(Aligner):
    """HMM with fertilities, by Gibbs sampling.

    .. math::
        p(f, a \\mid e) \\propto p_{\\mathrm{HMM}}(f, a \\mid e) \\prod_i n(\\varphi_i \\mid e_i), \\quad
        \\varphi_i = |\\{j : a_j = i\\}|

    Trained by Monte Carlo EM after the HMM: each sentence is swept by a Gibbs sampler with the tables fixed, expected
    links are means of the conditional probabilities met on the way, and all tables are estimated from them (jumps and
    fertilities from the samples). `viterbi` climbs from the HMM's best alignment by moves of single words; `n_best`
    takes the HMM's best alignments in the order of this model's probability; its scores lack the normalising constant.

    References
    ----------
    Zhao & Gildea (2010), A Fast Fertility Hidden Markov Model for Word Alignment Using MCMC. Östling & Tiedemann
    (2016), Efficient Word Alignment with Markov Chain Monte Carlo.

    Examples
    --------
    >>> from babelspace.alignment import Bitext, Fertility
    >>> bitext = Bitext.of([["a", "b", "c"], ["b", "c"], ["a"]], [["x", "y", "z"], ["y", "z"], ["x"]])
    >>> Fertility().fit(bitext).posteriors(bitext).links(0.5)[0]
    [(0, 0), (1, 1), (2, 2)]
    """

    name = "fertility"
    chain = True
    arrays = ("tension_", "jumps_", "source_fertilities_", "target_fertilities_", "seed_")

    iterations: int = parameter(2, ITERATIONS)
    hmm_iterations: int = parameter(3, "EM steps of the HMM before.", Integer(0))
    model1_iterations: int = parameter(3, MODEL1_ITERATIONS)
    sweeps: int = parameter(
        8, "Counted sweeps over each sentence in each EM step; half as many go before them.", Integer(1)
    )
    null: float = parameter(0.07, NULL_SHARE)
    prior: float = parameter(1e-5, PRIOR)
    sparse: bool = parameter(False, SPARSE)
    agree: bool = parameter(True, AGREE)
    backoff: float = parameter(5.0, BACKOFF)
    stem: int = parameter(4, STEM)
    random_state: Seed = parameter(0, SEED)

    def _restore(self, arrays: CheckedArrays) -> None:
        super()._restore(arrays)
        # A row more than there are words: that of words never met.
        sides = arrays.size("source") + 1, arrays.size("target") + 1
        self.source_fertilities_ = arrays.floats("source_fertilities_", sides[0], WIDTH, low=0)
        self.target_fertilities_ = arrays.floats("target_fertilities_", sides[1], WIDTH, low=0)
        self.seed_ = arrays.whole("seed_", 1, low=-(1 << 63))

    def _train(self, bitext: Bitext) -> None:
        shared = {name: value for name, value in self.parameters().items() if name in HMM._parameters}
        start = HMM(**shared | {"iterations": self.hmm_iterations}).fit(bitext)
        self.lexicon_, self.jumps_ = start.lexicon_, start.jumps_
        seeds = generator(self.random_state).integers(2**63, size=self.iterations + 1)
        self.seed_ = seeds[-1:]
        text, cells, prior = bitext.text, bitext.table.cells, self._prior(bitext)
        state = start._viterbi(text, cells)
        self._learn_fertilities(bitext, *_fertilities_of(text, state))
        for seed in progress.track(seeds[:-1], "fertility"):
            drawn = sample(
                text, cells, self.lexicon_, self.null, self.jumps_, self._fertilities, state, self._sweeps, self.agree,
                int(seed),
            )  # fmt: skip
            self.lexicon_ = learned_lexicon(bitext, drawn.posteriors, prior)
            self.jumps_ = jump_weights(drawn.jumps / self.sweeps)
            self._learn_fertilities(bitext, drawn.source, drawn.target)

    def _expect(self, text: PackedText, cells: Cells, agree: bool) -> Posteriors:
        jumps, state = self._wide_jumps(text), super()._viterbi(text, cells)
        settings = (self.lexicon_, self.null, jumps, self._fertilities, state, self._sweeps, agree, int(self.seed_[0]))
        return sample(text, cells, *settings).posteriors

    def _viterbi(self, text: PackedText, cells: Cells) -> Alignment:
        state = super()._viterbi(text, cells)
        return climb(text, cells, self.lexicon_, self.null, self._wide_jumps(text), self._fertilities, state)

    def _n_best(
        self, text: PackedText, cells: Cells, side: int, n: int
    ) -> tuple[list[NDArray[np.int32]], list[NDArray[np.float64]]]:
        pool, scores = super()._n_best(text, cells, side, POOL * n)
        ids, starts = (text.source, text.source_starts) if side == 0 else (text.target, text.target_starts)
        table = np.log(self._fertilities[side])
        for number, (rows, values) in enumerate(zip(pool, scores, strict=True)):
            words = ids[starts[number] : starts[number + 1]]
            better = values + np.array([_fertility_score(row, words, table) for row in rows])
            order = np.argsort(-better, kind="stable")[:n]
            pool[number], scores[number] = rows[order], better[order]
        return pool, scores

    @property
    def _sweeps(self) -> tuple[int, int]:
        return self.sweeps // 2, self.sweeps

    @property
    def _fertilities(self) -> Fertilities:
        return Fertilities(self.source_fertilities_, self.target_fertilities_)

    def _learn_fertilities(self, bitext: Bitext, source: NDArray[np.uint8], target: NDArray[np.uint8]) -> None:
        self.source_fertilities_ = fertility_table(bitext.source, source)
        self.target_fertilities_ = fertility_table(bitext.target, target)


def fertility_table(side: TokenSide, seen: NDArray[np.uint8]) -> NDArray[np.float32]:
    """n(φ | word) from fertilities seen in one or more sweeps (rows); the last row, for unknown words, is the mean."""
    capped = np.minimum(seen, WIDTH - 1).astype(np.int64)
    cells = (side.ids.astype(np.int64) * WIDTH + capped).ravel()
    counts = np.bincount(cells, minlength=len(side.words) * WIDTH).reshape(-1, WIDTH) / len(seen)
    mean = counts.sum(axis=0) + 0.5
    mean /= mean.sum()
    smooth = np.vstack([counts, np.zeros(WIDTH)]) + FERTILITY_PRIOR * mean
    return (smooth / smooth.sum(axis=1, keepdims=True)).astype(np.float32)


def _fertilities_of(text: PackedText, state: Alignment) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """How many words each source word (forward) and each target word (reverse) explains, as one sweep."""
    found = []
    for chosen, starts, others in (
        (state.forward, text.target_starts, text.source_starts),
        (state.reverse, text.source_starts, text.target_starts),
    ):
        sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        linked = chosen >= 0
        counts = np.bincount(others[sentence[linked]] + chosen[linked], minlength=int(others[-1]))
        found.append(np.minimum(counts, 255).astype(np.uint8)[None, :])
    return found[0], found[1]


def _fertility_score(row: NDArray[np.int32], words: NDArray[np.int32], table: NDArray[np.float32]) -> float:
    counts = np.bincount(row[row >= 0], minlength=len(words))
    return float(table[words, np.minimum(counts, WIDTH - 1)].sum())
