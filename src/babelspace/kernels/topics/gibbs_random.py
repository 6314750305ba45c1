"""Random numbers inside kernels: a state is a function of (seed, place), so any part can be drawn again alone."""

from __future__ import annotations

import numba as nb
import numpy as np

from babelspace.kernels.parallel import parallel

_STEP = np.uint64(0x9E3779B97F4A7C15)


@nb.njit(cache=True, inline="always")
def mixed(value):
    """The finaliser of splitmix64 (Steele, Lea & Flood 2014): 64 bits to 64 well-stirred bits."""
    value = np.uint64(value)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@nb.njit(cache=True, inline="always")
def stream(seed, first, second):
    """The state of one stream among many, e.g. of (seed, sweep, cell)."""
    state = mixed(np.uint64(seed) + _STEP)
    state = mixed(state ^ (np.uint64(first) * _STEP + np.uint64(1)))
    return mixed(state ^ (np.uint64(second) * _STEP + np.uint64(2)))


@nb.njit(cache=True, inline="always")
def advance(state):
    """The next state of a stream."""
    return np.uint64(state + _STEP)


@nb.njit(cache=True, inline="always")
def fraction(state):
    """The number in [0, 1) that a state stands for."""
    return np.float64(mixed(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@parallel()
def row_hashes(indptr, indices, counts, key):
    """64 bits for each row that depend on what is in it, not on its place; hashes of parts of a row may be added."""
    hashes = np.zeros(len(indptr) - 1, np.uint64)
    for row in nb.prange(len(hashes)):
        total = np.uint64(0)
        for entry in range(indptr[row], indptr[row + 1]):
            total += stream(key, np.uint64(indices[entry]), np.uint64(counts[entry]))
        hashes[row] = total
    return hashes
