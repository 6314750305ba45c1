"""Dense products and triangular solves of many rows, each row rounded the same whatever stands beside it.

BLAS picks its loops by the shape of the whole block, so a document would get other last digits alone than in a batch.
Here groups of documents lie side by side in the lanes of vector instructions: every lane does the same sums in the same
order, at about the speed of BLAS, and results depend neither on the batch nor on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.parallel import parallel

Dense = NDArray[Any]

# Documents side by side; a constant of the compiled loops. 16 was measured to be half as fast.
LANES = 32
# Sums may be fused into the products (one rounding instead of two), but never reordered.
FUSED = {"contract"}


def pack_upper(matrix: Dense, dtype: Any, *, unit_diagonal: bool = False) -> Dense:
    """The rows of the upper triangle, one after the other: half of the memory."""
    size = len(matrix)
    packed = np.empty(size * (size + 1) // 2, dtype)
    starts = _starts(size)
    for row, start in enumerate(starts):
        packed[start : start + size - row] = matrix[row, row:]
    if unit_diagonal:
        packed[starts] = 1
    return packed


def solve(first: Dense, second: Dense, rows: Dense) -> Dense:
    """z with Fᵀ S z = b for every row b, for packed upper triangles F and S."""
    rows = np.ascontiguousarray(rows, first.dtype)
    out = np.empty_like(rows)
    _solve(first, second, _starts(rows.shape[1]), rows, out)
    return out


def multiply(rows: Dense, matrix: Dense) -> Dense:
    """rows · matrix."""
    rows, matrix = np.ascontiguousarray(rows, matrix.dtype), np.ascontiguousarray(matrix)
    out = np.empty((rows.shape[0], matrix.shape[1]), matrix.dtype)
    _multiply(rows, matrix, out)
    return out


def multiply_transposed(rows: Dense, matrix: Dense) -> Dense:
    """rows · matrixᵀ."""
    rows, matrix = np.ascontiguousarray(rows, matrix.dtype), np.ascontiguousarray(matrix)
    out = np.empty((rows.shape[0], matrix.shape[0]), matrix.dtype)
    _multiply_transposed(rows, matrix, out)
    return out


def _starts(size: int) -> NDArray[np.int64]:
    """Where each row of a packed triangle begins."""
    lengths = np.arange(size, 0, -1, dtype=np.int64)
    return np.cumsum(lengths) - lengths


@nb.njit(cache=True)
def _load(rows, start, block):
    for lane in range(min(LANES, rows.shape[0] - start)):
        for k in range(rows.shape[1]):
            block[k, lane] = rows[start + lane, k]


@nb.njit(cache=True)
def _store(block, start, out):
    for lane in range(min(LANES, out.shape[0] - start)):
        for k in range(out.shape[1]):
            out[start + lane, k] = block[k, lane]


@nb.njit(cache=True, fastmath=FUSED, error_model="numpy")
def _forward_step(triangle, starts, k, count, block, solved):
    """Solve `count` unknowns from k on; their values go to `solved`, whose other rows become zero."""
    solved[:] = 0
    for a in range(count):
        for b in range(a):
            value = triangle[starts[k + b] + a - b]
            for lane in range(LANES):
                block[k + a, lane] -= value * solved[b, lane]
        diagonal = triangle[starts[k + a]]
        for lane in range(LANES):
            solved[a, lane] = block[k + a, lane] / diagonal
            block[k + a, lane] = solved[a, lane]


@nb.njit(cache=True, fastmath=FUSED, error_model="numpy")
def _forward(triangle, starts, block):
    """Fᵀ y = b in place, four unknowns at a time: the rest of the block is read and written a quarter as often."""
    size = block.shape[0]
    solved = np.zeros((4, LANES), block.dtype)
    for k in range(0, size, 4):
        _forward_step(triangle, starts, k, min(4, size - k), block, solved)
        if k + 4 >= size:
            break
        first, second = starts[k] - k, starts[k + 1] - k - 1
        third, fourth = starts[k + 2] - k - 2, starts[k + 3] - k - 3
        for j in range(k + 4, size):
            v, w, x, y = triangle[first + j], triangle[second + j], triangle[third + j], triangle[fourth + j]
            for lane in range(LANES):
                block[j, lane] -= v * solved[0, lane] + w * solved[1, lane] + x * solved[2, lane] + y * solved[3, lane]


@nb.njit(cache=True, fastmath=FUSED, error_model="numpy")
def _dot(row, block, total):
    """total = Σ_j row[j] · block[j], four terms at a time."""
    total[:] = 0
    whole = len(row) - len(row) % 4
    for j in range(0, whole, 4):
        v, w, x, y = row[j], row[j + 1], row[j + 2], row[j + 3]
        for lane in range(LANES):
            total[lane] += v * block[j, lane] + w * block[j + 1, lane] + x * block[j + 2, lane] + y * block[j + 3, lane]
    for j in range(whole, len(row)):
        value = row[j]
        for lane in range(LANES):
            total[lane] += value * block[j, lane]


@nb.njit(cache=True, fastmath=FUSED, error_model="numpy")
def _backward(triangle, starts, block):
    """S z = y in place."""
    size = block.shape[0]
    total = np.zeros(LANES, block.dtype)
    for k in range(size - 1, -1, -1):
        row = triangle[starts[k] : starts[k] + size - k]
        _dot(row[1:], block[k + 1 :], total)
        for lane in range(LANES):
            block[k, lane] = (block[k, lane] - total[lane]) / row[0]


@parallel()
def _solve(first, second, starts, rows, out):
    for group in nb.prange((rows.shape[0] + LANES - 1) // LANES):
        block = np.zeros((rows.shape[1], LANES), rows.dtype)
        _load(rows, group * LANES, block)
        _forward(first, starts, block)
        _backward(second, starts, block)
        _store(block, group * LANES, out)


@nb.njit(cache=True, fastmath=FUSED)
def _accumulate(block, matrix, total):
    """total = matrixᵀ · block, four rows of the matrix at a time."""
    source = np.zeros((4, LANES), block.dtype)
    last = matrix.shape[0] - 1
    for k in range(0, matrix.shape[0], 4):
        for row in range(4):
            for lane in range(LANES):
                source[row, lane] = block[k + row, lane] if k + row <= last else 0
        first, second = matrix[k], matrix[min(k + 1, last)]
        third, fourth = matrix[min(k + 2, last)], matrix[min(k + 3, last)]
        for j in range(matrix.shape[1]):
            v, w, x, y = first[j], second[j], third[j], fourth[j]
            for lane in range(LANES):
                total[j, lane] += v * source[0, lane] + w * source[1, lane] + x * source[2, lane] + y * source[3, lane]


@parallel()
def _multiply(rows, matrix, out):
    for group in nb.prange((rows.shape[0] + LANES - 1) // LANES):
        block = np.zeros((rows.shape[1], LANES), rows.dtype)
        total = np.zeros((matrix.shape[1], LANES), rows.dtype)
        _load(rows, group * LANES, block)
        _accumulate(block, matrix, total)
        _store(total, group * LANES, out)


@parallel()
def _multiply_transposed(rows, matrix, out):
    for group in nb.prange((rows.shape[0] + LANES - 1) // LANES):
        block = np.zeros((rows.shape[1], LANES), rows.dtype)
        total = np.zeros((matrix.shape[0], LANES), rows.dtype)
        _load(rows, group * LANES, block)
        for j in range(matrix.shape[0]):
            _dot(matrix[j], block, total[j])
        _store(total, group * LANES, out)
