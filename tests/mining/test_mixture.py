from __future__ import annotations

import numpy as np
import pytest

from babelspace.mining.mixture import GRID, SHAPE_GRID, fit_mixture, null_density, rising, shape_density


def found_groups(rng, right, held_out):
    """Share, mean and spread that are found of right pairs planted among 600 wrong ones."""
    height = np.concatenate([rng.standard_normal(600), right])
    null = null_density(np.sort(rng.standard_normal(2000)))
    shape = shape_density(np.sort(rng.standard_normal(1000)))
    return fit_mixture(height, np.interp(height, GRID, null), held_out, shape)


def test_two_groups_recovers_a_planted_mixture(rng):
    share, mean, spread = found_groups(rng, rng.normal(4, 1.5, 400), (6.0, 1.0))
    assert (share, mean, spread) == pytest.approx((0.4, 4.0, 1.5), abs=0.25)


def test_densities_sum_to_one(rng):
    null, shape = null_density(rng.standard_normal(200)), shape_density(rng.standard_normal(100))
    assert np.trapezoid(null, GRID) == pytest.approx(1, abs=0.01)
    assert np.trapezoid(shape, SHAPE_GRID) == pytest.approx(1, abs=0.01)


def test_a_group_that_would_take_in_the_wrong_pairs_is_none(rng):
    """Held-out pairs were far apart and spread wide; here they are near, and must not swallow the wrong ones."""
    share, _, spread = found_groups(rng, rng.normal(3, 1, 400), (9.0, 2.2))
    assert share == pytest.approx(0.4, abs=0.06)
    assert spread < 1.4


def test_ratios_never_fall(rng):
    right, null = np.exp(-0.5 * (GRID - 3) ** 2) + 1e-300, null_density(rng.standard_normal(200))
    assert (np.diff(rising(right, null, 0.5, 3.0)) >= -1e-12).all()
