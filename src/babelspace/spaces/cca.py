"""Canonical correlation analysis for two or more languages."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import HolesError, ParameterError
from babelspace.features import Views
from babelspace.kernels.covariance import CentredRows, RidgeCovariance
from babelspace.kernels.subspace import Pencil, leading_eigenpairs
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense, LinearSpace, column_means


class CCA(LinearSpace):
    """One projection for each language, chosen so that the projections of mates are correlated.

    .. math::
        S v = \\lambda N v, \\quad
        S = \\begin{bmatrix} 0 & C_{12} \\\\ C_{21} & 0 \\end{bmatrix}, \\quad
        N = \\begin{bmatrix} C_{11} + \\gamma I & 0 \\\\ 0 & C_{22} + \\gamma I \\end{bmatrix}, \\qquad
        \\phi_m(x) = (x - \\mu_m) V_m \\Lambda^p

    More languages add blocks (the SUMCOR form). Each language uses only its own words: a spelling that two languages
    share gives no information here. Covariances between two languages are never formed; only each language's own
    (or its row twin) is, 4 · min(rows, columns)² bytes. With holes, C_ij is over the rows that have both languages.

    Parameters
    ----------
    n_components : int
        Dimensions d.
    gamma : float
        The ridge γ; the paper tuned it to 10 (Europarl) and 3 (Wikipedia).
    center : bool
        Subtract each language's mean projection.
    power : float
        Each dimension is multiplied by its correlation to this power; 0 is the paper.
    random_state : int, Generator or None
        Start of the block Krylov iteration.

    References
    ----------
    Platt, Toutanova & Yih (2010), section 2.3, eqs. 12-13; Vinokourov, Shawe-Taylor & Cristianini (2003).

    Examples
    --------
    >>> from babelspace.corpus import planted
    >>> from babelspace.features import ViewsVectorizer
    >>> from babelspace.spaces import CCA
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> CCA(n_components=20, random_state=0).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    def __init__(
        self,
        n_components: int = 300,
        gamma: float = 3.0,
        center: bool = True,
        power: float = 0.0,
        random_state: Seed = 0,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.center = center
        self.power = power
        self.random_state = random_state

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        if not self.gamma > 0:
            raise ParameterError(f"gamma must be above 0, got {self.gamma}. Try 3 (log(tf)-idf weights).")
        columns = {name: np.unique(matrix.indices).astype(np.int64) for name, matrix in views.items()}
        means = column_means(views)
        problem = _Problem(views, columns, means, self.gamma)
        rank = self._rank(min(min(len(own) for own in columns.values()), len(views)))
        values, weights = problem.two(rank, rng) if len(views.languages) == 2 else problem.many(rank, rng)
        scale = np.power(np.clip(values, 0, None), self.power).astype(np.float32)
        weights = {name: weight * scale for name, weight in weights.items()}
        offsets = {name: (means[name][columns[name]] @ weights[name]).astype(np.float32) for name in views.languages}
        self._set(weights, values, columns, offsets if self.center else None)


class _Problem:
    """The blocks of S and N as operators."""

    def __init__(
        self,
        views: Views,
        columns: dict[str, NDArray[np.int64]],
        means: dict[str, NDArray[np.float64]],
        gamma: float,
    ) -> None:
        self.names = views.languages
        self.rows = [CentredRows(views[n][:, columns[n]], means[n][columns[n]], views.present[n]) for n in self.names]
        present = np.array([views.present[name] for name in self.names], np.float64)
        self.common = present @ present.T
        if not self.common.all():
            a, b = (self.names[k] for k in np.argwhere(self.common == 0)[0])
            raise HolesError(
                f"no row has both {a!r} and {b!r}, so their correlation is unknown. Use opca, which takes such holes."
            )
        self.own = [
            RidgeCovariance(rows, 1 / self.common[k, k], gamma, f"covariance of {name}")
            for k, (rows, name) in enumerate(zip(self.rows, self.names, strict=True))
        ]

    def cross(self, i: int, j: int, block: Dense) -> Dense:
        """C_ij block."""
        return self.rows[i].backward(self.rows[j].forward(block)) / np.float32(self.common[i, j])

    def two(self, rank: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], dict[str, Dense]]:
        """Two languages: eigenvectors of C₁₂ N₂⁻¹ C₂₁ against N₁, half the size and no mirrored eigenvalues."""

        def signal(block: Dense) -> Dense:
            return self.cross(0, 1, self.own[1].solve(self.cross(1, 0, block)))

        pencil = Pencil(self.rows[0].shape[1], signal, self.own[0].apply, self.own[0].solve)
        squares, first = leading_eigenpairs(pencil, rank, rng)
        values = np.sqrt(np.clip(squares, 0, None))
        safe = np.where(values > 1e-4, values, np.inf).astype(np.float32)
        second = self.own[1].solve(self.cross(1, 0, first)) / safe
        return values, dict(zip(self.names, (first, second), strict=True))

    def many(self, rank: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], dict[str, Dense]]:
        """Any number of languages: one eigenproblem over the stacked columns; N-unit length in each language."""
        starts = np.cumsum([0, *(rows.shape[1] for rows in self.rows)])
        parts = [slice(a, b) for a, b in pairwise(starts)]
        languages = range(len(parts))

        def signal(block: Dense) -> Dense:
            images = [self.rows[k].forward(block[parts[k]]) for k in languages]
            mixed = (
                np.sum([images[j] / np.float32(self.common[i, j]) for j in languages if j != i], axis=0)
                for i in languages
            )
            return np.vstack([self.rows[i].backward(total) for i, total in enumerate(mixed)])

        def noise(block: Dense) -> Dense:
            return np.vstack([self.own[k].apply(block[parts[k]]) for k in languages])

        def solve(block: Dense) -> Dense:
            return np.vstack([self.own[k].solve(block[parts[k]]) for k in languages])

        pencil = Pencil(int(starts[-1]), signal, noise, solve)
        values, vectors = leading_eigenpairs(pencil, rank, rng)
        return values, {name: np.ascontiguousarray(vectors[part]) for name, part in zip(self.names, parts, strict=True)}
