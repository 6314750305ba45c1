"""A few documents that stand for all: landmarks of a kernel, and features whose products are the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from babelspace.runtime import progress

Dense = NDArray[Any]  # float32
Columns = Callable[[NDArray[np.int64]], Dense]
"""Row numbers to the kernel of all rows with these, n x m."""


def greedy_landmarks(
    columns: Columns, diagonal: NDArray[Any], rank: int, *, block: int = 64, floor: float = 1e-5
) -> NDArray[np.int64]:
    """Pivots of the incomplete Cholesky factor: rows that those before them explain least.

    Pivots are taken in blocks of candidates with the largest residuals, so that the work is matrix products; inside a
    block they are greedy, and a candidate is refused once its residual is below half of the best row outside. Stops
    early where every residual is below `floor` of the largest diagonal entry: the kernel has no higher rank.
    Memory: 4 · rows · rank bytes.
    """
    residual = np.array(diagonal, np.float64)
    rank = min(rank, len(residual))
    smallest = floor * float(residual.max(initial=0))
    factor = np.zeros((len(residual), rank), np.float32)
    chosen: list[int] = []
    with progress.task(
        f"landmarks: {len(residual):,} x {rank:,} matrix, {progress.room(4 * factor.size)}", rank
    ) as advance:
        while len(chosen) < rank and residual.max() > smallest:
            done = len(chosen)
            candidates, outside = _candidates(residual, min(block, rank - done))
            fresh = columns(candidates) - factor[:, :done] @ factor[candidates, :done].T
            picked, lower = _pivots(fresh[candidates], max(outside / 2, smallest))
            if not len(picked):  # what is left is rounding
                break
            new = scipy.linalg.solve_triangular(lower, fresh[:, picked].T, lower=True, check_finite=False).T
            factor[:, done : done + len(picked)] = new
            residual -= np.sum(new**2, axis=1)
            chosen += candidates[picked].tolist()
            residual[chosen] = 0
            advance(len(picked))
    return np.array(chosen, np.int64)


def _candidates(residual: NDArray[np.float64], count: int) -> tuple[NDArray[np.int64], float]:
    """The rows with the largest residuals, the first of equals, and the largest residual of the others."""
    order = np.argsort(-residual, kind="stable")
    candidates = order[:count][residual[order[:count]] > 0]
    return candidates, float(residual[order[count]]) if count < len(order) else 0.0


def _pivots(residuals: Dense, threshold: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Greedy pivots of a small matrix down to a threshold, and the Cholesky factor of their rows."""
    matrix = np.asfortranarray(residuals, np.float64)
    factor, order, rank, _ = scipy.linalg.lapack.dpstrf(matrix, tol=threshold, lower=1)
    return order[:rank].astype(np.int64) - 1, np.tril(factor[:rank, :rank])


def complete_cholesky(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """L with L Lᵀ = a positive semi-definite matrix, which is overwritten.

    Rows that depend on others make L singular; a jitter of 1e-9 of the mean diagonal entry, ten times more where that
    is not enough, keeps it factorisable and is below single precision.
    """
    size = len(matrix)
    jitter = 1e-9 * max(float(np.trace(matrix)) / max(size, 1), 1e-12)
    while True:
        matrix[np.diag_indices(size)] += jitter
        factor, status = scipy.linalg.lapack.dpotrf(matrix.T, lower=1, clean=1)
        if status == 0:
            return factor
        jitter *= 10


def landmark_features(
    cross: Callable[[slice], Dense], rows: int, factor: NDArray[np.float64], block: int = 2048
) -> Dense:
    """Features L⁻¹ k(x, landmarks) of all rows for the landmarks' L Lᵀ; 4 · rows · landmarks bytes.

    `cross` gives the kernel of some rows with the landmarks.
    """
    features = np.empty((rows, len(factor)), np.float32)
    with progress.task(
        f"features: {rows:,} x {len(factor):,} matrix, {progress.room(4 * features.size)}", rows
    ) as advance:
        for start in range(0, rows, block):
            part = slice(start, start + block)
            values = cross(part).astype(np.float64)
            features[part] = scipy.linalg.blas.dtrsm(1.0, factor, values, side=1, lower=1, trans_a=1)
            advance(len(values))
    return features
