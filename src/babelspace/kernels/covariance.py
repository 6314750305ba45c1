"""Ridged covariances of sparse rows as operators: apply, and solve through the smaller of two factorisations."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.kernels.sparse import compact, gram, multiply
from babelspace.runtime import progress

Dense = NDArray[Any]  # float32


class CentredRows:
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
        """(X - mask μᵀ) block."""
        out = multiply(self.rows, block)
        if self.mean is not None:
            out -= np.outer(self.mask, self.mean @ block)
        return out

    def backward(self, block: Dense) -> Dense:
        """(X - mask μᵀ)ᵀ block."""
        out = multiply(self.columns, block)
        if self.mean is not None:
            out -= np.outer(self.mean, self.mask @ block)
        return out

    def column_gram(self, scale: float, ridge: float) -> Dense:
        """scale · XᵀX + ridge · I after centring; 4 · columns² bytes."""
        out = gram(self.rows, scale, ridge)
        if self.mean is not None:
            # Σ mask (x - μ)(x - μ)ᵀ = XᵀX - (Xᵀmask) μᵀ - μ (Xᵀmask)ᵀ + Σ mask · μ μᵀ
            sums = multiply(self.columns, self.mask[:, None])[:, 0]
            half = sums - 0.5 * self.mask.sum() * self.mean
            _subtract_symmetric(out, half, self.mean, scale)
        return out

    def row_gram(self, scale: float, ridge: float) -> Dense:
        """scale · XXᵀ + ridge · I after centring; 4 · rows² bytes."""
        out = gram(self.columns, scale, ridge)
        if self.mean is not None:
            products = multiply(self.rows, self.mean[:, None])[:, 0]
            half = products - 0.5 * float(self.mean @ self.mean) * self.mask
            _subtract_symmetric(out, half, self.mask, scale)
        return out


def _subtract_symmetric(matrix: Dense, left: NDArray[Any], right: NDArray[Any], scale: float) -> None:
    """matrix -= scale (left rightᵀ + right leftᵀ), in row blocks so that no second matrix is made."""
    left, right = left.astype(np.float32), right.astype(np.float32)
    for start in range(0, matrix.shape[0], 1024):
        part = slice(start, start + 1024)
        matrix[part] -= np.float32(scale) * (np.outer(left[part], right) + np.outer(right[part], left))


class RidgeCovariance:
    """C = scale · XᵀX + ridge · I for (centred) rows X; solves C through C itself or through its row twin.

    With more columns than rows the Woodbury identity needs only the rows² matrix K = scale · XXᵀ + ridge · I:
    C⁻¹ = (I - scale · Xᵀ K⁻¹ X) / ridge. Memory is 4 · min(rows, columns)² bytes, factorised in place.
    """

    def __init__(self, rows: CentredRows, scale: float, ridge: float, name: str = "covariance") -> None:
        if not ridge > 0:
            raise ParameterError(f"the ridge γ must be above 0, got {ridge}: without it the problem has no solution.")
        self.rows, self.scale, self.ridge = rows, float(scale), float(ridge)
        self.dual = rows.shape[0] < rows.shape[1]
        size = min(rows.shape)
        with progress.task(f"{name}: {size:,}² matrix, {4e-9 * size**2:.1f} GB"):
            matrix = (rows.row_gram if self.dual else rows.column_gram)(self.scale, self.ridge)
            self.factor = cholesky_in_place(matrix)

    def apply(self, block: Dense) -> Dense:
        """C block."""
        out = self.rows.backward(self.rows.forward(block))
        out *= np.float32(self.scale)
        out += np.float32(self.ridge) * block
        return out

    def solve(self, block: Dense) -> Dense:
        """C⁻¹ block."""
        if not self.dual:
            return cholesky_solve(self.factor, block)
        inner = cholesky_solve(self.factor, self.rows.forward(block))
        return (block - np.float32(self.scale) * self.rows.backward(inner)) / np.float32(self.ridge)


def cholesky_in_place(matrix: Dense) -> Dense:
    """The Cholesky factor of a symmetric positive definite matrix, overwriting it."""
    # A symmetric C-ordered matrix is its own Fortran-ordered twin: LAPACK works on the same memory.
    factor, status = scipy.linalg.lapack.spotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    if status != 0:
        raise ParameterError(
            "the covariance is not positive definite in single precision: the ridge γ is too small for these data. "
            "Use a larger γ."
        )
    return factor


def cholesky_solve(factor: Dense, block: Dense) -> Dense:
    """Solve with a factor of :func:`cholesky_in_place`."""
    solution, _ = scipy.linalg.lapack.spotrs(factor, np.asfortranarray(block, np.float32), lower=1, overwrite_b=1)
    return np.ascontiguousarray(solution)
