"""Oriented principal component analysis."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.features.on_disk import ViewsOnDisk
from babelspace.kernels.linalg.centred_rows import (
    DenseRows,
    MixedRows,
    Rows,
    SparseRows,
    row_coordinates,
    worth_row_coordinates,
)
from babelspace.kernels.linalg.eigenvectors import Operator, fix_signs, leading_eigenpairs
from babelspace.kernels.linalg.implicit_covariance import ImplicitCovariance
from babelspace.kernels.linalg.sparse import mirror_triangle, multiply
from babelspace.kernels.linalg.whitening import RidgeCovariance
from babelspace.runtime.parameters import SEED, Integer, Real, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense, LinearSpace, column_means
from babelspace.spaces.common_parameters import BLOCK_TERMS, CENTER, TOLERANCE
from babelspace.spaces.linear.moments import column_means_on_disk, gram_on_disk, worth_summing
from babelspace.spaces.linear.word_clusters import vocabulary_slices


@estimator
class OPCA(LinearSpace):
    """Directions along which documents vary most and mates differ least.

    .. math::
        S v = \\lambda N v, \\quad
        S = \\sum_m \\tfrac1{n_m} D_m^\\top D_m - \\mu_m^\\top \\mu_m, \\quad
        N = \\tfrac1n \\sum_m (D_m - \\bar D)^\\top (D_m - \\bar D) + \\gamma I, \\qquad
        \\phi_m(x) = x V_d

    The mean :math:`\\bar D` of a row is over the languages that it has, so rows with holes take part with what they
    have; a row with one language only adds to the signal. Exact: N is factorised in single precision in place, 4 ·
    columns² bytes, and S stays a product of sparse matrices; with far fewer documents than columns the same problem is
    solved among the documents, 20 · documents² bytes. Above `block_terms` columns (and documents) N, too, stays a
    product of sparse matrices, and systems with it are solved by conjugate gradients: the same answer, in memory that
    grows with the non-zeros and with columns times dimensions.
    With `stages=2` larger vocabularies are learned as in the paper (distortion discriminant analysis): OPCA on slices
    of the vocabulary, then OPCA on their joined outputs; the result is still one matrix. The most frequent words, which
    decide most, share the first slice; of the others those that occur in the same rows share one, so that a word and
    its translation are seen together. Noise that words of two slices have in common is seen by neither.

    References
    ----------
    Platt, Toutanova & Yih (2010), section 2.2, eqs. 7-11. Burges, Platt & Jana (2003), Distortion Discriminant
    Analysis for Audio Fingerprinting (two stages).

    Examples
    --------
    >>> from babelspace import OPCA, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> OPCA(n_components=20, random_state=0).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    gamma: float = parameter(0.1, "Ridge on the noise; 0.1 is the paper's.", Real(above=0))
    center: bool = parameter(False, CENTER)
    block_terms: int = parameter(30_000, BLOCK_TERMS)
    tol: float = parameter(0.05, TOLERANCE)
    random_state: Seed = parameter(0, SEED)
    stages: int = parameter(
        1, "Larger vocabularies are learned at once (1) or in slices that are joined (2).", Integer(1, 2)
    )

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        size = min(views.shape[1], sum(int(mask.sum()) for mask in views.present.values()))
        rank = self._rank(size)
        if self.stages == 2 and views.shape[1] > self.block_terms:
            values, weights = self._two_stages(views, rank, rng)
        else:
            implicit = size > self.block_terms
            values, weights = oriented_components(views, rank, self.gamma, rng, self.tol, implicit=implicit)
        self._keep(views.languages, values, weights, column_means(views))

    def _solves_from_sums(self, views: ViewsOnDisk) -> bool:
        # Fewer documents than columns fit into memory, and are solved among themselves.
        return worth_summing(views) and views.shape[1] <= self.block_terms

    def _fit_on_disk(self, views: ViewsOnDisk, rng: np.random.Generator) -> None:
        """S and N are summed block by block, 4 · columns² bytes each: nothing grows with the rows."""
        means = column_means_on_disk(views)
        signal = gram_on_disk(views, "signal", scaled_rows)
        mirror_triangle(signal)
        scatter = partial(_dense_scatter, signal, np.array(list(means.values()), np.float32))
        noise = gram_on_disk(views, "noise", differences)
        noise *= np.float32(1 / len(views))
        rank = self._rank(min(views.shape[1], sum(views.documents.values())))
        values, vectors = _solve(scatter, RidgeCovariance.of_gram(noise, self.gamma), rank, rng, self.tol)
        self._keep(views.languages, values, fix_signs(vectors), means)

    def _keep(
        self, languages: tuple[str, ...], values: NDArray[np.float64], weights: Dense, means: dict[str, Any]
    ) -> None:
        offsets = {name: (means[name] @ weights).astype(np.float32) for name in languages}
        self._set(dict.fromkeys(languages, weights), values, offsets=offsets if self.center else None)

    def _two_stages(self, views: Views, rank: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], Dense]:
        """OPCA on slices of the vocabulary, then OPCA inside the span of what they found."""
        slices, bases = vocabulary_slices(views, self.block_terms, rng), []
        outputs: dict[str, list[Dense]] = {name: [] for name in views.languages}
        for columns in slices:
            part = Views({name: matrix[:, columns] for name, matrix in views.items()}, views.present)
            _, weights = oriented_components(part, min(rank, len(columns)), self.gamma, rng, self.tol)
            # Orthonormal, so that the ridge of the second stage is the ridge of the whole problem.
            bases.append(np.linalg.qr(weights)[0])
            for name, matrix in part.items():
                outputs[name].append(multiply(matrix, bases[-1]))
        joined = Views({name: np.hstack(found) for name, found in outputs.items()}, views.present)
        values, second = oriented_components(joined, min(rank, joined.shape[1]), self.gamma, rng, self.tol)
        weights = np.empty((views.shape[1], second.shape[1]), np.float32)
        ends = np.cumsum([basis.shape[1] for basis in bases])[:-1]
        for columns, basis, part_of_second in zip(slices, bases, np.split(second, ends), strict=True):
            weights[columns] = basis @ part_of_second
        return values, weights


def oriented_components(
    views: Views,
    rank: int,
    gamma: float,
    rng: np.random.Generator,
    tolerance: float = 0.05,
    *,
    implicit: bool = False,
) -> tuple[NDArray[np.float64], Dense]:
    """The leading generalised eigenvectors (columns x rank) of S v = λ N v, normalised to vᵀ N v = 1.

    `implicit`: no matrix of columns² (or documents²) is made.
    """
    stacked = sp.vstack([matrix[views.present[name]] for name, matrix in views.items()], format="csr")
    differences, rows = contrasts(views)
    sizes = [int(mask.sum()) for mask in views.present.values()]
    shares = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes).astype(np.float32)
    if implicit or not worth_row_coordinates(*stacked.shape):
        means = np.array(list(column_means(views).values()), np.float32)
        scatter = partial(_scatter, SparseRows(sp.diags_array(shares) @ stacked), means)
        if implicit:
            # The differences of many languages of a row have all the words of the row, each.
            few = len(views.languages) == 2
            noise = SparseRows(differences @ stacked) if few else MixedRows(differences, stacked)
            values, vectors = _solve_implicit(scatter, ImplicitCovariance(noise, 1 / rows, gamma), rank, rng, tolerance)
        else:
            covariance = RidgeCovariance(SparseRows(differences @ stacked), 1 / rows, gamma, "noise")
            values, vectors = _solve(scatter, covariance, rank, rng, tolerance)
        return values, fix_signs(vectors)
    # Far fewer documents than words: the same problem among the documents, where every matrix is smaller.
    coordinates, back = row_coordinates(stacked)
    means = np.array([part.mean(axis=0) for part in np.split(coordinates, np.cumsum(sizes)[:-1]) if len(part)])
    scatter = partial(_scatter, DenseRows(shares[:, None] * coordinates), means)
    covariance = RidgeCovariance(DenseRows(differences @ coordinates), 1 / rows, gamma, "noise")
    values, vectors = _solve(scatter, covariance, rank, rng, tolerance)
    return values, fix_signs(back(vectors))


def _scatter(signal: Rows, means: Dense, block: Dense) -> Dense:
    """S block, where S = AᵀA - MᵀM of scaled rows and means."""
    out = signal.backward(signal.forward(block))
    out -= means.T @ (means @ block)
    return out


def _dense_scatter(signal: Dense, means: Dense, block: Dense) -> Dense:
    """S block from the whole matrix of products, which many more rows than columns make worth its memory."""
    out = signal @ block
    out -= means.T @ (means @ block)
    return out


def scaled_rows(views: Views, scales: NDArray[np.float64]) -> Any:
    """Rows whose products sum to Σ DᵀD / n; `scales` are 1 / n of each language."""
    parts = zip(views.items(), np.sqrt(scales).tolist(), strict=True)
    return sp.vstack([matrix[views.present[name]] * np.float32(scale) for (name, matrix), scale in parts], format="csr")


def differences(views: Views, scales: NDArray[np.float64]) -> Any:
    """Rows whose products sum to Σ (D - D̄)ᵀ(D - D̄)."""
    stacked = sp.vstack([matrix[views.present[name]] for name, matrix in views.items()], format="csr")
    return contrasts(views)[0] @ stacked


def _solve(
    scatter: Operator, covariance: RidgeCovariance, rank: int, rng: np.random.Generator, tolerance: float
) -> tuple[NDArray[np.float64], Dense]:
    """Eigenvectors of L⁻¹ S L⁻ᵀ with N = L Lᵀ, taken back through L⁻ᵀ."""

    def operator(block: Dense) -> Dense:
        return covariance.whiten(scatter(covariance.unwhiten(block)))

    values, vectors = leading_eigenpairs(operator, covariance.size, rank, rng, tolerance=tolerance)
    return values, covariance.unwhiten(vectors)


def _solve_implicit(
    scatter: Operator, noise: ImplicitCovariance, rank: int, rng: np.random.Generator, tolerance: float
) -> tuple[NDArray[np.float64], Dense]:
    """Eigenvectors of N⁻¹ S, orthonormal in the metric N."""

    def operator(block: Dense) -> Dense:
        return noise.solve(scatter(block))

    return leading_eigenpairs(operator, noise.size, rank, rng, tolerance=tolerance, metric=noise.multiply)


def contrasts(views: Views) -> tuple[Any, int]:
    """T with (TA)ᵀTA = Σ_m (D_m - D̄)ᵀ(D_m - D̄) for the stacked present rows A, and the rows with two languages.

    Helmert contrasts: each document against the mean of those before it in its row, so M documents need only M - 1.
    """
    count = np.zeros(len(views))
    entries: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
    start = contrast = 0
    earlier: list[tuple[NDArray[np.bool_], NDArray[np.int64]]] = []
    for mask in views.present.values():
        position = start + np.cumsum(mask) - 1
        rows = np.flatnonzero(mask & (count > 0))
        number = contrast + np.arange(len(rows))
        scale = np.sqrt(count[rows] / (count[rows] + 1))
        entries.append((number, position[rows], scale))
        for other_mask, other_position in earlier:
            both = other_mask[rows]
            entries.append((number[both], other_position[rows][both], -(scale / count[rows])[both]))
        earlier.append((mask, position))
        count += mask
        start += int(mask.sum())
        contrast += len(rows)
    if contrast == 0:
        raise ParameterError(
            "no row has two languages, so nothing says which documents belong together. Give aligned documents."
        )
    row, column, value = (np.concatenate(part) for part in zip(*entries, strict=True))
    matrix = sp.coo_array((value.astype(np.float32), (row, column)), shape=(contrast, start))
    return matrix.tocsr(), int((count > 1).sum())
