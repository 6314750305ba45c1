"""Kernels of documents: matrices, blocks against other documents, and whether they are positive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.kernels.linalg.sparse import gram, multiply

Dense = NDArray[Any]
# Functions of inner products and lengths; every other one of scikit-learn's is computed by scikit-learn.
OF_PRODUCTS = ("linear", "poly", "polynomial", "rbf", "sigmoid", "cosine")
PRECOMPUTED = "precomputed"
# Those of scikit-learn, whose table would cost its import.
KERNELS = (*OF_PRODUCTS, "additive_chi2", "chi2", "laplacian", PRECOMPUTED)
DENSE_BLOCK = 2**23  # entries of a block that is made dense: 32 MB


@dataclass(frozen=True)
class KernelFunction:
    """k(x, y) by name: linear xᵀy, poly (γ xᵀy + c)^degree, rbf exp(-γ |x - y|²), … as in scikit-learn.

    Without a γ, :meth:`fitted_to` gives poly, rbf and sigmoid theirs; the others leave it to scikit-learn.
    """

    name: str
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1.0

    def fitted_to(self, rows: Any) -> KernelFunction:
        """γ = 1 / mean squared length of the training rows unless given: then it has no unit."""
        if self.gamma is not None or self.name not in ("poly", "polynomial", "rbf", "sigmoid"):
            return self
        return replace(self, gamma=1 / (float(np.mean(squared_lengths(rows))) or 1.0))

    def matrix(self, rows: Any, dtype: Any = np.float32) -> Dense:
        """The kernel of all rows with each other; 4 or 8 bytes · rows²."""
        if self.name == PRECOMPUTED:
            return rows.toarray().astype(dtype)
        if self.name not in OF_PRODUCTS:
            out = np.empty((rows.shape[0], rows.shape[0]), dtype)
            for start in range(0, rows.shape[0], 512):
                out[start : start + 512] = self._foreign(rows[start : start + 512], rows)
            return out
        lengths = squared_lengths(rows)
        out = gram(rows.T, dtype=dtype)
        if self.name != "linear":
            for start in range(0, len(out), 512):
                part = slice(start, start + 512)
                out[part] = self._of_products(out[part], lengths[part, None], lengths)
        return out

    def cross(self, rows: Any, support: Any) -> Dense:
        """The kernel of rows with support documents; each entry is one sum, whatever the other rows are."""
        out = np.empty((rows.shape[0], support.shape[0]), np.float32)
        step = max(1, DENSE_BLOCK // max(rows.shape[1], support.shape[0], 1))
        lengths, others = squared_lengths(rows), squared_lengths(support)
        for start in range(0, rows.shape[0], step):
            part = slice(start, start + step)
            if self.name in OF_PRODUCTS:
                products = multiply(support, rows[part].T.toarray()).T
                out[part] = self._of_products(products, lengths[part, None], others)
            else:
                out[part] = self._foreign(rows[part], support)
        return out

    def diagonal(self, rows: Any) -> NDArray[np.float64]:
        """k(x, x) of each row."""
        if self.name == PRECOMPUTED:
            return np.asarray(rows.diagonal(), np.float64)
        if self.name in OF_PRODUCTS:
            lengths = squared_lengths(rows)
            return np.asarray(self._of_products(lengths.copy(), lengths, lengths), np.float64)
        parts = [self._foreign(rows[row : row + 1], rows[row : row + 1]) for row in range(rows.shape[0])]
        return np.array([part[0, 0] for part in parts], np.float64)

    def surely_positive(self) -> bool:
        """Whether every matrix of this kernel is positive semi-definite by its formula."""
        gamma = 1.0 if self.gamma is None else self.gamma
        if self.name in ("poly", "polynomial"):
            return gamma >= 0 and self.coef0 >= 0 and self.degree == int(self.degree) and self.degree >= 0
        return self.name in ("linear", "cosine") or (self.name in ("rbf", "laplacian", "chi2") and gamma > 0)

    def _of_products(self, products: Dense, left: Dense, right: Dense) -> Dense:
        if self.name == "linear":
            return products
        if self.name == "cosine":
            lengths = np.sqrt(left * right)
            return products / np.where(lengths > 0, lengths, 1)
        if self.name == "rbf":
            return np.exp(-_number(self.gamma) * np.maximum(left + right - 2 * products, 0))
        inner = _number(self.gamma) * products + self.coef0
        return np.tanh(inner) if self.name == "sigmoid" else inner**self.degree

    def _foreign(self, rows: Any, support: Any) -> Dense:
        from sklearn.metrics.pairwise import pairwise_kernels

        settings = {} if self.gamma is None else {"gamma": self.gamma}
        left, right = (rows, support) if self.name == "laplacian" else (rows.toarray(), support.toarray())
        try:
            return pairwise_kernels(left, right, metric=self.name, filter_params=True, **settings)
        except ValueError as problem:
            raise ParameterError(
                f"scikit-learn's kernel {self.name!r} does not take these documents ({problem}). "
                "Use kernel='linear', 'poly' or 'rbf'."
            ) from problem


def squared_lengths(rows: Any) -> NDArray[np.float64]:
    """Σ x² of each sparse row."""
    squares = sp.csr_array((rows.data.astype(np.float64) ** 2, rows.indices, rows.indptr), shape=rows.shape)
    return np.asarray(squares.sum(axis=1), np.float64).ravel()


def center_kernel(matrix: Dense) -> Dense:
    """Move the origin of the feature space to the mean of the documents, in place; gives the means of the rows."""
    means = matrix.mean(axis=0, dtype=np.float64)
    half = (means - means.mean() / 2).astype(matrix.dtype)
    for start in range(0, len(matrix), 512):
        matrix[start : start + 512] -= half[start : start + 512, None] + half
    return means


def check_precomputed(matrix: Any, language: str) -> None:
    """Raise unless a given training kernel is square, finite and symmetric."""
    rows, columns = matrix.shape
    if rows != columns:
        raise ParameterError(
            f"a precomputed kernel of training documents is square, got {rows} x {columns} for {language!r}. "
            "Give k(x_i, x_j) of all training documents; transform takes new documents x training documents."
        )
    if not np.isfinite(matrix.data).all():
        raise ParameterError(f"the precomputed kernel of {language!r} has entries that are not finite.")
    largest = float(np.abs(matrix.data).max(initial=0))
    asymmetry = float(np.abs((matrix - matrix.T).data).max(initial=0))
    if asymmetry > 1e-4 * largest:
        raise ParameterError(
            f"the precomputed kernel of {language!r} is not symmetric: k(x, y) and k(y, x) differ by up to "
            f"{asymmetry:.3g}. Use (K + K.T) / 2 if that is rounding."
        )


def check_positive(matrix: Dense, name: str, language: str) -> None:
    """Raise if the matrix has an eigenvalue that is negative beyond the rounding of single-precision entries."""
    size = len(matrix)
    slack = 1e-6 * np.sqrt(size) * float(np.abs(np.diagonal(matrix)).max(initial=0)) + 1e-30
    shifted = np.array(matrix, np.float64)
    shifted[np.diag_indices(size)] += slack
    if not np.isfinite(shifted).all():
        raise ParameterError(f"the {name} kernel of {language!r} has entries that are not finite. Use a smaller gamma.")
    _, status = scipy.linalg.lapack.dpotrf(shifted.T, lower=1, clean=0, overwrite_a=1)
    if status:
        smallest = _smallest_eigenvalue(matrix)
        raise ParameterError(
            f"the {name} kernel of {language!r} is not positive semi-definite: its smallest eigenvalue is "
            f"{smallest:.3g}. Use kernel='linear', 'rbf' or 'poly' with coef0 ≥ 0; or set the negative eigenvalues of "
            f"a precomputed kernel to 0, or add {-smallest:.3g} to its diagonal."
        )


def _smallest_eigenvalue(matrix: Dense) -> float:
    if len(matrix) <= 2000:
        return float(scipy.linalg.eigvalsh(matrix, subset_by_index=[0, 0])[0])
    return float(sp.linalg.eigsh(matrix, k=1, which="SA", tol=1e-2, return_eigenvectors=False)[0])


def _number(gamma: float | None) -> float:
    return 1.0 if gamma is None else gamma
