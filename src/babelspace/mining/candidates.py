"""Candidates: the nearest documents in both directions, from one pass over the scores, exact or approximate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.kernels.topk.both_directions import empty_lists, keep_best
from babelspace.kernels.topk.pair_products import dense_pairs
from babelspace.mining import rough_candidates
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.runtime import progress, threads
from babelspace.vectors.neighbours import Neighbours, nearest
from babelspace.vectors.similarity import Prepared, check_pair, is_sparse, rows_of

# A block of scores: 8 MB, so that the product leaves them where both passes over them find them in cache.
BLOCK_ROWS, BLOCK_COLUMNS = 1024, 2048
# Groups of blocks compared at the same time; clusters and blocks of rows, of all groups, before progress is saved.
GROUPS, BATCH, BATCH_ROWS = 4, 64, 16

BlockPair = tuple[NDArray[np.int64], NDArray[np.int64]]
Lists = tuple[NDArray[np.float32], NDArray[np.int64]]


@dataclass
class ComparisonState:
    """How far a pass is: lists of both sides, copies one after the other, and the number of batches in them."""

    rows: Lists
    columns: Lists
    done: int = 0


def both_ways(
    left: Prepared,
    right: Prepared,
    k: int,
    *,
    approximate: bool | None = None,
    state: ComparisonState | None = None,
    save: Callable[[ComparisonState], None] | None = None,
) -> tuple[Neighbours, Neighbours]:
    """The `k` nearest of every left document on the right, and the other way round.

    Dense cosines are computed once for both directions. `approximate` compares a document only with those of the
    clusters nearest to it (None: beyond `exact_pairs` of the settings). `save` is called after every batch of
    blocks with what is found so far; a pass given such a `state` goes on from there.
    """
    if k < 1:
        raise ParameterError(f"k must be a whole number of at least 1, got {k!r}. Use k=10.")
    check_pair(left, right)
    if left.similarity != "cosine" or is_sparse(left.rows) or is_sparse(right.rows):
        return nearest(left, right, k), nearest(right, left, k)
    if approximate is None:
        approximate = len(left) * len(right) > SETTINGS.exact_pairs
    rough = not approximate and rough_candidates.pay(len(left), len(right))
    copies, kept = (GROUPS, 1) if approximate else (1, GROUPS), list_length(len(left), len(right), k, approximate)
    state = state or ComparisonState(
        empty_lists(copies[0] * len(left), kept), empty_lists(copies[1] * len(right), kept)
    )
    for _ in _clustered(left, right, state) if approximate else _exact(left, right, state, rough):
        state.done += 1
        if save is not None:
            save(state)
    merged = rough_candidates.merged if rough else _merged
    forward, backward = merged(state.rows, copies[0], left, right, k), merged(state.columns, copies[1], right, left, k)
    return _rescored(forward, left, right, k), _rescored(backward, right, left, k)


def list_length(rows: int, columns: int, k: int, approximate: bool) -> int:
    """How many a list keeps for the best `k` among so many documents."""
    return k if approximate or not rough_candidates.pay(rows, columns) else k * rough_candidates.SPARE


def _exact(left: Prepared, right: Prepared, state: ComparisonState, rough: bool) -> Iterator[None]:
    """Every row against every column: rows in turn to groups that have lists of the columns of their own."""
    rows, columns = np.flatnonzero(left.valid), np.flatnonzero(right.valid)
    height, compare = (rough_candidates.ROWS, rough_candidates.compare) if rough else (BLOCK_ROWS, _compare_all)
    blocks = [(rows[start : start + height], columns) for start in range(0, len(rows), height)]
    batches = [blocks[start : start + BATCH_ROWS] for start in range(0, len(blocks), BATCH_ROWS)]
    yield from _side_by_side(left, right, batches, state, (0, len(right)), compare=compare)


def _clustered(left: Prepared, right: Prepared, state: ComparisonState) -> Iterator[None]:
    """The columns of each cluster against the rows that have it among their nearest clusters.

    Clusters go in turn to groups that have lists of the rows of their own. Every row sees its nearest cluster first:
    then few of the others change its lists.
    """
    parts = clustered_blocks(left, right)
    near, far = ([part[start : start + BATCH] for start in range(0, len(part), BATCH)] for part in parts)
    yield from _side_by_side(left, right, near, state, (len(left), 0))
    if state.done == len(near):
        _share_bars(state)
    yield from _side_by_side(left, right, far, state, (len(left), 0), len(near))


def _side_by_side(
    left: Prepared,
    right: Prepared,
    batches: list[list[BlockPair]],
    state: ComparisonState,
    shift: tuple[int, int],
    before: int = 0,
    compare: Callable[..., None] | None = None,
) -> Iterator[None]:
    """One thread for each group of blocks; groups and lists are the same for any number of threads.

    Products by one thread each keep both cores as busy as products by all of them, and nobody waits in between.
    """
    buffers = [np.empty(BLOCK_ROWS * BLOCK_COLUMNS, np.float32) for _ in range(GROUPS)]
    left_over = batches[max(0, state.done - before) :]
    with ThreadPoolExecutor(min(GROUPS, threads.current())) as pool, threads.limit(1):
        for batch in progress.track(left_over, "comparing", total=len(left_over)):
            jobs = [
                pool.submit(
                    compare or _compare_all, left, right, batch[group::GROUPS], state, buffers[group], group, shift
                )
                for group in range(GROUPS)
            ]
            for job in jobs:
                job.result()
            yield


def _share_bars(state: ComparisonState) -> None:
    """After the nearest clusters: what a row found in one group is to be beaten in all, without its number."""
    scores = np.split(state.rows[0], GROUPS)
    best = np.maximum.reduce(scores)
    for own in scores:
        own[:] = best


def clustered_blocks(left: Prepared, right: Prepared) -> tuple[list[BlockPair], list[BlockPair]]:
    """Rows and columns to compare, cluster by cluster: rows whose nearest cluster it is, and the other rows."""
    rows, columns = np.flatnonzero(left.valid), np.flatnonzero(right.valid)
    if not len(rows) or not len(columns):
        return [], []
    count = math.ceil(min(SETTINGS.clusters * math.sqrt(len(columns)), len(columns) / 2))
    centres = unit_centres(right.rows[columns[:: max(1, len(columns) // (16 * count))]], count)
    home = _nearest_centres(right.rows, columns, centres, 1)[:, 0]
    probed = _nearest_centres(left.rows, rows, centres, math.ceil(SETTINGS.probed * len(centres)))
    members = by_cluster(home[:, None], columns, len(centres))
    parts = [by_cluster(part, rows, len(centres)) for part in (probed[:, :1], probed[:, 1:])]
    near, far = (
        [(guests, own) for guests, own in zip(part, members, strict=True) if len(guests) and len(own)] for part in parts
    )
    return near, far


def by_cluster(clusters: NDArray[np.int64], documents: NDArray[np.int64], count: int) -> list[NDArray[np.int64]]:
    """The documents that name each cluster."""
    short = clusters.astype(np.uint16 if count <= 2**16 else np.int64)  # sorted by radix, ten times faster
    order = np.argsort(short, axis=None, kind="stable")
    edges = np.concatenate([[0], np.cumsum(np.bincount(short.ravel(), minlength=count))])
    named = documents[order // max(clusters.shape[1], 1)]
    return [named[start:end] for start, end in pairwise(edges)]


def unit_centres(sample: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """Unit centres of k-means over a sample, the same for the same vectors."""
    import faiss

    means = faiss.Kmeans(sample.shape[1], count, niter=5, seed=1, spherical=True, min_points_per_centroid=1)
    means.train(np.ascontiguousarray(sample))
    return np.asarray(means.centroids)


def _nearest_centres(
    vectors: Any, rows: NDArray[np.int64], centres: NDArray[np.float32], count: int
) -> NDArray[np.int64]:
    import faiss

    found = [
        faiss.knn(np.ascontiguousarray(rows_of(vectors, part)), centres, count, metric=faiss.METRIC_INNER_PRODUCT)[1]
        for part in np.array_split(rows, max(1, len(rows) // 65_536))
    ]
    return np.concatenate(found)


def _compare_all(
    left: Prepared,
    right: Prepared,
    blocks: list[BlockPair],
    state: ComparisonState,
    buffer: NDArray[np.float32],
    group: int,
    shift: tuple[int, int],
) -> None:
    """Scores of a group's blocks into its lists, which begin `group` times `shift` after the first ones."""
    for rows, columns in blocks:
        height = max(BLOCK_ROWS, len(buffer) // max(len(columns), BLOCK_COLUMNS // 16))
        width = len(buffer) // height
        for top in range(0, len(rows), height):
            own = rows[top : top + height]
            asked = rows_of(left.rows, own)
            for start in range(0, len(columns), width):
                others = columns[start : start + width]
                scores = buffer[: len(own) * len(others)].reshape(len(own), len(others))
                np.matmul(asked, rows_of(right.rows, others).T, out=scores)
                keep_best(scores, own + group * shift[0], others + group * shift[1], state.rows, state.columns)


def _merged(lists: Lists, copies: int, queries: Prepared, documents: Prepared, k: int) -> NDArray[np.int64]:
    """The best of all lists of a document: the true numbers of the others, -1 where there are fewer."""
    scores, numbers = (np.concatenate(np.split(side, copies), axis=1) for side in lists)
    if copies > 1:
        best = np.argpartition(np.where(numbers < 0, np.inf, -scores), k - 1, axis=1)[:, :k]
        numbers = np.take_along_axis(numbers, best, 1)
    return np.where(numbers < 0, -1, numbers % max(len(documents), 1))


def _rescored(numbers: NDArray[np.int64], queries: Prepared, documents: Prepared, k: int) -> Neighbours:
    """Scores summed again in float64, so that no number of threads changes them, and the `k` best in order."""
    rows, places = np.nonzero(numbers >= 0)
    scores = np.full(numbers.shape, -np.inf, np.float32)
    scores[rows, places] = dense_pairs(queries.rows, documents.rows, rows, numbers[rows, places])
    order = np.lexsort((numbers, -scores))
    width = min(k, len(documents))
    return Neighbours(np.take_along_axis(numbers, order, 1)[:, :width], np.take_along_axis(scores, order, 1)[:, :width])
