"""One language of kernel CCA: its kernel, centred and scaled, exact or through landmarks, ready to be correlated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.kernels.linalg.canonical_correlation import CanonicalSide, KernelSmoother, RowsSmoother, WhitenedRows
from babelspace.kernels.linalg.centred_rows import DenseRows, Rows, SparseRows
from babelspace.kernels.linalg.nystrom import complete_cholesky, greedy_landmarks, landmark_features
from babelspace.kernels.linalg.sparse import compact
from babelspace.runtime import progress
from babelspace.spaces.kernel.functions import PRECOMPUTED, KernelFunction, center_kernel, check_positive
from babelspace.spaces.kernel.kappa import HeldOutKernel

Dense = NDArray[Any]  # float32
DOUBLE = 2048  # up to so many documents double precision costs nothing that is felt
SAMPLE = 1000  # documents on which Nyström checks a kernel that may not be positive


@dataclass
class KernelView:
    """One language: a side of the correlation, and how its directions act on a document's kernel with `support`."""

    side: CanonicalSide
    available: int
    coefficients: Callable[[Dense], Dense]
    means: NDArray[np.float64]
    support: Any = None
    """Documents whose kernel with a new one is taken; None where that is the new one's own row."""


@dataclass(frozen=True)
class Recipe:
    """What all languages of one fit have in common."""

    kappa: float
    penalty: str
    center: bool
    relative: bool = True

    def kappa_for(self, scale: float) -> float:
        """κ for a kernel that was divided by its scale: as it is, or in the unit of the kernel before that."""
        return self.kappa if self.relative else self.kappa / scale


class Language:
    """A language's documents in its own columns, and its kernel."""

    def __init__(self, name: str, matrix: Any, mask: NDArray[np.bool_], kernel: KernelFunction) -> None:
        self.name, self.mask, self.documents = name, mask, int(mask.sum())
        if not self.documents:
            raise ParameterError(f"no training document in language {name!r}. Leave the language out.")
        if not matrix.nnz:
            raise ParameterError(
                f"no training document in language {name!r} has a known word. Leave the language out, or vectorise "
                "with a smaller drop_top or min_count."
            )
        self.columns: NDArray[np.int64] | None = None
        if kernel.name == PRECOMPUTED:
            self.rows = compact(matrix[mask][:, mask])
        else:
            self.columns = np.unique(matrix.indices).astype(np.int64)
            self.with_holes = compact(matrix[:, self.columns])
            self.rows = self.with_holes if mask.all() else self.with_holes[mask]
        self.kernel = kernel.fitted_to(self.rows)

    def matrix(
        self, center: bool, dtype: Any, rows: NDArray[Any] | None = None
    ) -> tuple[Dense, NDArray[np.float64], float]:
        """The (centred) kernel of all or some documents, checked and scaled; its means before that, and its scale."""
        documents = self.rows if rows is None else self.rows[rows]
        if rows is not None and self.kernel.name == PRECOMPUTED:
            documents = documents[:, rows]
        matrix = self.kernel.matrix(documents, dtype)
        largest = float(np.abs(np.diagonal(matrix)).max(initial=0))
        means = center_kernel(matrix) if center else np.zeros(len(matrix))
        if not self.kernel.surely_positive():
            check_positive(matrix, self.kernel.name, self.name)
        scale = _scale(float(np.mean(np.diagonal(matrix), dtype=np.float64)), largest)
        matrix *= matrix.dtype.type(1 / scale)
        return matrix, means, scale

    def held_out(self, center: bool, learned: NDArray[Any], apart: NDArray[Any]) -> tuple[HeldOutKernel, float]:
        """The kernel of some rows (numbers of the Views) and of others with them, and its scale."""
        place = np.cumsum(self.mask) - 1
        matrix, means, scale = self.matrix(center, np.float64, place[learned])
        rows, support = self.rows[place[apart]], self.rows[place[learned]]
        cross = (
            rows[:, place[learned]].toarray() if self.kernel.name == PRECOMPUTED else self.kernel.cross(rows, support)
        )
        return HeldOutKernel(matrix, cross.astype(np.float64) / scale, means / scale, center), scale

    def exact(self, recipe: Recipe) -> KernelView:
        """Without approximation: among the columns if the kernel is linear and they are fewer, else the documents."""
        if self.kernel.name == "linear" and self.columns is not None and self.documents >= len(self.columns):
            return self._among_columns(recipe)
        return self._among_documents(recipe)

    def _among_columns(self, recipe: Recipe) -> KernelView:
        means = np.asarray(self.rows.sum(axis=0), np.float64).ravel() / self.documents
        mean_length = float(np.mean(self.kernel.diagonal(self.rows)))
        scale = _scale(mean_length - (float(means @ means) if recipe.center else 0), mean_length)
        root = np.sqrt(scale)
        rows = SparseRows(self.with_holes / root, means / root if recipe.center else None, self.mask)
        side = _side(rows, recipe, scale, f"covariance of {self.name}")
        return KernelView(side, rows.shape[1], lambda block: side.weights(block) / np.float32(root), means)

    def _among_documents(self, recipe: Recipe) -> KernelView:
        norm, size = recipe.penalty == "norm", self.documents
        dtype: Any = np.float64 if norm or size <= DOUBLE else np.float32
        room = (24 if norm else np.dtype(dtype).itemsize) * size**2
        with progress.task(f"kernel of {self.name}: {size:,}² matrix, {progress.room(room)}"):
            matrix, means, scale = self.matrix(recipe.center, dtype)
            side, duals = (self._norm_side if norm else self._dual_side)(matrix, recipe.kappa_for(scale))

        def coefficients(block: Dense) -> Dense:
            found = duals(block)
            return (found - found.mean(axis=0) if recipe.center else found) / np.float32(scale)

        return KernelView(side, size - int(recipe.center), coefficients, means, self.rows)

    def _dual_side(self, matrix: Dense, kappa: float) -> tuple[CanonicalSide, Callable[[Dense], Dense]]:
        side = KernelSmoother(matrix, kappa, self.mask)
        return side, side.weights

    def _norm_side(self, matrix: Dense, kappa: float) -> tuple[CanonicalSide, Callable[[Dense], Dense]]:
        factor = complete_cholesky(matrix).astype(np.float32)
        side = WhitenedRows(DenseRows(self._spread(factor)), kappa, f"covariance of {self.name}")

        def duals(block: Dense) -> Dense:
            return scipy.linalg.solve_triangular(factor, side.weights(block), lower=True, trans="T", check_finite=False)

        return side, duals

    def nystrom(self, recipe: Recipe, landmarks: NDArray[np.int64]) -> KernelView:
        """Through the kernel with a few documents: K ≈ k(X, Z) k(Z, Z)⁻¹ k(Z, X)."""
        support = self.rows[landmarks]
        factor = complete_cholesky(self.kernel.matrix(support, np.float64))
        sums = np.zeros(len(landmarks))

        def cross(part: slice) -> Dense:
            values = self.kernel.cross(self.rows[part], support)
            sums[:] += values.sum(axis=0, dtype=np.float64)
            return values

        features = landmark_features(cross, self.documents, factor)
        mean_length = float(np.mean(self.kernel.diagonal(self.rows)))
        center = features.mean(axis=0, dtype=np.float64) if recipe.center else np.zeros(len(landmarks))
        scale = _scale(mean_length - float(center @ center), mean_length)
        root = np.sqrt(scale)
        features -= center.astype(np.float32)
        features /= np.float32(root)
        side = _side(DenseRows(self._spread(features)), recipe, scale, f"covariance of {self.name}")

        def coefficients(block: Dense) -> Dense:
            weights = side.weights(block) / root
            solved = scipy.linalg.solve_triangular(factor, weights, lower=True, trans="T", check_finite=False)
            return solved.astype(np.float32)

        return KernelView(side, len(landmarks), coefficients, sums / self.documents, support)

    def landmarks(self, rank: int, chosen_by: str, order: NDArray[Any]) -> NDArray[np.int64]:
        """Documents for Nyström: pivots of the incomplete Cholesky factor, or the first of a random order of rows."""
        self._check_sample()
        if chosen_by == "uniform":
            numbers = np.cumsum(self.mask) - 1
            return np.sort(numbers[order[self.mask[order]][:rank]])
        return greedy_landmarks(
            lambda which: self.kernel.cross(self.rows, self.rows[which]), self.kernel.diagonal(self.rows), rank
        )

    def _check_sample(self) -> None:
        """Any part of a positive kernel is positive, so a few documents are enough to refuse one that is not."""
        if not self.kernel.surely_positive():
            sample = self.rows[np.unique(np.linspace(0, self.documents - 1, SAMPLE).astype(np.int64))]
            check_positive(self.kernel.matrix(sample, np.float64), self.kernel.name, self.name)

    def _spread(self, rows: Dense) -> Dense:
        if self.mask.all():
            return rows
        spread = np.zeros((len(self.mask), rows.shape[1]), np.float32)
        spread[self.mask] = rows
        return spread


def _scale(mean_diagonal: float, largest: float) -> float:
    """What makes documents of length one on average, so that κ has no unit; 1 where all documents are the same."""
    return mean_diagonal if mean_diagonal > 1e-9 * largest else 1.0


def _side(rows: Rows, recipe: Recipe, scale: float, name: str) -> CanonicalSide:
    kind = WhitenedRows if recipe.penalty == "norm" else RowsSmoother
    return kind(rows, recipe.kappa_for(scale), name)
