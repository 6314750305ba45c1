"""Centred data rows as operators, sparse or dense, and the change to coordinates in which few rows are small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.kernels.linalg.sparse import compact, gram, multiply
from babelspace.runtime import progress

Dense = NDArray[Any]  # float32


class Rows(Protocol):
    """A matrix X of rows (documents) that is only ever multiplied."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def forward(self, block: Dense) -> Dense:
        """X block."""

    def backward(self, block: Dense) -> Dense:
        """Xᵀ block."""

    def column_gram(self, scale: float) -> Dense:
        """The upper triangle of scale · XᵀX; 4 · columns² bytes."""


class SparseRows:
    """A sparse matrix X seen as X - mask μᵀ without being made dense; `mask` marks the rows that have a document."""

    def __init__(self, rows: Any, mean: NDArray[Any] | None = None, mask: NDArray[np.bool_] | None = None) -> None:
        self.rows = compact(rows)
        self.columns = compact(sp.csr_array(self.rows.T))
        self.mean = None if mean is None else np.asarray(mean, np.float32)
        self.mask = np.ones(self.rows.shape[0], np.float32) if mask is None else mask.astype(np.float32)

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[0], self.rows.shape[1]

    def forward(self, block: Dense) -> Dense:
        out = multiply(self.rows, block)
        if self.mean is not None:
            out -= np.outer(self.mask, self.mean @ block)
        return out

    def backward(self, block: Dense) -> Dense:
        out = multiply(self.columns, block)
        if self.mean is not None:
            out -= np.outer(self.mean, self.mask @ block)
        return out

    def column_gram(self, scale: float) -> Dense:
        out = gram(self.rows, scale, mirror=False)
        if self.mean is not None:
            # Σ mask (x - μ)(x - μ)ᵀ = XᵀX - (Xᵀmask) μᵀ - μ (Xᵀmask)ᵀ + Σ mask · μ μᵀ
            sums = multiply(self.columns, self.mask[:, None])[:, 0]
            half = sums - 0.5 * self.mask.sum() * self.mean
            _subtract_symmetric(out, half, self.mean, scale)
        return out

    def column_squares(self) -> NDArray[np.float64]:
        """Squares of what is stored, summed by column."""
        return _squares(self.rows, np.ones(self.rows.shape[0]))


class MixedRows:
    """T A for a sparse T that mixes rows of a sparse A, never multiplied out: T A has many more non-zeros than both."""

    def __init__(self, mix: Any, rows: Any) -> None:
        self.mix, self.mix_columns = compact(mix), compact(sp.csr_array(mix.T))
        self.rows, self.columns = compact(rows), compact(sp.csr_array(rows.T))

    @property
    def shape(self) -> tuple[int, int]:
        return self.mix.shape[0], self.rows.shape[1]

    def forward(self, block: Dense) -> Dense:
        return multiply(self.mix, multiply(self.rows, block))

    def backward(self, block: Dense) -> Dense:
        return multiply(self.columns, multiply(self.mix_columns, block))

    def column_squares(self) -> NDArray[np.float64]:
        """Squares summed by column as if no two rows that are mixed had a column in common."""
        return _squares(self.rows, np.asarray(self.mix.power(2).sum(axis=0)).ravel())


def _squares(rows: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    own = np.repeat(weights, np.diff(rows.indptr)) * rows.data.astype(np.float64) ** 2
    return np.bincount(rows.indices, weights=own, minlength=rows.shape[1]).astype(np.float64, copy=False)


class DenseRows:
    """A dense matrix; centre it before."""

    def __init__(self, rows: Dense) -> None:
        self.rows = np.ascontiguousarray(rows, np.float32)

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[0], self.rows.shape[1]

    def forward(self, block: Dense) -> Dense:
        return self.rows @ block

    def backward(self, block: Dense) -> Dense:
        return self.rows.T @ block

    def column_gram(self, scale: float) -> Dense:
        out = self.rows.T @ self.rows
        out *= np.float32(scale)
        return out


def _subtract_symmetric(matrix: Dense, left: NDArray[Any], right: NDArray[Any], scale: float) -> None:
    """matrix -= scale (left rightᵀ + right leftᵀ) in the upper triangle, in row blocks: no second matrix is made."""
    left, right = left.astype(np.float32), right.astype(np.float32)
    for start in range(0, matrix.shape[0], 512):
        rows, columns = slice(start, start + 512), slice(start, None)
        update = np.outer(left[rows], right[columns]) + np.outer(right[rows], left[columns])
        matrix[rows, columns] -= np.float32(scale) * update


def worth_row_coordinates(rows: int, columns: int) -> bool:
    """Whether a problem is solved faster among the rows than among the columns.

    Products of documents cost more than those of words, which seldom meet, and double precision costs twice.
    """
    return rows < 0.6 * columns


def row_coordinates(matrix: Any) -> tuple[Dense, Callable[[Dense], Dense]]:
    """Coordinates of the rows of A in an orthonormal basis of their span, and the way back to A's columns.

    With A Aᵀ = L Lᵀ the basis is Aᵀ L⁻ᵀ and the rows of A become those of L: products, lengths and every ridge stay
    the same, but problems of size columns² shrink to rows². Rows that depend on others make L singular; a jitter of
    1e-9 of the mean squared length keeps it factorisable and is far below single precision.
    Memory: 12 · rows² bytes.
    """
    matrix = compact(matrix)
    size = matrix.shape[0]
    with progress.task(f"row coordinates: {size:,}² matrix, {progress.room(12 * size**2)}"):
        products = gram(matrix.T, mirror=False, dtype=np.float64)
        jitter = 1e-9 * max(float(np.trace(products)) / max(size, 1), 1e-12)
        products[np.diag_indices(size)] += jitter
        factor = _lower_factor(products, jitter).astype(np.float32)
    columns = compact(sp.csr_array(matrix.T))

    def back(block: Dense) -> Dense:
        solved = scipy.linalg.solve_triangular(factor, block, lower=True, trans="T", check_finite=False)
        return multiply(columns, solved)

    return factor, back


def _lower_factor(products: NDArray[np.float64], jitter: float) -> NDArray[np.float64]:
    """L of a positive semi-definite matrix given by its upper triangle."""
    while True:
        # The upper triangle in C order is the lower one in Fortran order.
        factor, status = scipy.linalg.lapack.dpotrf(products.T, lower=1, clean=1)
        if status == 0:
            return factor
        products[np.diag_indices(len(products))] += 9 * jitter
        jitter *= 10
