"""Exact candidates from rough scores: what may be among the best is kept, and told apart by exact ones.

Products of bfloat16 take a fifth of the time where the processor has them. How wrong they may be is known for each
row, so a list shows by itself whether it holds all of the true best; where it may not, a row is compared again exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.topk import rough_products
from babelspace.kernels.topk.both_directions import keep_best
from babelspace.vectors.neighbours import nearest
from babelspace.vectors.similarity import Prepared, rows_of

# Pairs from which the time pays for compiling; rows and columns of a block; how many times more a list keeps.
PAIRS = 10**9
ROWS, COLUMNS = 2048, 1024
SPARE = 3

Lists = tuple[NDArray[np.float32], NDArray[np.int64]]


def pay(rows: int, columns: int) -> bool:
    """Whether there are so many pairs, and a processor for it."""
    return rows * columns >= PAIRS and rough_products.available()


def compare(
    left: Prepared,
    right: Prepared,
    blocks: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
    state: Any,
    buffer: NDArray[np.float32],
    group: int,
    shift: tuple[int, int],
) -> None:
    """Rough scores of a group's blocks into its lists, which begin `group` times `shift` after the first ones."""
    for rows, columns in blocks:
        asked = rough_products.pack(rows_of(left.rows, rows), rough_products.ROWS)
        for start in range(0, len(columns), COLUMNS):
            others = columns[start : start + COLUMNS]
            shape = rough_products.room(len(rows), len(others))
            if len(buffer) < shape[0] * shape[1]:
                buffer = np.empty(shape[0] * shape[1], np.float32)
            scores = buffer[: shape[0] * shape[1]].reshape(shape)
            rough_products.multiply(
                asked, rough_products.pack(rows_of(right.rows, others), rough_products.COLUMNS), scores
            )
            keep_best(scores, rows + group * shift[0], others + group * shift[1], state.rows, state.columns)


def merged(lists: Lists, copies: int, queries: Prepared, documents: Prepared, k: int) -> NDArray[np.int64]:
    """All that may be among the best k of each query, from its lists: numbers of documents, and -1."""
    kept = lists[0].shape[1]
    scores, numbers = (np.concatenate(np.split(side, copies), axis=1) for side in lists)
    # What no list holds is not above this.
    threshold = np.max(np.split(lists[0][:, -1], copies), axis=0)
    if copies > 1:
        order = np.argpartition(-scores, kept, axis=1)
        threshold = np.maximum(threshold, scores[np.arange(len(scores)), order[:, kept]])
        scores, numbers = (np.take_along_axis(side, order[:, :kept], 1) for side in (scores, numbers))
    # The k best by rough scores are at least this good, and each of the true ones as good as they.
    least = np.partition(scores, kept - k, axis=1)[:, kept - k] - 2 * _errors(queries, documents)
    found = np.where((numbers < 0) | (scores < least[:, None]), -1, numbers % max(len(documents), 1))
    unsure = np.flatnonzero(np.isfinite(threshold) & (threshold >= least))
    if len(unsure):
        best = nearest(queries.select(unsure), documents, k).indices
        found[unsure] = -1
        found[unsure, : best.shape[1]] = best
    return found


def _errors(queries: Prepared, documents: Prepared) -> NDArray[np.float64]:
    largest = rough_products.rounding_errors(documents.rows).max(initial=0)
    return rough_products.largest_error(rough_products.rounding_errors(queries.rows), largest, queries.rows.shape[1])
