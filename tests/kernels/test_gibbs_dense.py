"""The vector code of the dense sampler against loops that are easy to read."""

from __future__ import annotations

import numba as nb
import numpy as np
import pytest

from babelspace.kernels.topics import gibbs_dense
from babelspace.kernels.topics.gibbs_dense import dense_rows
from babelspace.kernels.topics.gibbs_llvm import DEEP, LANES, RUN, locate, smooth_groups, weigh

pytestmark = pytest.mark.family("lda")

SIZES = pytest.mark.parametrize("runs", [1, 3])


@nb.njit
def weighed(rows, start, old, alpha, phi, smooth, sums, lanes):
    rest = gibbs_dense._group_without(rows, start, old, alpha, phi)
    smooth_groups(alpha, phi, smooth)
    return weigh(rows, start, start, phi, smooth, sums, lanes, gibbs_dense._group(old), rest)


@nb.njit
def located(lanes, left):
    return locate(lanes, left)


@nb.njit
def chosen(left, rows, start, old, alpha, phi, sums, lanes):
    return gibbs_dense._chosen(left, rows, start, old, alpha, phi, sums, lanes)


def example(rng, runs):
    """Two rows of counts, α, φ and the topic that is left out."""
    rows = dense_rows(2, runs * RUN - 5)
    rows[:, : runs * RUN - 5] = rng.poisson(0.7, (2, runs * RUN - 5))
    alpha, phi = (rng.random(runs * RUN).astype(np.float32) for _ in range(2))
    phi[-5:] = 0
    old = np.uint64(rng.integers(runs * RUN - 5))
    chances = (rows[1] + alpha.astype(np.float64)) * phi
    chances[old] = 0
    room = [np.zeros(runs * LANES, np.float32), np.zeros(runs * LANES, np.float32), np.zeros(2 * LANES, np.float32)]
    return rows.reshape(-1), np.uint64(runs * RUN), old, alpha, phi, room, chances


@SIZES
def test_sums_of_groups_and_lanes_are_those_of_a_loop(runs, rng):
    rows, start, old, alpha, phi, (smooth, sums, lanes), chances = example(rng, runs)
    total = weighed(rows, start, old, alpha, phi, smooth, sums, lanes)
    groups = chances.reshape(runs, DEEP, LANES).sum(axis=1)
    np.testing.assert_allclose(sums.reshape(runs, LANES), groups, rtol=1e-5)
    np.testing.assert_allclose(lanes, [*np.zeros(LANES), *np.cumsum(groups.sum(axis=0))], rtol=1e-5)
    assert total == pytest.approx(chances.sum(), rel=1e-5)


def test_locate_counts_running_sums(rng):
    running = np.cumsum(rng.random(LANES).astype(np.float32))
    lanes = np.concatenate([np.zeros(LANES, np.float32), running])
    for left in (0.0, 0.3, 4.0, 100.0):
        assert located(lanes, np.float32(left)) == (running <= left).sum()


@SIZES
def test_every_topic_is_chosen_as_often_as_its_weight_says(runs, rng):
    """Evenly spaced shares of the total must fall on topics in proportion, and never on the one left out."""
    rows, start, old, alpha, phi, (smooth, sums, lanes), chances = example(rng, runs)
    total, draws, found = weighed(rows, start, old, alpha, phi, smooth, sums, lanes), 40_000, []
    for share in (np.arange(draws) + 0.5) / draws:
        found.append(chosen(np.float32(share * total), rows, start, old, alpha, phi, sums, lanes))
    seen = np.bincount(np.array(found, np.int64), minlength=len(chances))
    np.testing.assert_allclose(seen / draws, chances / chances.sum(), atol=2.5 / draws)
    assert seen[int(old)] == 0


def test_rows_begin_at_cache_lines_and_are_whole_runs():
    table = dense_rows(3, RUN + 1)
    assert table.shape == (3, 2 * RUN)
    assert table.ctypes.data % 64 == 0
    assert table.flags.c_contiguous
    assert not table.any()
