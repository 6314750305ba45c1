"""Directions along which two or more sets of rows correlate, when each set can whiten itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.kernels.linalg.centred_rows import Rows, SparseRows
from babelspace.kernels.linalg.eigenvectors import Operator, leading_eigenpairs
from babelspace.kernels.linalg.implicit_covariance import ImplicitCovariance
from babelspace.kernels.linalg.whitening import RidgeCovariance, TriangularFactor

Dense = NDArray[Any]  # float32
Solver = Callable[[Operator, int, Operator | None], tuple[NDArray[np.float64], Dense]]


class CanonicalSide(Protocol):
    """One set of rows, seen through coordinates in which its own penalised variance is the identity."""

    size: int
    # The inner product of directions, where they are not whitened.
    metric: Operator | None

    def forward(self, block: Dense) -> Dense:
        """The rows' values of whitened directions."""

    def backward(self, block: Dense) -> Dense:
        """The transpose of forward."""

    def weights(self, block: Dense) -> Dense:
        """Whitened directions as coefficients of what the rows were made of."""


class KernelSmoother:
    """A kernel matrix K with the penalised variance (K + κI)²: values are K (K + κI)⁻¹ u = u - κ (K + κI)⁻¹ u.

    K is overwritten by its Cholesky factor, in the precision that it has. Rows that `mask` leaves out have value 0.
    """

    metric: Operator | None = None

    def __init__(self, matrix: Dense, kappa: float, mask: NDArray[np.bool_]) -> None:
        self.size, self.kappa = len(matrix), kappa
        self.mask = None if mask.all() else mask
        matrix[np.diag_indices(self.size)] += matrix.dtype.type(kappa)
        (factorise, self._potrs) = scipy.linalg.get_lapack_funcs(("potrf", "potrs"), (matrix,))
        # The upper triangle in C order is the lower one in Fortran order: LAPACK works on the same memory.
        factor, status = factorise(matrix.T, lower=1, clean=0, overwrite_a=1)
        if status != 0:
            raise ParameterError(
                f"the kernel matrix plus kappa={kappa:g} is not positive definite in {matrix.dtype.name}. "
                "Use a larger kappa."
            )
        self.factor = factor if matrix.dtype == np.float64 else TriangularFactor(factor)

    def solve(self, block: Dense) -> Dense:
        """(K + κI)⁻¹ block."""
        if isinstance(self.factor, TriangularFactor):
            return self.factor.solve_transposed(self.factor.solve(block))
        return self._potrs(self.factor, block.astype(np.float64), lower=1)[0].astype(np.float32)

    def _smooth(self, block: Dense) -> Dense:
        return block - np.float32(self.kappa) * self.solve(block)

    def forward(self, block: Dense) -> Dense:
        values = self._smooth(block)
        if self.mask is None:
            return values
        spread = np.zeros((len(self.mask), block.shape[1]), np.float32)
        spread[self.mask] = values
        return spread

    def backward(self, block: Dense) -> Dense:
        return self._smooth(block if self.mask is None else block[self.mask])

    def weights(self, block: Dense) -> Dense:
        return self.solve(block)


class RowsSmoother:
    """The same penalty for K = X Xᵀ where X has few columns: values are X (XᵀX + κI)⁻¹ Xᵀ u."""

    metric: Operator | None = None

    def __init__(self, rows: Rows, kappa: float, name: str) -> None:
        self.rows, self.size = rows, rows.shape[0]
        self.covariance = RidgeCovariance(rows, 1.0, kappa, name)

    def forward(self, block: Dense) -> Dense:
        return self.rows.forward(self.weights(block))

    def backward(self, block: Dense) -> Dense:
        return self.forward(block)

    def weights(self, block: Dense) -> Dense:
        return self.covariance.unwhiten(self.covariance.whiten(self.rows.backward(block)))


class WhitenedRows:
    """Rows X with the penalised variance scale · XᵀX + κI, the penalty of ridge CCA."""

    metric: Operator | None = None

    def __init__(self, rows: Rows, kappa: float, name: str, scale: float = 1.0) -> None:
        self.rows, self.size = rows, rows.shape[1]
        self.covariance = RidgeCovariance(rows, scale, kappa, name)

    def forward(self, block: Dense) -> Dense:
        return self.rows.forward(self.weights(block))

    def backward(self, block: Dense) -> Dense:
        return self.covariance.whiten(self.rows.backward(block))

    def weights(self, block: Dense) -> Dense:
        return self.covariance.unwhiten(block)


class ImplicitRows:
    """The same penalty without a matrix of columns²: directions are not whitened, C is their inner product."""

    def __init__(self, rows: SparseRows, kappa: float, scale: float = 1.0) -> None:
        self.rows, self.size = rows, rows.shape[1]
        self.covariance = ImplicitCovariance(rows, scale, kappa)
        self.metric: Operator | None = self.covariance.multiply

    def forward(self, block: Dense) -> Dense:
        return self.rows.forward(block)

    def backward(self, block: Dense) -> Dense:
        return self.covariance.solve(self.rows.backward(block))

    def weights(self, block: Dense) -> Dense:
        return block


def canonical_directions(
    sides: Sequence[CanonicalSide],
    scales: NDArray[Any],
    rank: int,
    rng: np.random.Generator,
    tolerance: float,
    dense_up_to: int = 256,
) -> tuple[NDArray[np.float64], list[Dense]]:
    """The largest correlations and, for each side, its whitened directions; all sides together have length one.

    `scales[i, j]` multiplies the covariance of sides i and j. A weak penalty crowds the correlations below 1, where a
    loose tolerance takes any directions for the best ones: ask for a small one, or for the dense solver.
    """

    def solver(operator: Operator, size: int, metric: Operator | None) -> tuple[NDArray[np.float64], Dense]:
        return leading_eigenpairs(
            operator, size, rank, rng, tolerance=tolerance, dense_up_to=dense_up_to, metric=metric
        )

    return (_two if len(sides) == 2 else _many)(sides, np.asarray(scales, np.float32), solver)


def _two(
    sides: Sequence[CanonicalSide], scales: NDArray[Any], solver: Solver
) -> tuple[NDArray[np.float64], list[Dense]]:
    """Singular vectors of the whitened covariance: half the size of the stacked problem and no mirrored values."""
    first, second = sides

    def across(block: Dense) -> Dense:
        return second.backward(first.forward(block)) * scales[0, 1]

    def operator(block: Dense) -> Dense:
        return first.backward(second.forward(across(block))) * scales[0, 1]

    squares, left = solver(operator, first.size, first.metric)
    values = np.sqrt(np.clip(squares, 0, None))
    halves = np.float32(np.sqrt(0.5))
    return values, [left * halves, across(left) * (halves / np.where(values > 1e-4, values, np.inf).astype(np.float32))]


def _many(
    sides: Sequence[CanonicalSide], scales: NDArray[Any], solver: Solver
) -> tuple[NDArray[np.float64], list[Dense]]:
    """One eigenproblem over the stacked whitened directions."""
    borders = np.cumsum([side.size for side in sides])

    def operator(block: Dense) -> Dense:
        images = [side.forward(part) for side, part in zip(sides, np.split(block, borders[:-1]), strict=True)]
        mixed = [
            np.sum([image * scales[i, j] for j, image in enumerate(images) if j != i], axis=0)
            for i in range(len(sides))
        ]
        return np.vstack([side.backward(total) for side, total in zip(sides, mixed, strict=True)])

    def metric(block: Dense) -> Dense:
        parts = zip(sides, np.split(block, borders[:-1]), strict=True)
        return np.vstack([part if side.metric is None else side.metric(part) for side, part in parts])

    whitened = all(side.metric is None for side in sides)
    values, vectors = solver(operator, int(borders[-1]), None if whitened else metric)
    return values, np.split(vectors, borders[:-1])
