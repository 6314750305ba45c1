"""Posteriors of several documents made to agree: the KL projection of coupled PLSA, solved in its dual.

The documents d of a tuple have n_d tokens and topic fractions f_d = Σ_w x_dw q_dw / n_d. Wanted is the q nearest to the
posteriors p in Σ KL(q‖p) + σ Σ_dt (|f_dt - c_t| - ε/2)₊ for some centre c, that is: all fractions within ε of each
other, or a price σ for what is beyond. The solution is q_dw(t) ∝ p_dw(t) exp(-λ_dt / n_d), where λ minimises

    g(λ) = Σ_dw x_dw log Σ_t p_dw(t) exp(-λ_dt / n_d) + ε/2 Σ|λ|    with Σ_d λ_d = 0 and |λ| ≤ σ.

From log z ≤ z - 1 follows g(λ + δ) - g(λ) ≤ Σ_dt n_d f_dt (exp(-δ_dt / n_d) - 1) + …, which falls apart into topics and
has a closed minimum (iterative scaling): a step that never goes wrong. Steps are lengthened by the Barzilai–Borwein
factor in the metric of this bound; one that makes g rise is taken back, a safe one is made instead, and later ones may
be less long, so that g never rises.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.parallel import parallel
from babelspace.kernels.topics.plsa import REASSOCIATE, CountEntries, Dense, mix_document, normalised_sum

LONGEST = 20.0  # factor of a step
SMALLEST = 1e-12  # fraction of a topic
HALVINGS = 40  # of the interval of a centre: enough for single precision


def coupled_step(
    counts: CountEntries,
    tuples: NDArray[Any],
    lengths: NDArray[Any],
    weights: Dense,
    words: Dense,
    multipliers: Dense,
    prior: float,
    tilted: Dense,
    out: Dense,
    ratios: Dense,
    *,
    epsilon: float = 0.0,
    penalty: float = np.inf,
    tolerance: float = 0.01,
    steps: int = 10,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Project the posteriors of every tuple (rows tuples[i] to tuples[i + 1]), starting from its multipliers λ.

    The price σ is `penalty` for each token of the shortest document, so it bounds the logarithm of what a weight is
    multiplied with. `out` gets the new topic weights, `tilted` θ exp(-λ/n), and `ratios` what the word step needs with
    it; λ is renewed in place. Returns for each tuple log P(x | θ, φ) less the divergence and the price, and how far its
    fractions still are from the solution (mean over its documents of the summed differences).
    """
    values, gaps = (np.zeros(len(tuples) - 1, np.float64) for _ in range(2))
    blocks = np.searchsorted(tuples, counts.row_blocks).astype(np.int64)
    limits = (float(epsilon), float(penalty), float(tolerance), int(steps))
    matrices = (weights, words, multipliers, tilted, out, ratios)
    _coupled_step(counts[:3], blocks, tuples, lengths, matrices, weights.dtype.type(prior), limits, values, gaps)
    return values, gaps


@parallel(fastmath=REASSOCIATE)
def _coupled_step(entries, blocks, tuples, lengths, matrices, prior, limits, values, gaps):
    weights, words, multipliers, tilted, out, ratios = matrices
    document = (*entries, words, ratios)
    for block in nb.prange(len(blocks) - 1):
        for number in range(blocks[block], blocks[block + 1]):
            here = slice(tuples[number], tuples[number + 1])
            own = (weights[here], multipliers[here], tilted[here], out[here])
            found = _project(tuples[number], document, lengths[here], own, limits)
            values[number], gaps[number] = found
            for row in range(tuples[number], tuples[number + 1]):
                normalised_sum(out[row], prior, out[row])


@nb.njit(cache=True, fastmath=REASSOCIATE)
def _project(first, document, lengths, matrices, limits):
    """Solve one tuple; its expected counts end in the last of the matrices, its λ is one safe step ahead of them."""
    weights, multipliers, tilted, expected = matrices
    epsilon, penalty, tolerance, steps = limits
    filled, shortest = _filled(lengths)
    old, before = np.empty_like(multipliers), np.empty_like(multipliers)
    step, factor, longest, lowest, gap = 0, 1.0, LONGEST, np.inf, 0.0
    while True:
        step += 1
        level = _fractions(first, document, lengths, weights, multipliers, tilted, expected)
        if filled < 2:
            break
        level += 0.5 * epsilon * _size(multipliers)
        back = factor > 1 and level > lowest
        if back:
            longest, factor = max(1.0, 0.25 * factor), 1.0
            _copy(old, multipliers)
            _copy(before, expected)
        else:
            stretched = 1 < step < steps
            factor = min(longest, _stretch(lengths, multipliers, old, expected, before)) if stretched else 1.0
            lowest = level
            _copy(multipliers, old)
            _copy(expected, before)
        gap = _agree(lengths, expected, multipliers, factor, epsilon, penalty * shortest) / filled
        if not back and (gap <= tolerance or step >= steps):
            break
    for row in range(len(lengths)):
        for t in range(expected.shape[1]):
            expected[row, t] *= lengths[row]
    return level, gap


@nb.njit(cache=True)
def _filled(lengths):
    """How many documents have words, and the length of the shortest of them."""
    filled, shortest = 0, np.inf
    for length in lengths:
        if length > 0:
            filled += 1
            shortest = min(shortest, length)
    return filled, shortest


@nb.njit(cache=True)
def _copy(source, target):
    for row in range(source.shape[0]):
        for t in range(source.shape[1]):
            target[row, t] = source[row, t]


@nb.njit(cache=True, fastmath=REASSOCIATE)
def _size(values):
    total = 0.0
    for row in range(values.shape[0]):
        for t in range(values.shape[1]):
            total += abs(values[row, t])
    return total


@nb.njit(cache=True, fastmath=REASSOCIATE)
def _fractions(first, document, lengths, weights, multipliers, tilted, fractions):
    """Topic fractions of each document under the tilted weights, and the summed log likelihood."""
    indptr, indices, data, words, ratios = document
    value = 0.0
    for row in range(len(lengths)):
        # A factor common to all topics changes no posterior; this one lets no weight grow.
        shift = multipliers[row, 0]
        for t in range(1, weights.shape[1]):
            shift = min(shift, multipliers[row, t])
        length = max(lengths[row], 1e-30)
        for t in range(weights.shape[1]):
            tilted[row, t] = weights[row, t] * np.exp((shift - multipliers[row, t]) / length)
        start, stop = indptr[first + row], indptr[first + row + 1]
        value += mix_document(start, stop, indices, data, tilted[row], words, ratios, fractions[row]) - shift
        for t in range(weights.shape[1]):
            fractions[row, t] *= tilted[row, t] / length
    return value


@nb.njit(cache=True, fastmath=REASSOCIATE)
def _stretch(lengths, multipliers, old, fractions, before):
    """Barzilai–Borwein: how much flatter g was along the last step than the bound's curvature f / n."""
    bound, curvature = 0.0, 0.0
    for row in range(len(lengths)):
        if lengths[row] > 0:
            for t in range(fractions.shape[1]):
                step = multipliers[row, t] - old[row, t]
                bound += step * step * fractions[row, t] / lengths[row]
                curvature += step * (before[row, t] - fractions[row, t])
    return max(1.0, bound / curvature) if curvature > 0 else 1.0


@nb.njit(cache=True, fastmath=REASSOCIATE)
def _agree(lengths, fractions, multipliers, factor, epsilon, penalty):
    """Minimise the bound, `factor` times flatter, over λ; returns how far fractions are from what it predicts."""
    wanted, alone = np.empty(len(lengths)), np.empty(len(lengths))
    total = 0.0
    for length in lengths:
        total += length
    gap = 0.0
    for t in range(fractions.shape[1]):
        for row in range(len(lengths)):
            fractions[row, t] = max(fractions[row, t], SMALLEST)
        largest = _meet(lengths, total, fractions[:, t], multipliers[:, t], factor, wanted)
        if epsilon > 0 or largest > penalty:
            _meet_within(lengths, fractions[:, t], multipliers[:, t], factor, epsilon, penalty, alone, wanted)
        for row in range(len(lengths)):
            if lengths[row] > 0:
                change = (multipliers[row, t] - wanted[row]) / (lengths[row] * factor)
                gap += abs(fractions[row, t] * (1 - np.exp(change)))
                multipliers[row, t] = wanted[row]
    return gap


@nb.njit(cache=True, fastmath=REASSOCIATE)
def _meet(lengths, total, fractions, multipliers, factor, wanted):
    """λ with which one topic's fractions would be equal: their weighted geometric mean. Returns the largest |λ|."""
    centre = 0.0
    for row in range(len(lengths)):
        if lengths[row] > 0:
            wanted[row] = np.log(fractions[row])
            centre += lengths[row] * wanted[row]
    centre /= total
    largest = 0.0
    for row in range(len(lengths)):
        if lengths[row] > 0:
            wanted[row] = multipliers[row] + lengths[row] * factor * (wanted[row] - centre)
            largest = max(largest, abs(wanted[row]))
    return largest


@nb.njit(cache=True, fastmath=REASSOCIATE)
def _meet_within(lengths, fractions, multipliers, factor, epsilon, penalty, alone, wanted):
    """λ of one topic with tolerance and price: the interval of its centre is halved until Σ_d λ_d = 0."""
    low, high = np.inf, 0.0
    for row in range(len(lengths)):
        if lengths[row] > 0:
            alone[row] = fractions[row] * np.exp(min(multipliers[row] / (lengths[row] * factor), 80.0))
            low, high = min(low, alone[row]), max(high, alone[row])
    # With fractions that are near enough already, the middle leaves every λ at zero.
    for _ in range(1 if high - low <= epsilon else HALVINGS):
        centre = 0.5 * (low + high)
        if _pull(lengths, alone, factor, centre, epsilon, penalty, wanted) > 0:
            low = centre
        else:
            high = centre


@nb.njit(cache=True, fastmath=REASSOCIATE)
def _pull(lengths, alone, factor, centre, epsilon, penalty, wanted):
    """λ of each document for a centre, none within ε/2 of it and at most the price beyond; returns their sum."""
    total = 0.0
    for row in range(len(lengths)):
        if lengths[row] > 0:
            reached = max(min(max(alone[row], centre - 0.5 * epsilon), centre + 0.5 * epsilon), 1e-30)
            pulled = lengths[row] * factor * np.log(alone[row] / reached)
            wanted[row] = min(max(pulled, -penalty), penalty)
            total += wanted[row]
    return total
