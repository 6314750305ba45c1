"""The leading eigenvectors of large symmetric problems, by block Krylov subspaces with Rayleigh–Ritz.

Everything is expressed as operators on dense blocks (n x b arrays), so a matrix that is a product of sparse ones
is never formed. Float32 throughout; the small projected problem is solved in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from babelspace.runtime import progress

Dense = NDArray[Any]  # float32
Operator = Callable[[Dense], Dense]


@dataclass(frozen=True)
class Pencil:
    """The generalised eigenproblem `signal v = λ noise v`, as operators; noise is positive definite.

    `solve` applies the inverse of noise. Leave both out for the ordinary problem (noise = I).
    """

    size: int
    signal: Operator
    noise: Operator | None = None
    solve: Operator | None = None


def leading_eigenpairs(
    pencil: Pencil, rank: int, rng: np.random.Generator, *, tolerance: float = 1e-2, max_restarts: int = 20
) -> tuple[NDArray[np.float64], Dense]:
    """The `rank` largest eigenvalues (descending) and noise-orthonormal eigenvectors (size x rank).

    A block Krylov basis is grown with full reorthogonalisation and restarted from its best Ritz vectors when it
    reaches about three times the rank; it stops when every wanted residual is below `tolerance` times its value.
    Signs are fixed so that the entry of largest magnitude is positive.
    """
    rank = min(rank, pencil.size)
    block = int(np.clip(rank // 4, 8, 256))
    # Where the basis would span most of the space anyway, the dense solver is both exact and faster.
    if pencil.size <= max(3 * rank + 2 * block, 256):
        return _dense(pencil, rank)
    basis = _Basis(pencil, min(3 * rank + 2 * block, pencil.size), block, rng)
    with progress.task("eigenvectors", basis.capacity) as advance:
        for _ in range(max_restarts):
            while basis.grow():
                advance(block)
                if basis.filled >= 2 * rank and basis.filled % (2 * block) < block and basis.converged(rank, tolerance):
                    return basis.ritz(rank)
            if basis.exhausted or basis.converged(rank, tolerance):
                break
            basis.restart(rank + block)
    return basis.ritz(rank)


def _dense(pencil: Pencil, rank: int) -> tuple[NDArray[np.float64], Dense]:
    identity = np.eye(pencil.size, dtype=np.float32)
    signal = _symmetric(pencil.signal(identity))
    noise = None if pencil.noise is None else _symmetric(pencil.noise(identity))
    first = pencil.size - rank
    values, vectors = scipy.linalg.eigh(signal, noise, subset_by_index=[first, pencil.size - 1])
    return values[::-1].copy(), fix_signs(vectors[:, ::-1].astype(np.float32))


def _symmetric(matrix: Dense) -> NDArray[np.float64]:
    matrix64 = matrix.astype(np.float64)
    return (matrix64 + matrix64.T) / 2


def fix_signs(vectors: Dense) -> Dense:
    """Each column times ±1 so that its entry of largest magnitude is positive."""
    peaks = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return vectors * np.where(peaks < 0, np.float32(-1), np.float32(1))


class _Basis:
    """A noise-orthonormal Krylov basis Q with P = noise Q and the projected matrix H = Qᵀ signal Q."""

    def __init__(self, pencil: Pencil, capacity: int, block: int, rng: np.random.Generator) -> None:
        self.pencil, self.capacity, self.block, self.rng = pencil, capacity, block, rng
        self.Q = np.empty((pencil.size, capacity), np.float32, order="F")
        self.P = self.Q if pencil.noise is None else np.empty_like(self.Q)
        self.H = np.zeros((capacity, capacity))
        self.filled = 0
        self.exhausted = False
        self.pending: Dense = rng.standard_normal((pencil.size, block), dtype=np.float32)
        self.coupling = np.zeros((0, 0))

    def grow(self) -> bool:
        """Append one block; False when the basis is full or the space is exhausted."""
        width = min(self.pending.shape[1], self.capacity - self.filled)
        if width == 0 or self.exhausted:
            return False
        start, stop = self.filled, self.filled + width
        fresh, image = self._orthonormal(self.pending[:, :width])
        if fresh.shape[1] == 0:
            self.exhausted = True
            return False
        stop = start + fresh.shape[1]
        self.Q[:, start:stop] = fresh
        if self.P is not self.Q:
            self.P[:, start:stop] = image
        self.filled = stop
        applied = self.pencil.signal(fresh)
        projected = (self.Q[:, :stop].T @ applied).astype(np.float64)
        self.H[:stop, start:stop] = projected
        self.H[start:stop, :stop] = projected.T
        self.pending = applied if self.pencil.solve is None else self.pencil.solve(applied)
        self._couple(start, stop)
        return True

    def _couple(self, start: int, stop: int) -> None:
        """Subtract the basis from the next block; its Gram matrix then gives every Ritz residual."""
        next_block = self.pending - self.Q[:, :stop] @ (self.P[:, :stop].T @ self.pending)
        image = next_block if self.pencil.noise is None else self.pencil.noise(next_block)
        self.pending = next_block
        self.coupling = (next_block.T @ image).astype(np.float64)
        self._last = slice(start, stop)

    def _orthonormal(self, block: Dense) -> tuple[Dense, Dense]:
        """Noise-orthonormalise a block against the basis and within itself; dependent directions are dropped."""
        scale = np.inf
        for attempt in range(2):
            if self.filled:
                block = block - self.Q[:, : self.filled] @ (self.P[:, : self.filled].T @ block)
            image = block if self.pencil.noise is None else self.pencil.noise(block)
            values, vectors = scipy.linalg.eigh(_symmetric(block.T @ image))
            scale = values[-1] if attempt == 0 else 1.0
            keep = values > max(scale * 1e-6, 1e-30)
            block = (block @ (vectors[:, keep] / np.sqrt(values[keep])).astype(np.float32)).astype(np.float32)
            if block.shape[1] == 0:
                return block, block
        image = block if self.pencil.noise is None else self.pencil.noise(block)
        return block, image

    def _solve_small(self, rank: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        size = self.filled
        rank = min(rank, size)
        values, vectors = scipy.linalg.eigh(self.H[:size, :size], subset_by_index=[size - rank, size - 1])
        return values[::-1], vectors[:, ::-1]

    def converged(self, rank: int, tolerance: float) -> bool:
        values, vectors = self._solve_small(rank)
        tail = vectors[self._last]
        residuals = np.sqrt(np.maximum(np.einsum("ij,ik,kj->j", tail, self.coupling, tail, optimize=True), 0))
        return len(values) == rank and bool(np.all(residuals <= tolerance * np.maximum(np.abs(values), 1e-12)))

    def restart(self, keep: int) -> None:
        """Shrink the basis to its best Ritz vectors; the pending block continues the same Krylov space."""
        values, vectors = self._solve_small(keep)
        keep = len(values)
        rotation = vectors.astype(np.float32)
        self.Q[:, :keep] = self.Q[:, : self.filled] @ rotation
        if self.P is not self.Q:
            self.P[:, :keep] = self.P[:, : self.filled] @ rotation
        self.H[:] = 0
        self.H[np.arange(keep), np.arange(keep)] = values
        self.filled = keep

    def ritz(self, rank: int) -> tuple[NDArray[np.float64], Dense]:
        values, vectors = self._solve_small(rank)
        return values, fix_signs(self.Q[:, : self.filled] @ vectors.astype(np.float32))
