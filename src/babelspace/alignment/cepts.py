"""Cepts: groups of source and target words that translate each other, by orthogonal non-negative factorisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.association_matrices import Associations
from babelspace.alignment.links import NULL, Links
from babelspace.errors import ParameterError
from babelspace.kernels.alignment import cepts as kernels
from babelspace.runtime import progress
from babelspace.runtime.estimator import Estimator
from babelspace.runtime.parameters import Boolean, Choice, Integer, Real, check_parameters, estimator, parameter

CRITERIA = {"aic": kernels.AIC, "bic": kernels.BIC}
BLOCK = 2_000


@dataclass(frozen=True, eq=False)
class Cepts:
    """The cept of every word, packed; -1 where the word goes with NULL.

    `source_certainty` and `target_certainty` are P(cept | word) of these choices before they were made hard.
    """

    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    source_cept: NDArray[np.int32]
    target_cept: NDArray[np.int32]
    source_certainty: NDArray[np.float32]
    target_certainty: NDArray[np.float32]
    counts: NDArray[np.int32]
    noise: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.sources)

    def words(self, sentence: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The cepts of the source words and of the target words of one sentence pair."""
        number = range(len(self))[sentence]
        left, right = int(self.sources[:number].sum()), int(self.targets[:number].sum())
        return (
            self.source_cept[left : left + int(self.sources[number])],
            self.target_cept[right : right + int(self.targets[number])],
        )

    def links(self, null: bool = False, sure: float = 0.0) -> Links:
        """All pairs of words in one cept; with `null` also the words without one.

        A link is sure if P(cept | source word) P(cept | target word) is at least `sure`; else it is probable.
        """
        left, right = _owners(self.sources), _owners(self.targets)
        rank = np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])
        group = rank[left] + self.source_cept, rank[right] + self.target_cept
        pairs = _same(np.where(self.source_cept < 0, -1, group[0]), np.where(self.target_cept < 0, -1, group[1]))
        place = _places(self.sources), _places(self.targets)
        certain = self.source_certainty[pairs[0]] * self.target_certainty[pairs[1]]
        links = Links.packed(len(self), left[pairs[0]], place[0][pairs[0]], place[1][pairs[1]], certain >= sure)
        return links.with_null(self.sources, self.targets) if null else links


@estimator
class CeptAligner(Estimator):
    """Align words by factoring each sentence's association matrix into cepts.

    .. math::
        P(f, e) = \\sum_{c>0} P(c) P(f \\mid c) P(e \\mid c) + P(c{=}0) \\frac{1}{IJ}, \\qquad
        F_{ik} \\propto [k = \\arg\\max_c P(c) P(f_i \\mid c)]

    PLSA is fitted by EM to M = [m_ij]; then each word goes to its most probable cept, likewise on the target side. So
    the factors are orthogonal and alignments proper: every word is in one cept or goes with NULL, and every cept has
    words on both sides. A null cept for each side explains the NULL row and column alone. The number of cepts between
    1 and min(I, J) is the one with the best penalised likelihood (above 32 not every number is tried: sixteen first,
    then halfway around the best). Cepts that end with words on one side only are removed and their words reassigned. A
    pair with an empty side has no cepts: its words go with NULL.

    References
    ----------
    Goutte, Yamada & Gaussier (2004), Aligning words using matrix factorisation, sections 4 and 7.

    Examples
    --------
    >>> from babelspace.alignment.association_matrices import Associations
    >>> associations = Associations.of([[[90, 10, 0], [80, 20, 0], [0, 0, 100]]])
    >>> CeptAligner(null=False).align(associations).links()[0]
    [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)]
    """

    criterion: str = parameter(
        "aic", "How the number of cepts is chosen; bic takes fewer and larger cepts.", Choice(*CRITERIA)
    )
    search: str = parameter(
        "restarts",
        "Fit every number of cepts, or those that annealing passes. The first of the `restarts` is not random.",
        Choice("restarts", "anneal"),
    )
    restarts: int = parameter(1, "Starts for each number of cepts.", Integer(1))
    temperatures: int = parameter(10, "Steps of the annealing.", Integer(1))
    null: bool = parameter(True, "Let words go with NULL; otherwise every word is in a cept.", Boolean())
    noise: bool = parameter(True, "Model uniform noise, with estimated weight.", Boolean())
    orphans: str = parameter(
        "direct",
        "Reassign the words of a removed cept directly, or after fitting the others again.",
        Choice("direct", "refit"),
    )
    n_cepts: int | None = parameter(None, "This number of cepts (before orphans go) instead of a choice.", Integer(1))
    parameters: str = parameter(
        "all",
        "What the criterion counts: all parameters, or those of words that a cept has. The paper's are K (I + J - "
        "1), the others words with a share of their cept above 0.001. In long sentences nearly all words are "
        "absent from a cept, and to pay for them joins cepts that should be apart.",
        Choice("all", "present"),
    )
    penalty: float = parameter(1.0, "Factor on the criterion's penalty.", Real(low=0))
    floor: float = parameter(
        1.0, "Associations below this count as zero: 1 is one link in 200 alignments.", Real(low=0)
    )
    max_iter: int = parameter(100, "EM steps at most.", Integer(1))
    tol: float = parameter(1e-5, "EM stops when the log-likelihood of one count rises by less.", Real(low=0))
    random_state: int = parameter(0, "Seed of restarts and annealing; every sentence uses it afresh.", Integer(0))

    def align(self, associations: Associations) -> Cepts:
        """The cepts of every sentence pair."""
        settings = self._settings()
        offsets = associations.offsets
        found = []
        with progress.task("cepts", len(associations)) as advance:
            for start in range(0, len(associations), BLOCK):
                part = slice(start, start + BLOCK)
                stop = min(start + BLOCK, len(associations))
                values = associations.values[offsets[start] : offsets[stop]]
                places = offsets[start : stop + 1] - offsets[start]
                lengths = associations.sources[part], associations.targets[part]
                found.append(kernels.factorise(values, places, *lengths, settings))
                advance(stop - start)
        return Cepts(associations.sources, associations.targets, *_joined(found))

    def _settings(self) -> kernels.CeptSettings:
        check_parameters(self)
        annealed = self.search == "anneal"
        if annealed and self.n_cepts is not None:
            raise ParameterError(f"n_cepts={self.n_cepts} needs search='restarts'; annealing chooses the number.")
        return kernels.CeptSettings(
            null=bool(self.null),
            noise=bool(self.noise),
            criterion=CRITERIA[self.criterion],
            penalty=float(self.penalty),
            sparse=self.parameters == "present",
            refit=self.orphans == "refit",
            restarts=int(self.restarts),
            temperatures=int(self.temperatures) if annealed else 0,
            iterations=int(self.max_iter),
            tolerance=float(self.tol),
            seed=int(self.random_state),
            fixed=int(self.n_cepts or 0),
            floor=float(self.floor),
        )


def _joined(found: list[kernels.CeptFactors]) -> list[NDArray[Any]]:
    """The fields that `Cepts` keeps, of all blocks."""
    empty = kernels.CeptFactors(*(np.zeros(0, kind) for kind in ("i4", "i4", "f4", "f4", "i4", "f4", "f8")))
    return [np.concatenate(parts) for parts in list(zip(*(found or [empty]), strict=True))[:6]]


def _owners(lengths: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(lengths)), lengths)


def _places(lengths: NDArray[np.int32]) -> NDArray[np.int64]:
    """Positions 0, 1, … of the words inside their sentences."""
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    return np.arange(int(lengths.sum())) - np.repeat(starts, lengths)


def _same(left: NDArray[np.int64], right: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of positions with the same group; groups below 0 have none."""
    first, second = np.argsort(left, kind="stable"), np.argsort(right, kind="stable")
    first = first[left[first] != NULL]
    begin = np.searchsorted(right[second], left[first], side="left")
    count = np.searchsorted(right[second], left[first], side="right") - begin
    shift = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(first, count), second[np.repeat(begin, count) + shift]
