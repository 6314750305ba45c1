"""A ridged covariance that is never written out: products with sparse rows, and solves by conjugate gradients."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import Advice, ParameterError
from babelspace.kernels.linalg.centred_rows import MixedRows, SparseRows

Dense = NDArray[Any]  # float32

# Length of a residual, in units of the right-hand side, at which a solve ends: what the eigenvectors keep of it is far
# below the tolerance that retrieval can notice (benchmarks/measure/wide_vocabulary.py).
ACCURACY = 1e-3
MOST_STEPS = 500


class ImplicitCovariance:
    """C = scale · XᵀX + ridge · I for sparse rows X; memory in proportion to the non-zeros of X.

    The ridge bounds the condition of C by its largest eigenvalue over the ridge, whatever the number of columns, so the
    number of steps does not grow with the vocabulary.
    """

    def __init__(self, rows: SparseRows | MixedRows, scale: float, ridge: float) -> None:
        if not ridge > 0:
            raise ParameterError(f"the ridge γ must be above 0, got {ridge}: without it the problem has no solution.")
        self.rows, self.size = rows, rows.shape[1]
        self.scale, self.ridge = np.float32(scale), np.float32(ridge)
        self._inverse_diagonal = (1 / (scale * rows.column_squares() + ridge)).astype(np.float32)[:, None]
        self.steps = 0

    def multiply(self, block: Dense) -> Dense:
        """C block."""
        out = self.rows.backward(self.rows.forward(block))
        out *= self.scale
        out += self.ridge * block
        return out

    def solve(self, block: Dense) -> Dense:
        """C⁻¹ block, column by column, preconditioned by the diagonal; `steps` counts products with C."""
        found = np.zeros(block.shape, np.float32)
        residual = np.array(block, np.float32, order="C")
        preconditioned = self._inverse_diagonal * residual
        direction = preconditioned.copy()
        height = _products(residual, preconditioned)
        goal = ACCURACY**2 * np.maximum(height, np.float64(1e-30))
        for _ in range(MOST_STEPS):
            applied = self.multiply(direction)
            self.steps += 1
            length = _quotient(height, _products(direction, applied))
            found += length * direction
            residual -= length * applied
            np.multiply(self._inverse_diagonal, residual, out=preconditioned)
            before, height = height, _products(residual, preconditioned)
            if (height <= goal).all():
                return found
            direction *= _quotient(height, before)
            direction += preconditioned
        left = float(np.sqrt((height / goal).max()) * ACCURACY)
        warnings.warn(
            Advice(f"conjugate gradients stopped after {MOST_STEPS} steps at {left:.1e}:", hint="use a larger {gamma}"),
            stacklevel=2,
        )
        return found


def _products(one: Dense, other: Dense) -> NDArray[np.float64]:
    """The products of columns with columns."""
    return np.einsum("ij,ij->j", one, other).astype(np.float64)


def _quotient(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float32]:
    """Columns that are solved to the last bit have nothing left to divide."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0).astype(np.float32)
