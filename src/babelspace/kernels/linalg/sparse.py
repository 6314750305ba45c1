"""Products of sparse matrices with dense blocks and with themselves, on all threads.

SciPy's products run on one thread. Each output row here is one sequential sum, so results do not depend on the
number of threads or on how rows are batched.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Dense = NDArray[Any]  # float32

# Entries up to which a process that has not loaded the compiler is faster without it: loading takes half a second.
FEW = 4_096
# Up to so many entries the compiled loop takes longer to be called than to multiply.
A_QUERY = 64
# Up to so many products one thread is done before a second one has begun; those that wait would keep a core busy.
ONE_THREAD = 1 << 20


def compact(matrix: Any) -> Any:
    """The matrix as float32 csr with 32-bit indices where they fit, sorted and without stored zeros."""
    result = sp.csr_array(matrix, dtype=np.float32)
    if result.indices.dtype != np.int32 and max(result.nnz, *result.shape) < 2**31:
        # SciPy widens them in passing, and loops would be compiled once more for that.
        places = result.indices.astype(np.int32), result.indptr.astype(np.int32)
        result = sp.csr_array((result.data, *places), shape=result.shape)
    if not result.has_canonical_format or (result.data == 0).any():
        result = result.copy()
        result.sum_duplicates()
        result.eliminate_zeros()
    return result


def row_borders(counts: NDArray[np.int64]) -> NDArray[Any]:
    """Where each row of a csr matrix begins; of 32 bits where they fit, as SciPy widens the columns to the same."""
    borders = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return borders.astype(np.int32) if borders[-1] < 2**31 else borders


def multiply(matrix: Any, block: Dense) -> Dense:
    """`matrix @ block` for a csr matrix and a dense block; the same bits whichever way is taken."""
    if matrix.nnz <= (A_QUERY if "numba" in sys.modules else FEW):
        return multiply_few(matrix, block)
    from babelspace.kernels.linalg import sparse_loops

    block = np.ascontiguousarray(block, dtype=np.float32)
    out = np.zeros((matrix.shape[0], block.shape[1]), np.float32)
    loop = sparse_loops.multiply
    few = matrix.nnz * block.shape[1] <= ONE_THREAD
    (loop.serial if few else loop)(matrix.indptr, matrix.indices, matrix.data, block, out)
    return out


def multiply_few(matrix: Any, block: Dense) -> Dense:
    """The same sums in the same order, one NumPy call for each entry."""
    out = np.zeros((matrix.shape[0], block.shape[1]), np.float32)
    for row, target in enumerate(out):
        for place in range(matrix.indptr[row], matrix.indptr[row + 1]):
            target += matrix.data[place] * block[matrix.indices[place]].astype(np.float32, copy=False)
    return out


def gram(matrix: Any, scale: float = 1.0, *, mirror: bool = True, dtype: Any = np.float32) -> Dense:
    """`scale * matrix.T @ matrix`, dense; pass `matrix.T` for the row Gram matrix.

    Memory: 4 (8 in double precision) bytes x columns². Only the upper triangle is summed; the lower one is its
    mirror, or zero without it.
    """
    from babelspace.kernels.linalg import sparse_loops

    rows = compact(matrix)
    columns = sp.csr_array(rows.T)
    out = np.zeros((rows.shape[1], rows.shape[1]), dtype)
    sparse_loops.gram(_parts(columns), _parts(rows), np.float64(scale), out)
    if mirror:
        sparse_loops.mirror(out)
    return out


def add_gram_rows(matrix: Any, start: int, out: Dense) -> None:
    """Add to `out` the rows of `matrix.T @ matrix` from `start` on, as many as it has: from the diagonal to the right.

    Memory: the matrix, its columns of these rows, and a row of sums for each thread.
    """
    from babelspace.kernels.linalg import sparse_loops

    rows = compact(matrix)
    columns = sp.csr_array(rows[:, start : start + len(out)].T)
    sparse_loops.add_gram_rows(_parts(columns), _parts(rows), start, out)


def mirror_triangle(matrix: Dense) -> None:
    """Fill the lower triangle of a square matrix from the upper one, in place."""
    from babelspace.kernels.linalg import sparse_loops

    sparse_loops.mirror(matrix)


def _parts(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    return matrix.indptr, matrix.indices, matrix.data
