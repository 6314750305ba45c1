"""Oriented principal component analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.kernels.covariance import CentredRows, RidgeCovariance
from babelspace.kernels.subspace import Pencil, leading_eigenpairs
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense, LinearSpace, column_means


class OPCA(LinearSpace):
    """Directions along which documents vary most and mates differ least.

    .. math::
        S v = \\lambda N v, \\quad
        S = \\sum_m \\tfrac1{n_m} D_m^\\top D_m - \\mu_m^\\top \\mu_m, \\quad
        N = \\tfrac1n \\sum_m (D_m - \\bar D)^\\top (D_m - \\bar D) + \\gamma I, \\qquad
        \\phi_m(x) = x V_d

    The mean :math:`\\bar D` of a row is over the languages that it has, so rows with holes take part with what they
    have; a row with one language only adds to the signal. Exact: N (or, with fewer rows than columns, its row twin)
    is factorised in single precision in place, 4 · min(rows, columns)² bytes; S stays a product of sparse matrices.
    Above `block_terms` columns two stages are used (distortion discriminant analysis): OPCA on slices of the
    vocabulary, then OPCA on their joined outputs; the result is still one matrix.

    Parameters
    ----------
    n_components : int
        Dimensions d.
    gamma : float
        The ridge γ; 0.1 is the paper's choice for log(tf)-idf weights.
    center : bool
        Subtract each language's mean projection from new documents.
    block_terms : int
        The largest vocabulary that is solved in one stage.
    random_state : int, Generator or None
        Start of the block Krylov iteration.

    References
    ----------
    Platt, Toutanova & Yih (2010), section 2.2, eqs. 7-11. Burges, Platt & Jana (2003), Distortion Discriminant
    Analysis for Audio Fingerprinting (two stages).

    Examples
    --------
    >>> from babelspace.corpus import planted
    >>> from babelspace.features import ViewsVectorizer
    >>> from babelspace.spaces import OPCA
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> OPCA(n_components=20, random_state=0).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    def __init__(
        self,
        n_components: int = 300,
        gamma: float = 0.1,
        center: bool = False,
        block_terms: int = 40_000,
        random_state: Seed = 0,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.center = center
        self.block_terms = block_terms
        self.random_state = random_state

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        if not self.gamma > 0:
            raise ParameterError(f"gamma must be above 0, got {self.gamma}. The paper uses 0.1.")
        rank = self._rank(min(views.shape[1], sum(int(mask.sum()) for mask in views.present.values())))
        if min(views.shape[1], len(views) * (len(views.languages) - 1)) > self.block_terms:
            values, weights = self._two_stages(views, rank, rng)
        else:
            values, weights = oriented_components(views, rank, self.gamma, rng)
        means = column_means(views)
        offsets = {name: (means[name] @ weights).astype(np.float32) for name in views.languages}
        shared = dict.fromkeys(views.languages, weights)
        self._set(shared, values, offsets=offsets if self.center else None)

    def _two_stages(self, views: Views, rank: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], Dense]:
        """OPCA on every k-th column for each k, then OPCA on the joined projections."""
        slices = -(-views.shape[1] // self.block_terms)
        first = np.zeros((views.shape[1], slices * rank), np.float32)
        for k in range(slices):
            columns = np.arange(k, views.shape[1], slices)
            part = Views({name: matrix[:, columns] for name, matrix in views.items()}, views.present)
            _, weights = oriented_components(part, min(rank, len(columns)), self.gamma, rng)
            first[columns, k * rank : k * rank + weights.shape[1]] = weights
        used = np.flatnonzero(np.abs(first).sum(axis=0))
        first = np.ascontiguousarray(first[:, used])
        joined = Views({name: CentredRows(m).forward(first) for name, m in views.items()}, views.present)
        # The first stage made N the identity in every slice, so the ridge there is one in these coordinates.
        values, second = oriented_components(joined, min(rank, len(used)), 1e-3, rng)
        return values, first @ second


def oriented_components(
    views: Views, rank: int, gamma: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], Dense]:
    """The leading generalised eigenvectors (columns x rank) of S v = λ N v, normalised to vᵀ N v = 1."""
    differences, rows = contrasts(views)
    noise = RidgeCovariance(CentredRows(differences), 1 / max(rows, 1), gamma, "noise")
    means = column_means(views)
    parts = [
        (CentredRows(matrix, means[name], views.present[name]), 1 / max(int(views.present[name].sum()), 1))
        for name, matrix in views.items()
    ]

    def signal(block: Dense) -> Dense:
        out = np.zeros_like(block)
        for part, scale in parts:
            out += np.float32(scale) * part.backward(part.forward(block))
        return out

    pencil = Pencil(views.shape[1], signal, noise.apply, noise.solve)
    return leading_eigenpairs(pencil, rank, rng)


def contrasts(views: Views) -> tuple[Any, int]:
    """Rows E with EᵀE = Σ_m (D_m - D̄)ᵀ(D_m - D̄), and the number of rows that have two languages or more.

    Helmert contrasts: each language against the mean of those before it, so M languages need only M - 1 matrices.
    """
    total = sp.csr_array(views.shape, dtype=np.float32)
    count = np.zeros(len(views))
    pieces = []
    for name, matrix in views.items():
        mask = views.present[name]
        scale = np.where(mask & (count > 0), np.sqrt(count / (count + 1)), 0).astype(np.float32)
        mean = (scale / np.maximum(count, 1)).astype(np.float32)
        if scale.any():
            pieces.append(sp.csr_array(sp.diags_array(scale) @ matrix - sp.diags_array(mean) @ total))
        total = sp.csr_array(total + matrix)
        count += mask
    if not pieces:
        raise ParameterError(
            "no row has two languages, so nothing says which documents belong together. Give aligned documents."
        )
    stacked = sp.vstack(pieces, format="csr")
    return stacked[np.diff(stacked.indptr) > 0], int((count > 1).sum())
