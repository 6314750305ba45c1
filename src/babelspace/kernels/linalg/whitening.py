"""Whitening by a ridged covariance, the step that turns OPCA and CCA into ordinary eigenproblems."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.kernels.linalg.centred_rows import Rows
from babelspace.runtime import progress

Dense = NDArray[Any]  # float32
# What LAPACK factorises in a second or two; tiles of larger ones, which take up to two fifths longer but hear Ctrl-C.
WHOLE, TILE = 8_192, 768


class RidgeCovariance:
    """C = scale · XᵀX + ridge · I = L Lᵀ, factorised in single precision in place: 4 · columns² bytes."""

    def __init__(self, rows: Rows, scale: float, ridge: float, name: str = "covariance") -> None:
        if not ridge > 0:
            raise ParameterError(f"the ridge γ must be above 0, got {ridge}: without it the problem has no solution.")
        self.size = rows.shape[1]
        with progress.task(f"{name}: {self.size:,}² matrix, {progress.room(4 * self.size**2)}"):
            self.factor = _factor(rows.column_gram(scale), ridge)

    @classmethod
    def of_gram(cls, matrix: Dense, ridge: float) -> RidgeCovariance:
        """Of scale · XᵀX itself, given by its upper triangle and overwritten."""
        made = cls.__new__(cls)
        made.size, made.factor = len(matrix), _factor(matrix, ridge)
        return made

    def whiten(self, block: Dense) -> Dense:
        """L⁻¹ block."""
        return self.factor.solve(block)

    def unwhiten(self, block: Dense) -> Dense:
        """L⁻ᵀ block."""
        return self.factor.solve_transposed(block)


def _factor(matrix: Dense, ridge: float) -> TriangularFactor:
    matrix[np.diag_indices(len(matrix))] += np.float32(ridge)
    return TriangularFactor(cholesky_in_place(matrix))


class TriangularFactor:
    """A lower triangular matrix prepared for many solves with few right-hand sides.

    The diagonal tiles are inverted once, after which a solve is nothing but matrix products on blocks in C order: one
    and a half times as fast as BLAS's own solve, which also wants its right-hand sides in the other order.
    """

    def __init__(self, factor: Dense, tile: int = 512) -> None:
        self.factor = factor
        self.tiles = [slice(start, min(start + tile, len(factor))) for start in range(0, len(factor), tile)]
        self.inverses = [np.tril(scipy.linalg.lapack.strtri(factor[tile, tile], lower=1)[0]) for tile in self.tiles]

    def solve(self, block: Dense) -> Dense:
        """L⁻¹ block."""
        out = np.empty(block.shape, np.float32)
        for tile, inverse in zip(self.tiles, self.inverses, strict=True):
            known = slice(0, tile.start)
            out[tile] = inverse @ (block[tile] - self.factor[tile, known] @ out[known])
        return out

    def solve_transposed(self, block: Dense) -> Dense:
        """L⁻ᵀ block."""
        out = np.empty(block.shape, np.float32)
        for tile, inverse in zip(reversed(self.tiles), reversed(self.inverses), strict=True):
            known = slice(tile.stop, None)
            out[tile] = inverse.T @ (block[tile] - self.factor[known, tile].T @ out[known])
        return out


def cholesky_in_place(matrix: Dense, whole: int = WHOLE, tile: int = TILE) -> Dense:
    """The Cholesky factor of a positive definite matrix given by its upper triangle, overwriting it.

    Up to `whole` columns by LAPACK, which hears no Ctrl-C until it is done; larger ones tile by tile.
    """
    if len(matrix) > whole:
        return _cholesky_by_tiles(matrix, tile)
    if matrix.size == 0:
        return matrix
    # The upper triangle in C order is the lower one in Fortran order: LAPACK works on the same memory.
    return _checked(*scipy.linalg.lapack.spotrf(matrix.T, lower=1, clean=0, overwrite_a=1))


def _cholesky_by_tiles(matrix: Dense, tile: int) -> Dense:
    """Row of tiles by row of tiles: each is solved, and its share is taken off the rows below."""
    size = len(matrix)
    for start in range(0, size, tile):
        here, after = slice(start, min(start + tile, size)), slice(min(start + tile, size), size)
        corner = _checked(*scipy.linalg.lapack.spotrf(matrix[here, here].T, lower=1, clean=1))
        matrix[here, here] = corner.T
        matrix[here, after] = np.tril(scipy.linalg.lapack.strtri(corner, lower=1)[0]) @ matrix[here, after]
        for left in range(after.start, size, tile):
            rows = slice(left, min(left + tile, size))
            matrix[rows, left:] -= matrix[here, rows].T @ matrix[here, left:]
    return matrix.T


def _checked(factor: Dense, status: int) -> Dense:
    if status != 0:
        raise ParameterError(
            "the covariance is not positive definite in single precision: the ridge γ is too small for these data. "
            "Use a larger γ."
        )
    return factor
