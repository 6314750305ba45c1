"""Orthogonal non-negative factors of many small matrices: PLSA by EM, then each word to its most probable component.

What is found for a matrix depends on it and the seed only, not on the threads or on the other matrices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.alignment.cept_annealing import anneal
from babelspace.kernels.alignment.cept_em import AIC, BIC, SPREAD, cells_of, fit, search
from babelspace.kernels.threaded_blocks import on_threads

__all__ = ["AIC", "BIC", "CeptFactors", "CeptSettings", "factorise"]

TASKS = 64


class CeptSettings(NamedTuple):
    """What the kernels need to know; numbers only."""

    null: bool
    noise: bool
    criterion: int
    penalty: float
    sparse: bool
    refit: bool
    restarts: int
    temperatures: int
    iterations: int
    tolerance: float
    seed: int
    fixed: int
    floor: float


# Kernels that an older version compiled are unpickled under this name before numba finds them stale.
Settings = CeptSettings


class CeptFactors(NamedTuple):
    """Components of words (from 0; -1 is NULL), posteriors of these choices, and per matrix K, noise and likelihood."""

    source_cept: NDArray[np.int32]
    target_cept: NDArray[np.int32]
    source_posterior: NDArray[np.float32]
    target_posterior: NDArray[np.float32]
    cepts: NDArray[np.int32]
    noise: NDArray[np.float32]
    likelihood: NDArray[np.float64]


def factorise(
    values: NDArray[Any], offsets: NDArray[Any], sources: NDArray[Any], targets: NDArray[Any], settings: CeptSettings
) -> CeptFactors:
    """Factor all matrices; matrix n is `values[offsets[n]:]` of shape (sources[n] + 1, targets[n] + 1)."""
    source_starts, target_starts = (
        np.concatenate([[0], np.cumsum(side, dtype=np.int64)]) for side in (sources, targets)
    )
    left, right = int(source_starts[-1]), int(target_starts[-1])
    words = np.full(left, -1, np.int32), np.full(right, -1, np.int32)
    posteriors = np.ones(left, np.float32), np.ones(right, np.float32)
    summary = np.zeros((len(sources), 3))
    starts, out = (source_starts, target_starts), (words, posteriors, summary)
    # Long sentences stand together in many corpora: dealing matrices out in turn keeps the threads equally busy.
    tasks = min(TASKS, len(sources))
    on_threads(_factorise, tasks, tasks, values, offsets, sources, targets, starts, settings, *out)
    return CeptFactors(
        *words, *posteriors, summary[:, 0].astype(np.int32), summary[:, 1].astype(np.float32), summary[:, 2]
    )


@nb.njit(nogil=True, cache=True)
def _factorise(task, tasks, values, offsets, sources, targets, starts, settings, words, posteriors, summary):
    for n in range(task, len(sources), tasks):
        matrix = values[offsets[n] : offsets[n + 1]].reshape(sources[n] + 1, targets[n] + 1)
        left, right = slice(starts[0][n], starts[0][n + 1]), slice(starts[1][n], starts[1][n + 1])
        cells, weights, total = cells_of(matrix, settings.null, settings.floor)
        if sources[n] == 0 or targets[n] == 0:
            continue
        if len(weights) == 0:
            # Nothing goes with anything: all words with NULL or, without it, with each other.
            if not settings.null:
                words[0][left], words[1][right], summary[n, 0] = 0, 0, 1
            continue
        if settings.temperatures > 0:
            model = anneal(matrix, cells, weights, total, settings)
        else:
            model = search(matrix, cells, weights, total, settings)
        chosen, certainty = (words[0][left], words[1][right]), (posteriors[0][left], posteriors[1][right])
        found = _orthogonalise(matrix, cells, weights, total, settings, model, *chosen, certainty)
        summary[n, 0], summary[n, 1], summary[n, 2] = found


@nb.njit(cache=True)
def _assign(shares, scales, null_share, alive, null, words, posteriors):
    """Each word's most probable component (eq. 7), -1 for the null component; column k counts `scales[k]` times."""
    for word in range(len(words)):
        best, value, total = -1, null_share[word], null_share[word]
        for k in range(len(alive)):
            share = scales[k] * shares[word, k]
            # Without NULL a word that nothing explains still goes to a component, the first one left.
            if alive[k] and (share > value or (best < 0 and not null)):
                best, value = k, share
            total += share if alive[k] else 0.0
        words[word] = best
        posteriors[word] = value / total if total > 0 else 1.0


@nb.njit(cache=True)
def _orphan(alive, masses, source_cept, target_cept):
    """The lightest component that lacks words on a side, or -1."""
    left, right = np.zeros(len(alive), np.bool_), np.zeros(len(alive), np.bool_)
    for cept in source_cept:
        if cept >= 0:
            left[cept] = True
    for cept in target_cept:
        if cept >= 0:
            right[cept] = True
    found = -1
    for k in range(len(alive)):
        if alive[k] and not (left[k] and right[k]) and (found < 0 or masses[k] < masses[found]):
            found = k
    return found


@nb.njit(cache=True)
def _without(joint, column, size, orphan, noise):
    """Take a component away, in place, and spread the others a little, so that EM can give them its words."""
    total = 0.0
    for i in range(joint.shape[0]):
        joint[i, orphan] = joint[i, size - 1]
        for k in range(size - 1):
            joint[i, k] += SPREAD / (joint.shape[0] * size)
            total += joint[i, k]
    for i in range(joint.shape[0]):
        for k in range(size - 1):
            joint[i, k] *= (1 - noise) / total
    for j in range(column.shape[0]):
        column[j, orphan] = column[j, size - 1]
        for k in range(size - 1):
            column[j, k] = (1 - SPREAD) * column[j, k] + SPREAD / column.shape[0]


@nb.njit(cache=True)
def _orthogonalise(matrix, cells, weights, total, settings, model, source_cept, target_cept, certainty):
    """Assign words, and take away one orphan after the other until every component has words on both sides."""
    joint, column, nulls, noise, likelihood, size = model
    alive = np.ones(size, np.bool_)
    while True:
        masses = np.zeros(size)
        for i in range(joint.shape[0]):
            for k in range(size):
                masses[k] += joint[i, k]
        _assign(joint, np.ones(size), nulls[1], alive, settings.null, source_cept, certainty[0])
        _assign(column, masses, nulls[0], alive, settings.null, target_cept, certainty[1])
        orphan = _orphan(alive, masses, source_cept, target_cept)
        if orphan < 0:
            break
        alive[orphan] = False
        if settings.refit and size > 1:
            _without(joint, column, size, orphan, noise)
            size -= 1
            likelihood, noise = fit(matrix, cells, weights, total, settings, joint, column, size, nulls, noise)
            alive = np.ones(size, np.bool_)
    return _renumber(source_cept, target_cept, size), noise, likelihood


@nb.njit(cache=True)
def _renumber(source_cept, target_cept, size):
    """Components in the order of their first source word; gives their number."""
    names, count = np.full(size, -1, np.int32), 0
    for word in range(len(source_cept)):
        if source_cept[word] >= 0:
            if names[source_cept[word]] < 0:
                names[source_cept[word]] = count
                count += 1
            source_cept[word] = names[source_cept[word]]
    for word in range(len(target_cept)):
        if target_cept[word] >= 0:
            target_cept[word] = names[target_cept[word]]
    return count
