"""The leading eigenvectors of a large symmetric operator, by block Krylov subspaces with Rayleigh–Ritz.

The operator maps dense blocks (n x b arrays), so a matrix that is a product of sparse ones is never formed. Float32
throughout; the small projected problem is solved in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from babelspace.runtime import progress

Dense = NDArray[Any]  # float32
Operator = Callable[[Dense], Dense]


def leading_eigenpairs(
    operator: Operator,
    size: int,
    rank: int,
    rng: np.random.Generator,
    *,
    tolerance: float = 0.05,
    max_restarts: int = 20,
    dense_up_to: int = 256,
    metric: Operator | None = None,
) -> tuple[NDArray[np.float64], Dense]:
    """The `rank` largest eigenvalues (descending) and orthonormal eigenvectors (size x rank); fewer if there are not.

    A block Krylov basis is grown with full reorthogonalisation to a little over twice the rank, and restarted
    from its best Ritz vectors until every wanted residual is below `tolerance` times its value. Signs are fixed so
    that the entry of largest magnitude is positive. Up to `dense_up_to` rows the dense solver is used, which no
    crowding of eigenvalues can mislead.

    With a `metric` N (positive definite, known by its products) the operator is N⁻¹ S, symmetric in the inner product
    of N: the values are those of S v = λ N v, and the vectors are orthonormal in that product.
    """
    rank = min(rank, size)
    # Narrow blocks need fewer vectors in all to converge, wide ones make faster products; 16 floats fill a vector unit.
    block = int(np.clip(16 * round(rank / 80), 16, 128))
    capacity = 2 * rank + 2 * block
    # Where the basis would span most of the space anyway, the dense solver is both exact and faster.
    if size <= max(capacity, dense_up_to):
        return _dense(operator, size, rank, metric)
    basis = Basis(operator, rng.standard_normal((size, block), dtype=np.float32), capacity, metric)
    with progress.task("eigenvectors", capacity) as advance:
        for _ in range(max_restarts):
            while basis.grow():
                advance(block)
            values, vectors = basis.ritz_pairs()
            if basis.exhausted or basis.converged(values[:rank], vectors[:, :rank], tolerance):
                break
            basis.restart(values, vectors, rank + block)
        values, vectors = basis.ritz_pairs()
        return values[:rank], fix_signs(basis.Q[:, : basis.filled] @ vectors[:, :rank].astype(np.float32))


def _dense(operator: Operator, size: int, rank: int, metric: Operator | None) -> tuple[NDArray[np.float64], Dense]:
    matrix, inner = operator(np.eye(size, dtype=np.float32)), None
    if metric is not None:
        matrix, inner = metric(matrix), _symmetric(metric(np.eye(size, dtype=np.float32)))
    values, vectors = scipy.linalg.eigh(_symmetric(matrix), inner, subset_by_index=[size - rank, size - 1])
    return values[::-1].copy(), fix_signs(vectors[:, ::-1].astype(np.float32))


def _symmetric(matrix: Dense) -> NDArray[np.float64]:
    matrix64 = matrix.astype(np.float64)
    return (matrix64 + matrix64.T) / 2


def fix_signs(vectors: Dense) -> Dense:
    """Each column times ±1 so that its entry of largest magnitude is positive."""
    peaks = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return vectors * np.where(peaks < 0, np.float32(-1), np.float32(1))


def _orthonormal_columns(block: Dense, image: Dense, floor: float) -> Dense:
    """An orthonormal basis of the columns' span, without directions whose squared length is below the floor.

    `image` is the block times the metric, or the block itself.
    """
    values, vectors = np.linalg.eigh(_symmetric(block.T @ image))
    keep = values > max(floor, 1e-30)
    return block @ (vectors[:, keep] / np.sqrt(values[keep])).astype(np.float32)


def _largest_square(block: Dense, image: Dense) -> float:
    """The squared length of the longest column."""
    return float(np.einsum("ij,ij->j", block, image).max(initial=0))


def _same(block: Dense) -> Dense:
    return block


class Basis:
    """An orthonormal Krylov basis Q with the projected matrix H = Qᵀ A Q and the block that comes next.

    With a metric N, NQ = N Q and H = Qᵀ N A Q; without one, NQ is Q.
    """

    def __init__(self, operator: Operator, start: Dense, capacity: int, metric: Operator | None) -> None:
        self.operator, self.capacity, self.metric = operator, capacity, metric or _same
        self.Q = np.empty((len(start), capacity), np.float32, order="F")
        self.NQ = self.Q if metric is None else np.empty_like(self.Q)
        self.H = np.zeros((capacity, capacity))
        self.filled = 0
        self.exhausted = False
        self.block, self.size = start, _largest_square(start, self.metric(start))

    def grow(self) -> bool:
        """Append the waiting block and prepare the next; False when the basis is full or the space is exhausted."""
        if self.capacity - self.filled < self.block.shape[1] or self.exhausted:
            return False
        fresh = self.orthonormal(self.block)
        if fresh.shape[1] == 0:
            self.exhausted = True
            return False
        start, stop = self.filled, self.filled + fresh.shape[1]
        self.Q[:, start:stop] = fresh
        if self.NQ is not self.Q:
            self.NQ[:, start:stop] = self.metric(fresh)
        self.filled = stop
        self._prepare(fresh, start, stop)
        return True

    def _prepare(self, fresh: Dense, start: int, stop: int) -> None:
        """The next block: the operator applied to the newest columns, minus the basis."""
        applied = self.operator(fresh)
        projected = self.NQ[:, :stop].T @ applied
        self.H[:stop, start:stop] = projected
        self.H[start:stop, :stop] = projected.T
        self.block = applied - self.Q[:, :stop] @ projected
        self.size = _largest_square(applied, self.metric(applied))
        self.newest = slice(start, stop)

    def orthonormal(self, block: Dense) -> Dense:
        """Orthonormalise a block against the basis and within itself, twice; dependent directions are dropped.

        It was projected once already, when it was made. What that left below a hundred-thousandth of its length before
        is rounding: made longer, it would point back into the basis.
        """
        block = _orthonormal_columns(block, self.metric(block), 1e-10 * self.size)
        block = block - self.Q[:, : self.filled] @ (self.NQ[:, : self.filled].T @ block)
        return _orthonormal_columns(block, self.metric(block), 1e-3)

    def ritz_pairs(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All eigenpairs of the projected matrix, largest first."""
        values, vectors = np.linalg.eigh(self.H[: self.filled, : self.filled])
        return values[::-1], vectors[:, ::-1]

    def converged(self, values: NDArray[np.float64], vectors: NDArray[np.float64], tolerance: float) -> bool:
        """Whether every residual is small; only the newest columns reach out of the basis."""
        outside = _symmetric(self.block.T @ self.metric(self.block))
        tail = vectors[self.newest]
        residuals = np.sqrt(np.maximum(np.sum(tail * (outside @ tail), axis=0), 0))
        return bool(np.all(residuals <= tolerance * np.maximum(np.abs(values), 1e-12)))

    def restart(self, values: NDArray[np.float64], vectors: NDArray[np.float64], keep: int) -> None:
        """Shrink the basis to its best Ritz vectors; the waiting block continues the same Krylov space."""
        keep = min(keep, len(values))
        turn = vectors[:, :keep].astype(np.float32)
        self.Q[:, :keep] = self.Q[:, : self.filled] @ turn
        if self.NQ is not self.Q:
            self.NQ[:, :keep] = self.NQ[:, : self.filled] @ turn
        self.H[:] = 0
        self.H[np.arange(keep), np.arange(keep)] = values[:keep]
        self.filled = keep
