"""Inverses and pseudo-inverses of matrices of documents against documents, never written out: factors or a spectrum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from babelspace.kernels.linalg import row_stable
from babelspace.kernels.linalg.sparse import gram
from babelspace.runtime import progress
from babelspace.runtime.checked_arrays import CheckedArrays

Dense = NDArray[Any]

# Rounding to single precision moves a solution by up to its step times the condition number. Where that stays below
# this share, single precision is kept; elsewhere double.
SINGLE_LOSS = 1e-3
SINGLE, DOUBLE = float(np.finfo(np.float32).eps), float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Factors:
    """M⁻¹ b by two packed triangles: M = LLᵀ (`first` is `second` = Lᵀ), or M = PLU (`first` = Lᵀ, `second` = U)."""

    first: Dense
    second: Dense
    order: NDArray[np.int64] | None = None
    dropped = 0

    @property
    def dtype(self) -> Any:
        """Single or double precision."""
        return self.first.dtype

    def apply(self, rows: Dense) -> Dense:
        """M⁻¹ b for every row b."""
        return row_stable.solve(self.first, self.second, rows if self.order is None else rows[:, self.order])

    def arrays(self) -> dict[str, Dense]:
        """What :func:`restore` needs."""
        if self.order is None:
            return {"first": self.first}
        return {"first": self.first, "second": self.second, "order": self.order}


@dataclass(frozen=True)
class Spectrum:
    """M⁺ b = R diag(1 / values) Lᵀ b for M ≈ L diag(values) Rᵀ; R is L where M is symmetric."""

    left: Dense
    values: NDArray[np.float64]
    right: Dense

    @classmethod
    def of(cls, left: Dense, values: NDArray[np.float64], right: Dense | None = None) -> Spectrum:
        """In the precision that these values need."""
        spread = float(values.max() / values.min()) if len(values) else 1.0
        dtype = _precision(spread)
        kept = np.ascontiguousarray(left, dtype)
        return cls(kept, values, kept if right is None else np.ascontiguousarray(right, dtype))

    @property
    def dropped(self) -> int:
        """Directions of M that were taken for zero."""
        return int(self.left.shape[0] - len(self.values))

    @property
    def dtype(self) -> Any:
        """Single or double precision."""
        return self.left.dtype

    def apply(self, rows: Dense) -> Dense:
        """M⁺ b for every row b."""
        inner = row_stable.multiply(rows, self.left) / self.values.astype(self.dtype)
        return row_stable.multiply_transposed(inner, self.right)

    def arrays(self) -> dict[str, Dense]:
        """What :func:`restore` needs."""
        both = {"left": self.left, "values": self.values}
        return both if self.right is self.left else {**both, "right": self.right}


Inverse = Factors | Spectrum


def restore(arrays: CheckedArrays) -> Inverse:
    """The inverse whose arrays these are."""
    if "first" in arrays:
        size = arrays.size("documents")
        first = arrays.floats("first", size * (size + 1) // 2)
        second = arrays.floats("second", len(first)) if "second" in arrays else first
        order = arrays.whole("order", "documents", below="documents", distinct=True) if "order" in arrays else None
        found: Inverse = Factors(first, second, order)
    else:
        left = arrays.floats("left", "documents", "rank")
        right = arrays.floats("right", "documents", "rank") if "right" in arrays else left
        found = Spectrum(left, arrays.floats("values", "rank"), right)
    arrays.finish()
    return found


def gram_inverse(rows: Any, ridge: float, name: str = "Gram matrix") -> Inverse:
    """(XXᵀ + ridge · I)⁻¹ for the sparse rows of X, or the pseudo-inverse where that has none.

    Factorised in place in single precision (4 · rows² bytes) where ridge and row sums promise three digits, else in
    double (8 · rows²); half of that is kept. A matrix that Cholesky cannot factorise, or whose reciprocal condition
    number is below rows · 2e-16, is taken for singular: its eigenvalues up to that share of the largest are dropped
    (24 · rows² bytes).
    """
    if not rows.shape[0]:
        return _nothing()
    norm = _largest_row_sum(rows) + ridge
    dtype = _precision(norm / ridge if ridge > 0 else np.inf)
    with progress.task(f"{name}: {_size(rows.shape[0], np.dtype(dtype).itemsize)}"):
        factor, condition = _cholesky(_ridged(rows, ridge, dtype), norm)
        if condition < 1 / (rows.shape[0] * DOUBLE):
            kept = row_stable.pack_upper(factor, _precision(condition))
            return Factors(kept, kept)
        del factor
    with progress.task(f"{name}, singular: {_size(rows.shape[0], 24)}"):
        return leading_spectrum(_ridged(rows, ridge, np.float64))


def leading_spectrum(matrix: Dense, rank: int | None = None, ridge: float = 0.0) -> Spectrum:
    """The eigenvectors of a double precision matrix (given by its upper triangle) with the largest eigenvalues.

    Eigenvalues up to size · 2e-16 of the largest count as zero and are left out; the ridge is added to the others.
    """
    size = len(matrix)
    if not size:
        return Spectrum.of(matrix, np.zeros(0))
    subset = None if rank is None or rank >= size else [size - rank, size - 1]
    # The upper triangle in C order is the lower one in Fortran order.
    values, vectors = scipy.linalg.eigh(
        matrix.T, lower=True, overwrite_a=True, check_finite=False, subset_by_index=subset
    )
    kept = np.flatnonzero(values > size * DOUBLE * values.max(initial=0))[::-1]
    return Spectrum.of(vectors[:, kept], values[kept] + ridge)


def square_inverse(matrix: Dense, name: str = "kernel matrix") -> Inverse:
    """M⁻¹ of any square double precision matrix by LU, or M⁺ by singular values where M has none (same rule)."""
    size = len(matrix)
    if not size:
        return _nothing()
    with progress.task(f"{name}: {_size(size, 16)}"):
        lu, order, condition = _lu(matrix)
        if condition < 1 / (size * DOUBLE):
            dtype = _precision(condition)
            lower = row_stable.pack_upper(lu.T, dtype, unit_diagonal=True)
            return Factors(lower, row_stable.pack_upper(lu, dtype), order)
        del lu
    with progress.task(f"{name}, singular: {_size(size, 40)}"):
        left, values, right = scipy.linalg.svd(matrix, full_matrices=False, check_finite=False)
        kept = values > size * DOUBLE * values.max(initial=0)
        return Spectrum.of(left[:, kept], values[kept], right[kept].T)


def _nothing() -> Factors:
    """The inverse of a matrix without rows."""
    empty = np.zeros(0, np.float32)
    return Factors(empty, empty)


def _precision(condition: float) -> Any:
    return np.float32 if SINGLE * condition <= SINGLE_LOSS else np.float64


def _size(rows: int, bytes_each: int) -> str:
    return f"{rows:,}² matrix, {progress.room(bytes_each * rows**2)}"


def _largest_row_sum(rows: Any) -> float:
    """The largest Σ_j |x_i| · |x_j|: no eigenvalue of XXᵀ is above it; without negative values it is the 1-norm."""
    magnitudes = abs(rows).astype(np.float64)
    return float((magnitudes @ magnitudes.sum(axis=0)).max(initial=0))


def _ridged(rows: Any, ridge: float, dtype: Any) -> Dense:
    """The upper triangle of XXᵀ + ridge · I."""
    matrix = gram(rows.T, mirror=False, dtype=dtype)
    matrix[np.diag_indices(len(matrix))] += dtype(ridge)
    return matrix


def _cholesky(matrix: Dense, norm: float) -> tuple[Dense, float]:
    """Lᵀ in the upper triangle of the same memory, and the condition number; infinite if there is no factor."""
    factorise, estimate = scipy.linalg.get_lapack_funcs(("potrf", "pocon"), (matrix,))
    # The upper triangle in C order is the lower one in Fortran order: LAPACK works on the same memory.
    factor, status = factorise(matrix.T, lower=1, clean=0, overwrite_a=1)
    if status:
        return matrix, np.inf
    reciprocal, _ = estimate(factor, norm, uplo="L")
    return factor.T, 1 / reciprocal if reciprocal > 0 else np.inf


def _lu(matrix: Dense) -> tuple[Dense, NDArray[np.int64], float]:
    """L and U in one matrix, the order of the rows, and the condition number; infinite if a pivot is zero."""
    norm = float(np.max(np.sum(np.abs(matrix), axis=0), initial=0))
    lu, pivots, status = scipy.linalg.lapack.dgetrf(matrix)
    order = np.arange(len(matrix))
    for row, other in enumerate(pivots):
        order[[row, other]] = order[[other, row]]
    if status:
        return lu, order, np.inf
    reciprocal, _ = scipy.linalg.lapack.dgecon(lu, norm)
    return lu, order, 1 / reciprocal if reciprocal > 0 else np.inf
