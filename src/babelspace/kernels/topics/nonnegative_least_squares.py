"""Non-negative least squares by coordinate descent, many small problems with one Gram matrix."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.parallel import parallel

Dense = NDArray[Any]  # float32


def nonnegative_rows(products: Dense, gram: Dense, start: Dense, sweeps: int) -> Dense:
    """Row by row an x ≥ 0 with a smaller ½ xᵀGx - bᵀx than `start`; b are the products, G the Gram matrix.

    One sweep solves for each coordinate in turn with the others fixed (HALS, Cichocki & Phan 2009), so that the
    objective never grows. Rows do not know of each other: the same bits whatever the batch and the threads.
    """
    rows = np.ascontiguousarray(start, np.float32).copy()
    _descend(np.ascontiguousarray(products, np.float32), np.ascontiguousarray(gram, np.float32), rows, sweeps)
    return rows


@parallel()
def _descend(products: Dense, gram: Dense, rows: Dense, sweeps: int) -> None:
    for row in nb.prange(len(rows)):
        x = rows[row]
        slope = -products[row]
        for k in range(len(gram)):
            if x[k] != 0:
                _move(slope, x[k], gram[k])
        for _ in range(sweeps):
            for k in range(len(gram)):
                # A topic without a word of the language says nothing.
                wanted = max(np.float32(0), x[k] - slope[k] / gram[k, k]) if gram[k, k] > 0 else np.float32(0)
                step = wanted - x[k]
                if step != 0:
                    _move(slope, step, gram[k])
                    x[k] = wanted


@nb.njit(cache=True)
def _move(slope: Dense, step: float, direction: Dense) -> None:
    for k in range(len(slope)):
        slope[k] += step * direction[k]
