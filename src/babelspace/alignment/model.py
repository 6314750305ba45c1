"""What every word aligner is: trained on a bitext, it aligns that bitext or another, in both directions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.bitext import Bitext
from babelspace.alignment.links import NULL, Links
from babelspace.alignment.posteriors import LinkPosteriors
from babelspace.alignment.tables import LexiconPrior, group_stems, uniform_lexicon
from babelspace.errors import BabelspaceError, ParameterError
from babelspace.kernels.alignment.decode import best_alignments, n_best_alignments
from babelspace.kernels.alignment.fertility import Alignment
from babelspace.kernels.alignment.ibm import LexiconTables, Posteriors
from babelspace.kernels.alignment.word_pairs import PackedText, WordPairs, find_cells
from babelspace.runtime.artifact import ALIGNER, Artifact, plain_value
from babelspace.runtime.checked_arrays import CheckedArrays, DamagedArray
from babelspace.runtime.parameters import Boolean, Integer, Parameter, Real, Table, check_parameters
from babelspace.runtime.storable import Storable

Cells = NDArray[np.int32]
KIND = ALIGNER
ITERATIONS = Parameter("EM steps.", Integer(0))
MODEL1_ITERATIONS = Parameter("EM steps of model 1 before.", Integer(0))
NULL_SHARE = Parameter("Probability p₀ that a word comes from NULL.", Real(above=0, below=1))
PRIOR = Parameter("Pseudo-count of each pair of words.", Real(above=0))
SPARSE = Parameter(
    "Let small counts shrink: the variational mean under the prior. That is exp ψ(c), not the posterior mean.",
    Boolean(),
)
AGREE = Parameter("Train both directions jointly.", Boolean())
BACKOFF = Parameter("Pseudo-count κ of each word, shared out as the links of its stem are.", Real(low=0))
STEM = Parameter("First letters that make a stem, large or small.", Integer(1))


@dataclass(frozen=True, eq=False)
class NBest:
    """The best alignments of each sentence, one a row, best first, and the log probabilities log p(f, a | e).

    `forward[n]` has a column for each target word with its source position, -1 for NULL; `reverse[n]` the other way
    round. A sentence without words on one side has one alignment, all NULL.
    """

    forward: list[NDArray[np.int32]]
    reverse: list[NDArray[np.int32]]
    forward_scores: list[NDArray[np.float64]]
    reverse_scores: list[NDArray[np.float64]]


class Aligner(Storable, ABC):
    """Base of all aligners; a subclass writes `_train` and `_expect`.

    Words that training did not meet are taken as one unknown word. It is linked to an unknown word of the other side
    if there is one, by position, and else to NULL; words that never met in training are hardly ever linked.
    """

    kind, called, made_by = KIND, "aligner", "{train_aligner()}"
    name: ClassVar[str]
    # Whether a position depends on the one before.
    chain: ClassVar[bool] = False
    # Names of fitted arrays beside the lexicon.
    arrays: ClassVar[tuple[str, ...]] = ("tension_", "jumps_")

    _parameters: ClassVar[Table]
    null: float
    prior: float
    sparse: bool
    agree: bool
    backoff: float
    stem: int

    def fit(self, bitext: Bitext) -> Self:
        """Learn both directions from a bitext; sentence pairs with an empty side teach nothing."""
        self._check(bitext)
        self.source_words_, self.target_words_ = bitext.source.words, bitext.target.words
        self.pairs_ = bitext.table.pairs
        self.lexicon_ = uniform_lexicon(bitext)
        self.tension_ = np.zeros(2)
        self.jumps_ = np.ones((2, 2 * bitext.longest + 3), np.float32)
        self._train(bitext)
        return self

    def posteriors(self, bitext: Bitext) -> LinkPosteriors:
        """Link probabilities of each sentence pair in both directions."""
        text, cells = self._read(bitext)
        return LinkPosteriors(bitext, self._expect(text, cells, agree=False))

    def viterbi(self, bitext: Bitext) -> tuple[Links, Links]:
        """The most probable alignment of each direction: source words for target words, and the other way round."""
        best = self._viterbi(*self._read(bitext))
        return links_of(bitext, best.forward, forward=True), links_of(bitext, best.reverse, forward=False)

    def n_best(self, bitext: Bitext, n: int = 100) -> NBest:
        """The n most probable alignments of each direction, or all where there are fewer."""
        if n < 1:
            raise ParameterError(f"n must be at least 1, got {n}. The paper uses 100.")
        text, cells = self._read(bitext)
        (forward, forward_scores), (reverse, reverse_scores) = (self._n_best(text, cells, side, n) for side in (0, 1))
        return NBest(forward, reverse, forward_scores, reverse_scores)

    def translations(self) -> tuple[WordPairs, NDArray[np.float32]]:
        """The pairs of words that met, and t(target | source) and t(source | target) of each."""
        self._check_fitted()
        return self.pairs_, self.lexicon_.pairs[:-2]

    def pack(self) -> Artifact:
        """The tables and the words that they are of."""
        self._check_fitted()
        card = {"kind": KIND, "aligner": self.name, "parameters": plain_value(self.parameters())}
        found = {f"lexicon.{part}": array for part, array in self.lexicon_._asdict().items()}
        found |= {f"pairs.{part}": array for part, array in self.pairs_._asdict().items()}
        found |= {name: getattr(self, name) for name in self.arrays}
        words = {"source": list(self.source_words_), "target": list(self.target_words_)}
        return Artifact(card, found, words)

    @classmethod
    def unpack(cls, stored: Artifact) -> Self:
        """A trained aligner of the name on the card."""
        from babelspace.alignment.registry import ALIGNERS

        # Of cls, unless somebody loads an HMM by the class of another aligner.
        aligner = ALIGNERS[stored.card["aligner"]](**stored.card["parameters"])
        check_parameters(aligner)
        return cast(Self, aligner.restore(stored))

    def parameters(self) -> dict[str, Any]:
        """The settings by name."""
        return {name: getattr(self, name) for name in self._parameters}

    def restore(self, saved: Artifact) -> Self:
        """Take the arrays of a saved aligner."""
        self.source_words_, self.target_words_ = tuple(saved.lines["source"]), tuple(saved.lines["target"])
        source, target = len(self.source_words_), len(self.target_words_)
        arrays = CheckedArrays(saved.arrays, source=source, target=target)
        partners = arrays.whole("pairs.partners", "pairs", below="target")
        starts = arrays.whole("pairs.starts", source + 1, below=len(partners) + 1, rising=True)
        if starts[0] != 0 or starts[-1] != len(partners):
            raise DamagedArray("'pairs.starts' does not reach from the first pair to the last")
        self.pairs_ = WordPairs(starts, partners)
        # One place more than there are words: that of words never met; two rows more than pairs.
        self.lexicon_ = LexiconTables(
            arrays.floats("lexicon.pairs", len(partners) + 2, 2, low=0),
            arrays.floats("lexicon.target_null", target + 1, low=0),
            arrays.floats("lexicon.source_null", source + 1, low=0),
        )
        self._restore(arrays)
        arrays.finish()
        return self

    def _restore(self, arrays: CheckedArrays) -> None:
        """Take the arrays beside the lexicon."""
        self.tension_ = arrays.floats("tension_", 2)
        self.jumps_ = arrays.floats("jumps_", 2, None, low=0)
        if self.jumps_.shape[1] % 2 == 0:
            raise DamagedArray("'jumps_' has no middle")

    @abstractmethod
    def _train(self, bitext: Bitext) -> None:
        """Improve the fitted tables."""

    @abstractmethod
    def _expect(self, text: PackedText, cells: Cells, agree: bool) -> Posteriors:
        """Link posteriors of both directions, or their product in both."""

    def _viterbi(self, text: PackedText, cells: Cells) -> Alignment:
        settings = (self.lexicon_, self.null, self.tension_, self._wide_jumps(text), self.chain)
        return Alignment(*(best_alignments(text, cells, *settings, side) for side in (0, 1)))

    def _n_best(
        self, text: PackedText, cells: Cells, side: int, n: int
    ) -> tuple[list[NDArray[np.int32]], list[NDArray[np.float64]]]:
        settings = (self.lexicon_, self.null, self.tension_, self._wide_jumps(text), self.chain)
        return n_best_alignments(text, cells, *settings, side, n)

    def _wide_jumps(self, text: PackedText) -> NDArray[np.float32]:
        """Jump weights for the longest sentence of a text; jumps longer than any learned are as likely as the last."""
        longest = max(int(np.diff(starts).max(initial=0)) for starts in (text.source_starts, text.target_starts))
        middle = self.jumps_.shape[1] // 2
        if longest < middle:
            return self.jumps_
        return np.pad(self.jumps_, ((0, 0), (longest + 1 - middle,) * 2), mode="edge")

    def _read(self, bitext: Bitext) -> tuple[PackedText, Cells]:
        """A text with the ids of training, and the pair of each cell."""
        self._check_fitted()
        if "table" in bitext.__dict__ and bitext.table.pairs is self.pairs_:
            return bitext.text, bitext.table.cells
        text = bitext.numbered(self.source_words_, self.target_words_)
        return text, find_cells(text, self.pairs_, len(self.target_words_))

    def _prior(self, bitext: Bitext) -> LexiconPrior:
        return LexiconPrior(self.prior, self.prior, self.sparse, self.backoff, group_stems(bitext, self.stem))

    def _check(self, bitext: Bitext) -> None:
        check_parameters(self)
        if len(bitext) == bitext.empty:
            raise ParameterError(
                f"nothing to learn from: {len(bitext):,} sentence pairs, none with words on both sides. "
                "Check the two files."
            )

    def _check_fitted(self) -> None:
        if not hasattr(self, "lexicon_"):
            raise BabelspaceError(f"this {type(self).__name__} is not trained. Call fit(bitext) or load a saved one.")


def links_of(bitext: Bitext, chosen: NDArray[np.int32], forward: bool) -> Links:
    """Links from the position that each word of the explained side has chosen."""
    side = bitext.target if forward else bitext.source
    sentence = np.repeat(np.arange(len(bitext)), side.lengths)
    place = np.arange(len(chosen)) - side.starts[sentence]
    known = chosen != NULL
    ends = (chosen[known], place[known]) if forward else (place[known], chosen[known])
    return Links.packed(len(bitext), sentence[known], *ends)


def load_aligner(folder: str | Path) -> Aligner:
    """A saved aligner, ready to align new text."""
    return Aligner.load(folder)
