"""Ridge regression on sparse rows with an intercept, solved among the columns or among the rows, the fewer."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.kernels.linalg.centred_rows import SparseRows, worth_row_coordinates
from babelspace.kernels.linalg.sparse import compact, gram, multiply
from babelspace.kernels.linalg.whitening import RidgeCovariance

Dense = NDArray[Any]  # float32


class RidgeRegression(Protocol):
    """Regressions of any targets on the same centred rows X: W = (XᵀX / n + γ I)⁻¹ Xᵀ T / n."""

    def weights(self, targets: Dense) -> Dense:
        """W, columns x targets."""

    def predict(self, targets: Dense) -> Dense:
        """X W, the fitted values of the targets: the hat matrix times them."""

    def hat(self) -> NDArray[np.float64]:
        """The hat matrix itself, rows²."""


def ridge_regression(rows: Any, gamma: float, name: str = "rows") -> RidgeRegression:
    """The form that costs less for this shape."""
    if not gamma > 0:
        raise ParameterError(f"the ridge γ must be above 0, got {gamma}: without it the problem has no solution.")
    matrix = compact(rows)
    return (RowRidge if worth_row_coordinates(*matrix.shape) else ColumnRidge)(matrix, gamma, name)


class RowRidge:
    """With K = X Xᵀ / n: W = Xᵀ (K + γ I)⁻¹ T / n; double precision, 16 · rows² bytes while it is made."""

    def __init__(self, rows: Any, gamma: float, name: str) -> None:
        self.rows, self.gamma = rows, gamma
        products = gram(rows.T, 1 / max(rows.shape[0], 1), dtype=np.float64)
        means = products.mean(axis=0)
        products -= means + (means - means.mean())[:, None]
        products[np.diag_indices(len(products))] += gamma
        # Symmetric, so that C order read as Fortran order is the same matrix.
        self.factor, status = scipy.linalg.lapack.dpotrf(products.T, lower=1, overwrite_a=1)
        if status != 0:
            raise ParameterError(f"the products of {name} are not positive definite. Use a larger γ.")

    def weights(self, targets: Dense) -> Dense:
        """Xᵀ times the centred dual solution."""
        dual = self._solve(targets)
        dual -= dual.mean(axis=0)
        return multiply(compact(sp.csr_array(self.rows.T)), (dual / len(dual)).astype(np.float32))

    def predict(self, targets: Dense) -> Dense:
        """K (K + γ I)⁻¹ T = T - γ (K + γ I)⁻¹ T; constants, which K does not see, cancel."""
        return (targets - self.gamma * self._solve(targets)).astype(np.float32)

    def hat(self) -> NDArray[np.float64]:
        """I - γ (K + γ I)⁻¹."""
        inverse, _ = scipy.linalg.lapack.dpotri(self.factor, lower=1)
        lower = np.tril(inverse, -1)
        return np.eye(len(inverse)) - self.gamma * (lower + lower.T + np.diag(np.diag(inverse)))

    def _solve(self, targets: Dense) -> NDArray[np.float64]:
        return scipy.linalg.cho_solve((self.factor, True), targets.astype(np.float64), check_finite=False)


class ColumnRidge:
    """The normal equations, factorised in single precision in place: 4 · columns² bytes."""

    def __init__(self, rows: Any, gamma: float, name: str) -> None:
        mean = np.asarray(rows.mean(axis=0), np.float32).ravel()
        self.rows, self.scale = SparseRows(rows, mean), 1 / max(rows.shape[0], 1)
        self.covariance = RidgeCovariance(self.rows, self.scale, gamma, f"covariance of {name}")

    def weights(self, targets: Dense) -> Dense:
        """By two triangular solves."""
        right = self.rows.backward(np.asarray(targets, np.float32)) * np.float32(self.scale)
        return self.covariance.unwhiten(self.covariance.whiten(right))

    def predict(self, targets: Dense) -> Dense:
        """X W."""
        return self.rows.forward(self.weights(targets))

    def hat(self) -> NDArray[np.float64]:
        """Its columns are the fitted values of unit targets."""
        matrix = self.predict(np.eye(self.rows.shape[0], dtype=np.float32)).astype(np.float64)
        return (matrix + matrix.T) / 2
