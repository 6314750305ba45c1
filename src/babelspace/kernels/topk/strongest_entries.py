"""The strongest entries of sparse rows."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
import scipy.sparse as sp

from babelspace.kernels.parallel import parallel


def strongest(matrix: Any, count: int) -> Any:
    """Each row of a csr matrix (sorted indices) with its `count` largest magnitudes only; ties keep lower columns."""
    lengths = np.minimum(np.diff(matrix.indptr), count)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(matrix.indptr.dtype)
    indices, data = np.empty(indptr[-1], matrix.indices.dtype), np.empty(indptr[-1], matrix.data.dtype)
    _strongest(matrix.indptr, matrix.indices, matrix.data, indptr, indices, data)
    return sp.csr_array((data, indices, indptr), shape=matrix.shape)


@parallel()
def _strongest(indptr, indices, data, out_indptr, out_indices, out_data):
    for row in nb.prange(len(indptr) - 1):
        start, kept = indptr[row], out_indptr[row + 1] - out_indptr[row]
        # A stable sort, so that among equals the lower column comes first.
        order = np.argsort(-np.abs(data[start : indptr[row + 1]]), kind="mergesort")[:kept]
        for place, position in enumerate(np.sort(order)):
            out_indices[out_indptr[row] + place] = indices[start + position]
            out_data[out_indptr[row] + place] = data[start + position]
