"""Which document belongs to which of another collection: ranked candidates or one-to-one assignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from babelspace.mining.assignment import linked
from babelspace.runtime.results import Result
from babelspace.vectors.hubness import Correction, check_correction, correct, neighbour_means
from babelspace.vectors.neighbours import Neighbours, nearest
from babelspace.vectors.similarity import Prepared, Vectors, prepare, score_blocks

# The optimal assignment holds this many float64 costs at most: 3.2 GB.
OPTIMAL_CELLS = 20_000 * 20_000

Both = tuple[Neighbours, Neighbours]


@dataclass(frozen=True)
class _Ranked:
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    score: NDArray[np.float32]
    rank: NDArray[np.int64]
    mutual: NDArray[np.bool_]


@dataclass(frozen=True)
class Candidates(_Ranked, Result):
    """Pairs of rows, ordered by source and rank, and the rows without a pair.

    `rank` counts the target among the candidates of its source from 1; `mutual` tells that each is the
    other's best. The unmatched are all rows in no pair; the empty among them are zero vectors, never matched.
    """

    unmatched_source: NDArray[np.int64]
    unmatched_target: NDArray[np.int64]
    empty_source: NDArray[np.int64]
    empty_target: NDArray[np.int64]

    def columns(self) -> dict[str, Any]:
        """A row for each pair."""
        return {name: getattr(self, name) for name in _Ranked.__dataclass_fields__}


def rank(
    source: Vectors,
    target: Vectors,
    *,
    k: int = 10,
    similarity: str = "cosine",
    correction: Correction = "none",
    one_to_one: bool = False,
    neighbourhood: int = 10,
) -> Candidates:
    """Rank up to `k` targets for each source, or assign each source to a target of its own.

    Candidates are the nearest of both directions; they are merged, then corrected for hubs with the mean over
    `neighbourhood` nearest, then ranked. The one-to-one assignment has the largest possible sum of scores
    while all pairs fit into `OPTIMAL_CELLS` float64 numbers (20,000 documents a side: 3.2 GB). Beyond that it
    is competitive linking (Melamed 2000): the best candidate pair is linked first, and both its documents are
    then taken.
    """
    check_correction(correction, similarity)
    left, right = prepare(source, similarity), prepare(target, similarity)
    if one_to_one and int(left.valid.sum()) * int(right.valid.sum()) <= OPTIMAL_CELLS:
        return _with_unmatched(_optimal(left, right, correction, neighbourhood), left, right)
    width = k if correction == "none" else max(k, neighbourhood)
    found = nearest(left, right, width), nearest(right, left, width)
    pairs = _candidates(left, right, found, correction, neighbourhood)
    if not one_to_one:
        return _with_unmatched(pairs, left, right, np.flatnonzero(pairs.rank <= k))
    order = np.lexsort((pairs.target, pairs.source, -pairs.score))
    return _with_unmatched(pairs, left, right, np.sort(linked(pairs.source, pairs.target, order)))


def rank_found(
    found: Both,
    valid: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    *,
    k: int,
    correction: Correction = "none",
    neighbourhood: int = 10,
) -> Candidates:
    """`rank` of cosines whose nearest of both directions are known; `valid` tells the rows that are not zero."""
    left, right = (Prepared(np.zeros((0, 1), np.float32), mask, mask.astype(np.float64), "cosine") for mask in valid)
    pairs = _candidates(left, right, found, correction, neighbourhood)
    return _with_unmatched(pairs, left, right, np.flatnonzero(pairs.rank <= k))


def _candidates(left: Prepared, right: Prepared, found: Both, correction: str, neighbourhood: int) -> _Ranked:
    """The nearest of both directions as one list, ordered by source and corrected score."""
    forward, backward = found
    rows = np.arange(len(left)).repeat(forward.indices.shape[1])
    columns = np.arange(len(right)).repeat(backward.indices.shape[1])
    sources = np.concatenate([rows, backward.indices.ravel()])
    targets = np.concatenate([forward.indices.ravel(), columns])
    there = np.flatnonzero((sources >= 0) & (targets >= 0))
    scores = np.concatenate([forward.scores.ravel(), backward.scores.ravel()])[there]
    keys, first = np.unique(sources[there] * len(right) + targets[there], return_index=True)
    sources, targets = np.divmod(keys, max(1, len(right)))
    scores = scores[first]
    if correction != "none":
        means = neighbour_means(forward.head(neighbourhood), left, right)
        other_means = neighbour_means(backward.head(neighbourhood), right, left)
        scores = correct(scores, means[sources], other_means[targets], correction)
    return _ordered(sources, targets, scores)


def _ordered(sources: NDArray[np.int64], targets: NDArray[np.int64], scores: NDArray[np.float32]) -> _Ranked:
    """Pairs in order of source and score, with ranks; equal scores stand in the order of the documents."""
    order = np.lexsort((targets, -scores, sources))
    sources, targets, scores = sources[order], targets[order], scores[order]
    starts = np.flatnonzero(np.diff(sources, prepend=-1))
    rank = np.arange(len(sources)) - np.repeat(starts, np.diff(starts, append=len(sources))) + 1
    best_first = np.lexsort((sources, -scores, targets))
    best_of_target = np.zeros(len(sources), bool)
    best_of_target[best_first[np.flatnonzero(np.diff(targets[best_first], prepend=-1))]] = True
    return _Ranked(sources, targets, scores, rank, (rank == 1) & best_of_target)


def _optimal(left: Prepared, right: Prepared, correction: str, neighbourhood: int) -> _Ranked:
    """The assignment with the largest sum of scores."""
    rows, columns = np.flatnonzero(left.valid), np.flatnonzero(right.valid)
    costs = _costs(left.select(rows), right.select(columns), correction, neighbourhood)
    sources, targets = linear_sum_assignment(costs)
    own = costs[sources, targets]
    better = [np.count_nonzero(costs[row] < cost) for row, cost in zip(sources, own, strict=True)]
    mutual = np.zeros(0, bool)
    if sources.size:
        mutual = (costs.argmin(axis=1)[sources] == targets) & (costs.argmin(axis=0)[targets] == sources)
    rank = np.array(better, dtype=np.int64) + 1
    return _Ranked(rows[sources], columns[targets], (-own).astype(np.float32), rank, mutual)


def _costs(left: Prepared, right: Prepared, correction: str, neighbourhood: int) -> NDArray[np.float64]:
    """All negated scores, in float64 because the solver would otherwise make a second copy."""
    costs = np.empty((len(left), len(right)))
    if correction != "none" and costs.size:
        means = neighbour_means(nearest(left, right, neighbourhood), left, right)
        other_means = neighbour_means(nearest(right, left, neighbourhood), right, left)
    for part, scores in score_blocks(left, right, precise=True):
        if correction != "none":
            scores = correct(scores, means[part, None], other_means, correction)
        np.negative(scores, out=costs[part])
    return costs


def _with_unmatched(
    pairs: _Ranked, left: Prepared, right: Prepared, chosen: NDArray[np.int64] | slice = slice(None)
) -> Candidates:
    kept = {name: values[chosen] for name, values in vars(pairs).items()}
    return Candidates(
        **kept,
        unmatched_source=np.setdiff1d(np.arange(len(left)), kept["source"]),
        unmatched_target=np.setdiff1d(np.arange(len(right)), kept["target"]),
        empty_source=np.flatnonzero(~left.valid),
        empty_target=np.flatnonzero(~right.valid),
    )
