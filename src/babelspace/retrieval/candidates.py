"""Candidates: the nearest documents in both directions, from one pass over the scores, exact or approximate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.kernels.both_ways import empty_lists, keep_best
from babelspace.kernels.pairs import dense_pairs
from babelspace.runtime import progress
from babelspace.vectors.neighbours import Neighbours, nearest
from babelspace.vectors.similarity import Prepared, check_pair, is_sparse

# A block of scores: 8 MB, so that the product leaves them where both passes over them find them in cache.
BLOCK_ROWS, BLOCK_COLUMNS = 1024, 2048
# Above this many pairs of documents `approximate=None` compares only documents of like clusters.
EXACT_PAIRS = 10**11
# Clusters searched for each document, and documents that one cluster holds on average. Of 100,000 documents an eighth
# is compared, which finds .99 of the nearest (.97 of the ten nearest) among vectors with topics and a falling spectrum.
PROBES, CLUSTER_SIZE = 32, 400

Block = tuple[NDArray[np.int64], NDArray[np.int64]]
Lists = tuple[NDArray[np.float32], NDArray[np.int64]]


@dataclass
class Progress:
    """How far a pass is: lists of both sides and the number of blocks of rows that are in them."""

    rows: Lists
    columns: Lists
    done: int = 0


def both_ways(
    left: Prepared,
    right: Prepared,
    k: int,
    *,
    approximate: bool | None = None,
    state: Progress | None = None,
    save: Callable[[Progress], None] | None = None,
) -> tuple[Neighbours, Neighbours]:
    """The `k` nearest of every left document on the right, and the other way round.

    Dense cosines are computed once for both directions. `approximate` compares a document only with those of the
    clusters nearest to it (None: beyond `EXACT_PAIRS` pairs). `save` is called after every block of rows with what is
    found so far; a pass given such a `state` goes on from there.
    """
    if k < 1:
        raise ParameterError(f"k must be a whole number of at least 1, got {k!r}. Use k=10.")
    check_pair(left, right)
    if left.similarity != "cosine" or is_sparse(left.rows) or is_sparse(right.rows):
        return nearest(left, right, k), nearest(right, left, k)
    if approximate is None:
        approximate = len(left) * len(right) > EXACT_PAIRS
    state = state or Progress(empty_lists(len(left), k), empty_lists(len(right), k))
    blocks = clustered_blocks(left, right) if approximate else exact_blocks(left, right)
    buffer = np.empty(BLOCK_ROWS * BLOCK_COLUMNS, np.float32)
    total = -(-len(left) // BLOCK_ROWS) if not approximate else None
    for number, group in enumerate(progress.track(blocks, "comparing", total=total)):
        if number < state.done:
            continue
        _compare(left, right, group, state, buffer)
        state.done = number + 1
        if save is not None:
            save(state)
    return _rescored(state.rows, left, right), _rescored(state.columns, right, left)


def exact_blocks(left: Prepared, right: Prepared) -> Iterator[Block]:
    """Every row against every column."""
    rows, columns = np.flatnonzero(left.valid), np.flatnonzero(right.valid)
    for start in range(0, len(rows), BLOCK_ROWS):
        yield rows[start : start + BLOCK_ROWS], columns


def clustered_blocks(left: Prepared, right: Prepared) -> Iterator[Block]:
    """The columns of each cluster, with the rows that have it among their nearest clusters."""
    rows, columns = np.flatnonzero(left.valid), np.flatnonzero(right.valid)
    if not len(rows) or not len(columns):
        return
    centres = _centres(right.rows, columns, max(1, len(columns) // CLUSTER_SIZE))
    home = _nearest_centres(right.rows, columns, centres, 1)[:, 0]
    probed = _nearest_centres(left.rows, rows, centres, min(PROBES, len(centres)))
    order = np.argsort(home, kind="stable")
    edges = np.searchsorted(home[order], np.arange(len(centres) + 1))
    asking = np.argsort(probed, axis=None, kind="stable")
    asking_edges = np.searchsorted(probed.ravel()[asking], np.arange(len(centres) + 1))
    for cluster in range(len(centres)):
        members = columns[order[edges[cluster] : edges[cluster + 1]]]
        guests = rows[asking[asking_edges[cluster] : asking_edges[cluster + 1]] // probed.shape[1]]
        if len(members) and len(guests):
            yield guests, members


def _centres(vectors: Any, rows: NDArray[np.int64], count: int) -> NDArray[np.float32]:
    """Unit centres of k-means over a sample, the same for the same vectors."""
    import faiss

    sample = vectors[rows[:: max(1, len(rows) // (64 * count))]]
    means = faiss.Kmeans(vectors.shape[1], count, niter=6, seed=1, spherical=True, min_points_per_centroid=1)
    means.train(np.ascontiguousarray(sample))
    return np.asarray(means.centroids)


def _nearest_centres(
    vectors: Any, rows: NDArray[np.int64], centres: NDArray[np.float32], count: int
) -> NDArray[np.int64]:
    import faiss

    found = [
        faiss.knn(np.ascontiguousarray(vectors[part]), centres, count, metric=faiss.METRIC_INNER_PRODUCT)[1]
        for part in np.array_split(rows, max(1, len(rows) // 65_536))
    ]
    return np.concatenate(found)


def _compare(left: Prepared, right: Prepared, block: Block, state: Progress, buffer: NDArray[np.float32]) -> None:
    rows, columns = block
    for top in range(0, len(rows), BLOCK_ROWS):
        own = rows[top : top + BLOCK_ROWS]
        asked = _taken(left.rows, own)
        for start in range(0, len(columns), BLOCK_COLUMNS):
            others = columns[start : start + BLOCK_COLUMNS]
            scores = buffer[: len(own) * len(others)].reshape(len(own), len(others))
            np.matmul(asked, _taken(right.rows, others).T, out=scores)
            keep_best(scores, own, others, state.rows, state.columns)


def _taken(vectors: Any, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """These rows; a view where they follow each other."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows) and (len(rows) == 1 or rows[1] == rows[0] + 1):
        return vectors[rows[0] : rows[-1] + 1]
    return vectors[rows]


def _rescored(lists: Lists, queries: Prepared, documents: Prepared) -> Neighbours:
    """Scores summed again in float64, so that no number of threads changes them, in order."""
    numbers = lists[1]
    rows, places = np.nonzero(numbers >= 0)
    scores = np.full(numbers.shape, -np.inf, np.float32)
    scores[rows, places] = dense_pairs(queries.rows, documents.rows, rows, numbers[rows, places])
    order = np.lexsort((numbers, -scores))
    width = min(numbers.shape[1], len(documents))
    return Neighbours(np.take_along_axis(numbers, order, 1)[:, :width], np.take_along_axis(scores, order, 1)[:, :width])
