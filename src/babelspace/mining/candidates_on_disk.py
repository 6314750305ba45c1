"""Candidates among vectors in shards: every cluster of one side meets the rows of the other that are nearest to it.

Clusters have about the same size whatever the number of rows, and a row meets the same number of them, so that the
comparisons grow with the rows. Some clusters are a task for an engine; of vectors only theirs are held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.topk.both_directions import empty_lists, keep_best
from babelspace.mining.candidates import by_cluster, unit_centres
from babelspace.runtime import progress
from babelspace.runtime.engine import Engine, map_blocks
from babelspace.runtime.threads import limit
from babelspace.vectors.neighbours import Neighbours
from babelspace.vectors.shards import VectorShards

# Rows of a cluster, clusters that a row meets, and rows that a task reads.
CLUSTER, PROBED, TASK_ROWS = 200, 32, 100_000
# Rows whose nearest clusters are looked for together, and the most clusters: more cost more to choose from.
CHUNK, MOST_CLUSTERS = 65_536, 1 << 15

Numbers = NDArray[np.int64]
Lists = tuple[NDArray[np.float32], Numbers]


@dataclass(frozen=True)
class ShardSide:
    """Some rows of a folder of shards; a place is the number of a row among them."""

    folder: Path
    rows: Numbers

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, places: Numbers) -> NDArray[np.float32]:
        """The vectors at some places."""
        return _opened(self.folder).take(self.rows[places])


class _ShardPair(NamedTuple):
    """Rows of both sides that a task reads, and which of them meet in each cluster."""

    guests: Numbers
    members: Numbers
    guest_rows: Numbers
    member_rows: Numbers
    clusters: list[tuple[Numbers, Numbers]]


class _Found(NamedTuple):
    guests: Numbers
    forward: Lists
    members: Numbers
    backward: Lists


def both_ways_on_disk(left: ShardSide, right: ShardSide, k: int, engine: Engine) -> tuple[Neighbours, Neighbours]:
    """The `k` best of each row on the other side by inner product, among the rows that its clusters hold."""
    centres = _centres(right)
    home = _nearest_centres(right, centres, 1, engine)
    probed = _nearest_centres(left, centres, min(PROBED, len(centres)), engine)
    forward, backward = empty_lists(len(left), k), empty_lists(len(right), k)
    tasks = list(_tasks(left, right, _members(probed, len(centres)), _members(home, len(centres))))
    shared = left.folder, right.folder, k
    for found in map_blocks(_compared, tasks, engine, *shared, title="comparing"):
        _merge(forward, found.guests, found.forward)
        # A row has one cluster, so its list is whole.
        backward[0][found.members], backward[1][found.members] = found.backward
    return Neighbours(forward[1], forward[0]), Neighbours(backward[1], backward[0])


@lru_cache(maxsize=4)
def _opened(folder: Path) -> VectorShards:
    return VectorShards(folder)


def _centres(side: ShardSide) -> NDArray[np.float32]:
    count = max(1, min(len(side) // CLUSTER, MOST_CLUSTERS))
    sample = side.take(np.arange(0, len(side), max(1, len(side) // (16 * count))))
    sample = sample[(sample != 0).any(axis=1)]
    if not len(sample):
        return np.zeros((1, sample.shape[1]), np.float32)
    with progress.task(f"{count:,} clusters"), limit(1):
        return unit_centres(sample, min(count, len(sample)))


def _nearest_centres(side: ShardSide, centres: NDArray[np.float32], count: int, engine: Engine) -> Numbers:
    """The nearest clusters of each row; -1 for zero rows, which are near to nothing."""
    chunks = np.array_split(side.rows, -(-len(side) // CHUNK))
    found = list(map_blocks(_assigned, chunks, engine, side.folder, centres, count, title="clusters of rows"))
    return np.concatenate(found)


def _assigned(rows: Numbers, folder: Path, centres: NDArray[np.float32], count: int) -> NDArray[np.int32]:
    import faiss

    vectors = _opened(folder).take(rows)
    with limit(1):
        nearest = faiss.knn(vectors, centres, count, metric=faiss.METRIC_INNER_PRODUCT)[1].astype(np.int32)
    nearest[~(vectors != 0).any(axis=1)] = -1
    return nearest


def _members(clusters: Numbers, count: int) -> list[Numbers]:
    """The places of the rows that name each cluster."""
    there = np.flatnonzero(clusters[:, 0] >= 0)
    return by_cluster(clusters[there], there, count)


def _tasks(left: ShardSide, right: ShardSide, guests: list[Numbers], members: list[Numbers]) -> Iterator[_ShardPair]:
    """Clusters until they name enough rows."""
    waiting: list[tuple[Numbers, Numbers]] = []
    for pair in zip(guests, members, strict=True):
        if len(pair[0]) and len(pair[1]):
            waiting.append(pair)
        if sum(len(one) + len(other) for one, other in waiting) >= TASK_ROWS:
            yield _task(left, right, waiting)
            waiting = []
    if waiting:
        yield _task(left, right, waiting)


def _task(left: ShardSide, right: ShardSide, clusters: list[tuple[Numbers, Numbers]]) -> _ShardPair:
    guests, members = (np.unique(np.concatenate(part)) for part in zip(*clusters, strict=True))
    inside = [(np.searchsorted(guests, one), np.searchsorted(members, other)) for one, other in clusters]
    return _ShardPair(guests, members, left.rows[guests], right.rows[members], inside)


def _compared(task: _ShardPair, left: Path, right: Path, k: int) -> _Found:
    """The best of both directions within some clusters."""
    asked, known = _opened(left).take(task.guest_rows), _opened(right).take(task.member_rows)
    forward, backward = empty_lists(len(asked), k), empty_lists(len(known), k)
    # One thread everywhere, so that products are the same everywhere.
    with limit(1):
        for guests, members in task.clusters:
            keep_best(asked[guests] @ known[members].T, guests, members, forward, backward)
    return _Found(task.guests, _numbered(forward, task.members), task.members, _numbered(backward, task.guests))


def _numbered(lists: Lists, places: Numbers) -> Lists:
    """Lists whose numbers are places of the whole side."""
    return lists[0], np.where(lists[1] >= 0, places[lists[1]], -1)


def _merge(lists: Lists, rows: Numbers, more: Lists) -> None:
    """Put what a task has found into the lists of its rows, in place."""
    scores = np.concatenate([lists[0][rows], more[0]], axis=1)
    numbers = np.concatenate([lists[1][rows], more[1]], axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")[:, : lists[0].shape[1]]
    lists[0][rows] = np.take_along_axis(scores, order, 1)
    lists[1][rows] = np.take_along_axis(numbers, order, 1)


def sides_of(shards: VectorShards, languages: tuple[str, str]) -> tuple[ShardSide, ShardSide]:
    """The rows of two languages of one folder of shards."""
    told: Any = np.array([name.language for name in shards.names(np.arange(len(shards)))])
    one, other = (ShardSide(shards.folder, np.flatnonzero(told == language)) for language in languages)
    return one, other
