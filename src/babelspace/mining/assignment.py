"""One-to-one choices among candidate pairs: optimal, or greedy where there are too many documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from babelspace.mining.tuned_settings import SETTINGS

Numbers = NDArray[np.int64]


def one_to_one(source: Numbers, target: Numbers, gain: NDArray[np.float64], sources: int, targets: int) -> Numbers:
    """The pairs (their places in the list, ascending) that share no document and have the largest sum of gains.

    A pair whose gain is not above zero is never worth choosing. Beyond `optimal_documents` a side (settings) the
    choice is competitive linking.
    """
    if max(sources, targets) > SETTINGS.optimal_documents:
        return competitive(source, target, gain)
    return optimal(source, target, gain, sources, targets)


def optimal(source: Numbers, target: Numbers, gain: NDArray[np.float64], sources: int, targets: int) -> Numbers:
    """Sparse shortest augmenting paths; every source may also take a place of its own, which is worth nothing."""
    useful = np.flatnonzero(gain > 0)
    if not len(useful):
        return useful
    own = np.arange(sources)
    rows = np.concatenate([source[useful], own])
    columns = np.concatenate([target[useful], targets + own])
    # Costs stay above zero because the solver takes a stored zero for a missing edge.
    most = float(gain[useful].max())
    costs = np.concatenate([most - gain[useful], np.full(sources, most)]) + 1.0
    edges = csr_array((costs, (rows, columns)), shape=(sources, targets + sources))
    chosen_rows, chosen_columns = min_weight_full_bipartite_matching(edges)
    paired = chosen_columns < targets
    keys = source[useful].astype(np.int64) * targets + target[useful]
    wanted = chosen_rows[paired].astype(np.int64) * targets + chosen_columns[paired]
    return np.sort(useful[np.isin(keys, wanted)])


def competitive(source: Numbers, target: Numbers, gain: NDArray[np.float64]) -> Numbers:
    """Competitive linking (Melamed 2000): the best pair first, then the best of those that are left."""
    order = np.lexsort((target, source, -gain))
    return np.sort(linked(source, target, order[gain[order] > 0]))


def linked(source: Numbers, target: Numbers, order: Numbers) -> Numbers:
    """Pairs in this order, without those of which a document is taken already."""
    used_source: set[int] = set()
    used_target: set[int] = set()
    chosen = []
    for place, left, right in zip(order.tolist(), source[order].tolist(), target[order].tolist(), strict=True):
        if left not in used_source and right not in used_target:
            used_source.add(left)
            used_target.add(right)
            chosen.append(place)
    return np.array(chosen, dtype=np.int64)
