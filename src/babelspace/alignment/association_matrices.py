"""Association matrices: how strongly each source word of a sentence pair goes with each target word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.special
from numpy.typing import NDArray

from babelspace.alignment.bitext import Bitext
from babelspace.errors import ParameterError

Matrix = NDArray[Any]
BEST = 100


@dataclass(frozen=True, eq=False)
class Associations:
    """One matrix M = [m_ij] ≥ 0 a sentence pair, packed into one flat array.

    Matrix n has a row for each source word and a column for each target word, and before them row 0 and column 0 for
    the NULL words; they are zero where nothing is known of NULL. Bigger means closer. The scale matters: AIC and BIC
    read the entries as counts, as if each word had been seen 100 times in each direction.

    >>> pairs = Associations.of([[[5, 0], [0, 3]]])
    >>> pairs[0]
    array([[0., 0., 0.],
           [0., 5., 0.],
           [0., 0., 3.]], dtype=float32)
    """

    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    values: NDArray[np.float32]

    def __post_init__(self) -> None:
        expected = int(self.offsets[-1])
        if len(self.sources) != len(self.targets) or len(self.values) != expected:
            raise ParameterError(
                f"{len(self.sources):,} source lengths, {len(self.targets):,} target lengths and {len(self.values):,} "
                f"values do not fit: matrix n has (source length + 1) x (target length + 1), in all {expected:,}."
            )
        if not np.all(np.isfinite(self.values)) or np.any(self.values < 0):
            raise ParameterError("associations must be finite and not negative. Take exp() of log probabilities.")

    @classmethod
    def of(cls, matrices: Sequence[Any], null: bool = False) -> Associations:
        """Matrices source x target of any origin; with `null` their row 0 and column 0 are NULL already."""
        framed = [_framed(np.asarray(matrix, np.float32), null, number) for number, matrix in enumerate(matrices)]
        shapes = np.array([matrix.shape for matrix in framed], np.int32).reshape(-1, 2) - 1
        flat = np.concatenate([matrix.ravel() for matrix in framed]) if framed else np.zeros(0, np.float32)
        return cls(shapes[:, 0].copy(), shapes[:, 1].copy(), flat)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each matrix starts, and where the last one ends."""
        sizes = (self.sources.astype(np.int64) + 1) * (self.targets.astype(np.int64) + 1)
        return np.concatenate([[0], np.cumsum(sizes)])

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, sentence: int) -> NDArray[np.float32]:
        number = range(len(self))[sentence]
        sizes = (self.sources[: number + 1].astype(np.int64) + 1) * (self.targets[: number + 1] + 1)
        start = int(sizes[:-1].sum())
        shape = (int(self.sources[number]) + 1, int(self.targets[number]) + 1)
        return self.values[start : start + shape[0] * shape[1]].reshape(shape)


def from_posteriors(
    forward: Sequence[Matrix], reverse: Sequence[Matrix], combine: str = "sum", scale: float = BEST
) -> Associations:
    """Both directions' link posteriors in one matrix, `scale` counts a word and direction.

    `forward[n]` is (sources + 1) x targets: the probability that target word j comes from source word i, row 0 being
    NULL, so that columns sum to one. `reverse[n]` is sources x (targets + 1), column 0 being NULL, so that rows do.

    "sum" adds them: with a scale of 100 this is what long 100-best lists of both directions count. "agreement" takes
    twice the geometric mean, and what a word does not share with the other direction goes to NULL: links that one
    direction alone proposes count for little.
    """
    if combine not in ("sum", "agreement"):
        raise ParameterError(f"combine is {combine!r}. Use 'sum' or 'agreement'.")
    join = _sum if combine == "sum" else _agreement
    return Associations.of(
        [scale * join(*_matched(*pair, n)) for n, pair in enumerate(zip(forward, reverse, strict=True))], null=True
    )


def from_n_best(
    forward: Sequence[Matrix],
    reverse: Sequence[Matrix],
    weights: tuple[Sequence[Matrix], Sequence[Matrix]] | None = None,
    best: int = BEST,
) -> Associations:
    """How often words are linked in the `best` best alignments of both directions.

    `forward[n]` has a row for each alignment and in it, for each target word, the position of its source word, -1 for
    NULL; `reverse[n]` the same with the sides exchanged. `weights` are log probabilities of the rows: each direction
    then counts its alignments by probability, `best` in all, instead of once each.
    """
    if weights is None:
        weights = ([np.zeros(len(rows)) for rows in forward], [np.zeros(len(rows)) for rows in reverse])
        shares = [[np.ones(min(best, len(rows))) for rows in side] for side in (forward, reverse)]
    else:
        shares = [[_shares(np.asarray(part, float)[:best], best) for part in side] for side in weights]
    matrices = []
    for left, right, first, second in zip(forward, reverse, *shares, strict=True):
        down = _counted(np.asarray(left)[:best], first, np.asarray(right).shape[1])
        up = _counted(np.asarray(right)[:best], second, np.asarray(left).shape[1])
        matrices.append(_sum(down, up.T))
    return Associations.of(matrices, null=True)


def rank_weights(rows: Sequence[Matrix]) -> list[Matrix]:
    """Log weights of N-best lists by rank alone: the r-th alignment counts 1 / r as much as the first."""
    return [-np.log(np.arange(1, len(part) + 1)) for part in rows]


def from_co_occurrence(
    bitext: Bitext, statistic: str = "likelihood-ratio", best: int = BEST, lines: Sequence[int] | None = None
) -> Associations:
    """How strongly words go together by how often they are in the same sentence pairs; no aligner is trained.

    `statistic` is Dunning's log likelihood ratio of pairs that meet more often than by chance, or their (positive
    pointwise) "mutual-information". By mutual information alone rare words are near to everything they ever met, and
    by counts function words are: the ratio asks for evidence, and each word shares out `best` among the words of the
    other side, in both directions, so that a function word has no more to give than any other.
    With `lines` only the matrices of these sentence pairs are made; what words go together is counted in all.
    """
    both, left, right = _met(bitext)
    total = len(bitext)
    entries = both.tocoo()
    strength = _strength(entries.data.astype(float), left[entries.row], right[entries.col], total, statistic)
    table = sp.csr_array((strength, (entries.row, entries.col)), shape=both.shape)
    matrices = []
    for number in range(len(bitext)) if lines is None else lines:
        first, second = (
            side.ids[side.starts[number] : side.starts[number + 1]] for side in (bitext.source, bitext.target)
        )
        values = (
            table[first][:, second].toarray() if len(first) and len(second) else np.zeros((len(first), len(second)))
        )
        rows, columns = values.sum(axis=1, keepdims=True), values.sum(axis=0, keepdims=True)
        shares = values / np.where(rows > 0, rows, 1) + values / np.where(columns > 0, columns, 1)
        matrices.append(best * shares)
    return Associations.of(matrices)


def _met(bitext: Bitext) -> tuple[Any, Matrix, Matrix]:
    """In how many sentence pairs two words meet, and in how many each occurs."""
    present = []
    for side in (bitext.source, bitext.target):
        sentence = np.repeat(np.arange(len(bitext)), side.lengths)
        matrix = sp.csr_array(
            (np.ones(len(sentence), np.int32), (sentence, side.ids)), shape=(len(bitext), len(side.words))
        )
        matrix.sum_duplicates()
        matrix.data[:] = 1
        present.append(matrix)
    counts = [np.asarray(matrix.sum(axis=0), np.float64).ravel() for matrix in present]
    return sp.csr_array(present[0].T @ present[1]), counts[0], counts[1]


def _strength(both: Matrix, left: Matrix, right: Matrix, total: int, statistic: str) -> Matrix:
    """The statistic of each pair of words; 0 where it meets no more often than by chance."""
    expected = left * right / total
    if statistic == "mutual-information":
        return np.maximum(np.log(both / expected), 0)
    if statistic != "likelihood-ratio":
        raise ParameterError(f"unknown statistic {statistic!r}. Use 'likelihood-ratio' or 'mutual-information'.")
    cells = [both, left - both, right - both, total - left - right + both]
    chance = [expected, left - expected, right - expected, total - left - right + expected]
    ratio = 2 * sum(
        scipy.special.xlogy(seen, seen / np.maximum(mean, 1e-12)) for seen, mean in zip(cells, chance, strict=True)
    )
    return np.where(both > expected, np.maximum(ratio, 0), 0)


def table_posteriors(
    sources: Sequence[NDArray[np.int64]],
    targets: Sequence[NDArray[np.int64]],
    translation: Any,
    distortion: Callable[[int, int], Matrix] | None = None,
) -> list[Matrix]:
    """Link posteriors of one direction from the tables of IBM model 2, as `from_posteriors` takes them.

    `translation[f, e]` is t(e | f) for word ids, dense or sparse, with id 0 for the NULL word; `distortion(I, J)` is
    a(i | j, I, J) as (I + 1) x J with NULL in row 0, uniform if left out (then it is model 1).
    """
    return [
        _table_posterior(np.asarray(left), np.asarray(right), translation, distortion)
        for left, right in zip(sources, targets, strict=True)
    ]


def _table_posterior(left: Matrix, right: Matrix, translation: Any, distortion: Any) -> Matrix:
    words = np.concatenate([[0], left]).astype(np.int64)
    chosen = translation[words][:, right]
    scores = np.asarray(chosen.toarray() if hasattr(chosen, "toarray") else chosen, np.float64)
    if distortion is not None:
        scores = scores * distortion(len(left), len(right))
    total = scores.sum(axis=0)
    # A target word that the table does not know is left to NULL.
    return np.where(total > 0, scores / np.where(total > 0, total, 1), np.arange(len(words))[:, None] == 0)


def _framed(matrix: NDArray[np.float32], null: bool, number: int) -> NDArray[np.float32]:
    if matrix.ndim != 2 or (null and 0 in matrix.shape):
        raise ParameterError(
            f"matrix {number + 1} has shape {matrix.shape}; give source words x target words"
            + (", with a row and a column for NULL before them." if null else ".")
        )
    if null:
        return matrix
    return np.pad(matrix, ((1, 0), (1, 0)))


def _matched(forward: Matrix, reverse: Matrix, number: int) -> tuple[Matrix, Matrix]:
    if forward.ndim != 2 or reverse.shape != (forward.shape[0] - 1, forward.shape[1] + 1):
        raise ParameterError(
            f"sentence {number + 1}: forward posteriors have shape {forward.shape}, reverse ones {reverse.shape}. "
            "Give (sources + 1) x targets and sources x (targets + 1)."
        )
    return forward, reverse


def _agreement(forward: Matrix, reverse: Matrix) -> Matrix:
    shared = np.sqrt(np.asarray(forward[1:], np.float64) * reverse[:, 1:])
    total = np.zeros((forward.shape[0], reverse.shape[1]))
    total[1:, 1:] = 2 * shared
    total[0, 1:] = np.maximum(0, 1 - shared.sum(axis=0))
    total[1:, 0] = np.maximum(0, 1 - shared.sum(axis=1))
    return total


def _sum(forward: Matrix, reverse: Matrix) -> Matrix:
    total = np.zeros((forward.shape[0], reverse.shape[1]), np.float32)
    total[:, 1:] += forward
    total[1:, :] += reverse
    return total


def _shares(log_probabilities: Matrix, best: int) -> Matrix:
    if not len(log_probabilities):
        return log_probabilities
    weights = np.exp(log_probabilities - log_probabilities.max())
    return best * weights / weights.sum()


def _counted(rows: Matrix, weights: Matrix, partners: int) -> Matrix:
    """(partners + 1) x words: the weight of alignments in which a word is linked to each partner or to NULL."""
    words = rows.shape[1]
    if rows.size and (rows.min() < -1 or rows.max() >= partners):
        raise ParameterError(
            f"an N-best list links to position {int(rows.max())}, the other side has {partners} words (from 0; -1 is "
            "NULL). Check that forward and reverse belong to the same sentences."
        )
    counts = np.zeros((partners + 1, words))
    np.add.at(counts, (rows + 1, np.arange(words)), weights[:, None])
    return counts
