"""How strong should the penalty of kernel CCA be? As random pairs of documents say (the paper), or held-out mates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from babelspace.vectors.mates import mate_ranks

Values = NDArray[np.float64]
GRID: Values = np.geomspace(0.03, 30, 13)
# From where random pairs correlate as mates do, to where only the first direction is left.
RETRIEVAL_GRID: Values = np.geomspace(3e-4, 30, 11)


@dataclass(frozen=True)
class KappaCurve:
    """Distances of the correlations from all ones, for each κ, averaged over pairs of languages.

    `paired` is of mates, `repaired` of random pairs across languages, `alone` of random pairs within a language.
    """

    kappas: Values
    paired: Values
    repaired: Values
    alone: Values
    documents: int

    @property
    def gap(self) -> Values:
        """How much farther random pairs are from perfect correlation than mates."""
        return self.repaired - self.paired

    @property
    def best(self) -> float:
        """The κ with the largest gap."""
        return float(self.kappas[np.argmax(self.gap)])


def spectrum_curve(
    kernels: Sequence[NDArray[Any]], kappas: Values, rng: np.random.Generator, *, penalty: str, alone: bool = True
) -> KappaCurve:
    """The curve of row-aligned kernel matrices; each is decomposed once, whatever the number of κ."""
    size = len(kernels[0])
    spectra = [_spectrum(kernel) for kernel in kernels]
    order = rng.permutation(size)
    power = 0.5 if penalty == "norm" else 1.0
    pairs = list(combinations(range(len(kernels)), 2))

    def curve(couples: list[tuple[int, int]], rows: NDArray[Any]) -> Values:
        each = [_distances(spectra[i], spectra[j], rows, kappas, power) for i, j in couples]
        return np.mean(each, axis=0)

    own = [(i, i) for i in range(len(kernels))]
    nothing = np.full(len(kappas), np.nan)
    return KappaCurve(
        kappas, curve(pairs, np.arange(size)), curve(pairs, order), curve(own, order) if alone else nothing, size
    )


@dataclass(frozen=True)
class HeldOutKernel:
    """One language: the kernel of the rows to learn from, of held-out rows with them, and the means of its columns.

    The first is centred (if asked for), the second is not; both are divided by the scale.
    """

    training: NDArray[Any]
    cross: NDArray[Any]
    means: Values
    center: bool
    unit: float = 1.0
    """What κ is divided by."""

    def directions(self, values: Values, vectors: Values, kappa: float, penalty: str) -> tuple[Values, Values]:
        """What each eigenvector of the training kernel is shrunk by, and coefficients of the whitened eigenvectors."""
        share = kappa / self.unit
        if penalty == "norm":
            inside = values > 1e-10 * values.max(initial=0)
            root = np.sqrt(np.where(inside, values * (values + share), 1))
            return np.sqrt(values / (values + share)), vectors * np.where(inside, 1 / root, 0)
        return values / (values + share), vectors / (values + share)

    def project(self, coefficients: Values) -> Values:
        """The held-out rows in directions given by coefficients of the training rows."""
        if not self.center:
            return self.cross @ coefficients
        centred = coefficients - coefficients.mean(axis=0)
        return self.cross @ centred - self.means @ centred


def retrieval_curve(
    languages: Sequence[HeldOutKernel], kappas: Values, rank: int, penalty: str, power: float
) -> Values:
    """The mean reciprocal rank of held-out mates for each κ, averaged over pairs of languages and directions."""
    spectra = [_spectrum(language.training) for language in languages]
    scores = np.zeros(len(kappas))
    pairs = list(combinations(range(len(languages)), 2))
    for i, j in pairs:
        cosines = spectra[i][1].T @ spectra[j][1]
        for place, kappa in enumerate(kappas):
            sides = [languages[k].directions(*spectra[k], kappa, penalty) for k in (i, j)]
            left, values, right = scipy.linalg.svd(sides[0][0][:, None] * cosines * sides[1][0], full_matrices=False)
            weights = np.clip(values[:rank], 0, None) ** power
            first = languages[i].project(sides[0][1] @ (left[:, :rank] * weights))
            second = languages[j].project(sides[1][1] @ (right[:rank].T * weights))
            ranks = [mate_ranks(first, second), mate_ranks(second, first)]
            scores[place] += float(np.mean(1 / np.concatenate(ranks))) / len(pairs)
    return scores


def _spectrum(kernel: NDArray[Any]) -> tuple[Values, Values]:
    values, vectors = scipy.linalg.eigh(kernel)
    return np.clip(values, 0, None), vectors


def _distances(
    first: tuple[Values, Values], second: tuple[Values, Values], rows: NDArray[Any], kappas: Values, power: float
) -> Values:
    """|1 - ρ| over the correlations that are one on any data without a penalty, or over all if there are none such.

    Repeated documents take dimensions away, and mates lose the same ones in both languages, random pairs different
    ones; so only as many are compared as two unrelated subspaces must share.
    """
    cosines = first[1].T @ second[1][rows]
    counts = [int((values > kappas[0] / 10).sum()) for values, _ in (first, second)]
    shared = sum(counts) - len(rows) + 1
    kept = shared if shared > 0 else max(min(counts), 1)
    distances = []
    for kappa in kappas:
        left, right = ((values / (values + kappa)) ** power for values, _ in (first, second))
        whitened = left[:, None] * cosines * right
        # Half the time of singular values; what squaring loses is far below what a distance from one can show.
        squares = scipy.linalg.eigvalsh(whitened @ whitened.T)[::-1][:kept]
        distances.append(float(np.linalg.norm(1 - np.sqrt(np.clip(squares, 0, None)))))
    return np.array(distances)
