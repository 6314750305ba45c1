"""Deterministic annealing of the factorisation: components part one after the other while the system cools."""

from __future__ import annotations

import numba as nb
import numpy as np

from babelspace.kernels.alignment.cept_em import (
    START_NOISE,
    copy_components,
    em_step,
    fit,
    null_start,
    random,
    score,
    uniform,
)

MERGE = 0.05  # total variation below which two components are one
NUDGE = 0.02  # by which twins differ before the cooled system parts or rejoins them
STEPS = 10  # of EM at each temperature


@nb.njit(cache=True)
def tempered_step(cells, weights, total, size, beta, background, joint, column, spare):
    """One step with P(c) [P(f | c) P(e | c)]^beta in the place of the joint probability."""
    left, right, new_joint, new_column = spare
    for k in range(size):
        mass = 0.0
        for i in range(joint.shape[0]):
            mass += joint[i, k]
        scale = 1.0 / mass if mass > 0 else 0.0
        for i in range(joint.shape[0]):
            left[i, k] = mass * (joint[i, k] * scale) ** beta
        for j in range(column.shape[0]):
            right[j, k] = column[j, k] ** beta
    return em_step(cells, weights, total, left, right, size, background, joint, column, new_joint, new_column)


@nb.njit(cache=True)
def _split(joint, column, size, state):
    """Each component becomes two that differ by a nudge."""
    for k in range(size):
        for i in range(joint.shape[0]):
            shift = NUDGE * (2 * random(state) - 1)
            joint[i, size + k] = 0.5 * joint[i, k] * (1 - shift)
            joint[i, k] *= 0.5 * (1 + shift)
        for j in range(column.shape[0]):
            shift = NUDGE * (2 * random(state) - 1)
            column[j, size + k] = column[j, k] * (1 - shift)
            column[j, k] *= 1 + shift


@nb.njit(cache=True)
def _distance(joint, column, masses, a, b):
    """Mean total variation between two components on both sides."""
    if masses[a] <= 0 or masses[b] <= 0:
        return 0.0
    total = 0.0
    for i in range(joint.shape[0]):
        total += abs(joint[i, a] / masses[a] - joint[i, b] / masses[b])
    for j in range(column.shape[0]):
        total += abs(column[j, a] - column[j, b])
    return 0.25 * total


@nb.njit(cache=True)
def _join(joint, column, masses, a, b, last):
    """Components a and b become a, and the last one moves to b."""
    mass = masses[a] + masses[b]
    for j in range(column.shape[0]):
        if mass > 0:
            column[j, a] = (masses[a] * column[j, a] + masses[b] * column[j, b]) / mass
        column[j, b] = column[j, last]
    for i in range(joint.shape[0]):
        joint[i, a] += joint[i, b]
        joint[i, b] = joint[i, last]
    masses[a], masses[b] = mass, masses[last]


@nb.njit(cache=True)
def _merge(joint, column, size, twins, largest):
    """Join components that are nearly equal, and the nearest ones while there are too many; gives their number."""
    masses = np.zeros(size)
    for i in range(joint.shape[0]):
        for k in range(size):
            masses[k] += joint[i, k]
    # Most are twins that have not parted; backwards, as the last component fills the place of the one that goes.
    for k in range(twins - 1, -1, -1):
        if _distance(joint, column, masses, k, twins + k) < MERGE:
            size -= 1
            _join(joint, column, masses, k, twins + k, size)
    while size > 1:
        nearest, left, right = np.inf, size - 2, size - 1
        for a in range(size):
            for b in range(a + 1, size):
                distance = _distance(joint, column, masses, a, b)
                if distance < nearest:
                    nearest, left, right = distance, a, b
        if nearest >= MERGE and size <= largest:
            break
        size -= 1
        _join(joint, column, masses, left, right, size)
    return size


@nb.njit(cache=True)
def anneal(matrix, cells, weights, total, settings):
    """Cool down from one component; whenever their number is a new one, fit and score that model."""
    rows, columns = matrix.shape[0] - 1, matrix.shape[1] - 1
    largest = min(rows, columns)
    state = np.array([np.uint64(settings.seed)])
    joint, column = _one_component(cells, weights, total, rows, columns, 2 * largest)
    spare = joint.copy(), column.copy(), joint.copy(), column.copy()
    # Not a literal 1: numba would compile all that it is given to a second time.
    noise, size = START_NOISE if settings.noise else 0.0, min(1, largest)
    seen = np.zeros(largest + 1, np.bool_)
    best, best_joint, best_column = -np.inf, joint, column
    best_nulls, best_noise, best_likelihood, best_size = null_start(matrix, settings.null, total), noise, best, 1
    step, grown, last = 0, False, False
    while not last:
        last = step == settings.temperatures and not grown
        # The coolest model is fitted also if its number has been met: it had the most time to find its place.
        if not seen[size] or last:
            seen[size] = True
            trial_joint, trial_column = np.empty((rows, size)), np.empty((columns, size))
            copy_components(joint, trial_joint, size)
            copy_components(column, trial_column, size)
            nulls = null_start(matrix, settings.null, total)
            likelihood, trial_noise = fit(
                matrix, cells, weights, total, settings, trial_joint, trial_column, size, nulls, noise
            )
            value = score(likelihood, trial_joint, trial_column, size, total, settings)
            if value > best:
                best, best_joint, best_column, best_nulls = value, trial_joint, trial_column, nulls
                best_noise, best_likelihood, best_size = trial_noise, likelihood, size
        # Cooler only when nothing parts any more.
        step = min(step + (not grown), settings.temperatures)
        beta = 0.5 + 0.5 * step / settings.temperatures
        background = noise * uniform(matrix, settings.null) ** beta
        before, twins = size, size if size < largest else 0
        if twins:
            _split(joint, column, size, state)
            size *= 2
        for _ in range(STEPS):
            tempered_step(cells, weights, total, size, beta, background, joint, column, spare)
        size = _merge(joint, column, size, twins, largest)
        grown = size > before
    return best_joint, best_column, best_nulls, best_noise, best_likelihood, best_size


@nb.njit(cache=True)
def _one_component(cells, weights, total, rows, columns, room):
    """The marginals as the first of `room` components: at a high temperature all are equal to it."""
    joint, column = np.zeros((rows, room)), np.zeros((columns, room))
    mass = weights.sum()
    for cell in range(len(weights)):
        joint[cells[cell, 0], 0] += weights[cell] / total
        column[cells[cell, 1], 0] += weights[cell] / mass
    return joint, column
