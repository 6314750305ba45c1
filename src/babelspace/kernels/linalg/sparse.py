"""Products of sparse matrices with dense blocks and with themselves, on all threads.

SciPy's products run on one thread. Each output row here is one sequential sum, so results do not depend on the
number of threads or on how rows are batched.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.kernels.parallel import parallel

Dense = NDArray[Any]  # float32


def compact(matrix: Any) -> Any:
    """The matrix as float32 csr with 32-bit indices where they fit, sorted and without stored zeros."""
    result = sp.csr_array(matrix, dtype=np.float32)
    if not result.has_canonical_format or (result.data == 0).any():
        result = result.copy()
        result.sum_duplicates()
        result.eliminate_zeros()
    return result


def multiply(matrix: Any, block: Dense) -> Dense:
    """`matrix @ block` for a csr matrix and a dense block."""
    block = np.ascontiguousarray(block, dtype=np.float32)
    out = np.zeros((matrix.shape[0], block.shape[1]), np.float32)
    _multiply(matrix.indptr, matrix.indices, matrix.data, block, out)
    return out


def gram(matrix: Any, scale: float = 1.0, *, mirror: bool = True, dtype: Any = np.float32) -> Dense:
    """`scale * matrix.T @ matrix`, dense; pass `matrix.T` for the row Gram matrix.

    Memory: 4 (8 in double precision) bytes x columns². Only the upper triangle is summed; the lower one is its
    mirror, or zero without it.
    """
    rows = compact(matrix)
    columns = sp.csr_array(rows.T)
    out = np.zeros((rows.shape[1], rows.shape[1]), dtype)
    _gram(_parts(columns), _parts(rows), np.float64(scale), out)
    if mirror:
        _mirror(out)
    return out


def _parts(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    return matrix.indptr, matrix.indices, matrix.data


@parallel()
def _multiply(indptr, indices, data, block, out):
    for row in nb.prange(out.shape[0]):
        target = out[row]
        for position in range(indptr[row], indptr[row + 1]):
            value = data[position]
            source = block[indices[position]]
            for column in range(target.shape[0]):
                target[column] += value * source[column]


@nb.njit(cache=True)
def _gram_row(j, columns, rows, scale, total, out):
    total[j:] = 0.0
    columns_indptr, columns_indices, columns_data = columns
    rows_indptr, rows_indices, rows_data = rows
    for position in range(columns_indptr[j], columns_indptr[j + 1]):
        row = columns_indices[position]
        # Products, too, are in double precision, or dependent rows would look independent.
        value = np.float64(columns_data[position])
        for entry in range(rows_indptr[row + 1] - 1, rows_indptr[row] - 1, -1):
            k = rows_indices[entry]
            if k < j:
                break
            total[k] += value * rows_data[entry]
    for k in range(j, out.shape[0]):
        out[j, k] = scale * total[k]


@parallel()
def _gram(columns, rows, scale, out):
    size = out.shape[0]
    # Row j of the triangle has size - j entries: pairing j with size - 1 - j gives every thread the same work.
    for pair in nb.prange((size + 1) // 2):
        first = np.int64(pair)
        last = size - 1 - first
        total = np.zeros(size, np.float64)
        _gram_row(first, columns, rows, scale, total, out)
        if last > first:
            _gram_row(last, columns, rows, scale, total, out)


@parallel()
def _mirror(out):
    size, tile = out.shape[0], 64
    for block in nb.prange((size + tile - 1) // tile):
        start, stop = block * tile, min(size, (block + 1) * tile)
        for left in range(0, stop, tile):
            for i in range(start, stop):
                for j in range(left, min(i, left + tile)):
                    out[i, j] = out[j, i]
