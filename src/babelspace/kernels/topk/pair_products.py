"""Inner products of listed pairs of rows, each summed by one thread in float64."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.parallel import parallel


def sparse_pairs(left: Any, right: Any, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float32]:
    """Products of row `rows[p]` of one csr matrix with row `columns[p]` of another; indices must be sorted."""
    out = np.empty(len(rows), np.float32)
    _sparse(_parts(left), _parts(right), rows, columns, out)
    return out


def dense_pairs(
    left: NDArray[np.float32], right: NDArray[np.float32], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Products of row `rows[p]` of one dense matrix with row `columns[p]` of another."""
    out = np.empty(len(rows), np.float32)
    _dense(left, right, rows, columns, out)
    return out


def _parts(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """One type each, so that one kernel is compiled."""
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data.astype(np.float32, copy=False),
    )


@parallel()
def _sparse(left, right, rows, columns, out):
    left_indptr, left_indices, left_data = left
    right_indptr, right_indices, right_data = right
    for pair in nb.prange(len(rows)):
        i, i_end = left_indptr[rows[pair]], left_indptr[rows[pair] + 1]
        j, j_end = right_indptr[columns[pair]], right_indptr[columns[pair] + 1]
        total = 0.0
        while i < i_end and j < j_end:
            a, b = left_indices[i], right_indices[j]
            if a == b:
                total += np.float64(left_data[i]) * right_data[j]
            i += a <= b
            j += b <= a
        out[pair] = total


# Any order of the sum, but always the same: several running sums instead of one that waits for every addition.
@parallel(fastmath={"reassoc", "contract"})
def _dense(left, right, rows, columns, out):
    for pair in nb.prange(len(rows)):
        a, b = left[rows[pair]], right[columns[pair]]
        total = 0.0
        for k in range(len(a)):
            total += np.float64(a[k]) * b[k]
        out[pair] = total
