from __future__ import annotations

import numpy as np
import pytest

from babelspace.mining.mixture import GRID, SHAPE_GRID, fit_mixture, null_density, rising, shape_density


def found_groups(rng, right, held_out):
    """Share, mean and spread that are found of right pairs planted among 600 wrong ones."""
    height = np.concatenate([rng.standard_normal(600), right])
    null = null_density(np.sort(rng.standard_normal(2000)))
    shape = shape_density(np.sort(rng.standard_normal(1000)))
    found = fit_mixture(height, null, held_out, shape)
    return found.share, found.mean, found.spread


def test_two_groups_recovers_a_planted_mixture(rng):
    share, mean, spread = found_groups(rng, rng.normal(4, 1.5, 400), (6.0, 1.0))
    assert (share, mean, spread) == pytest.approx((0.4, 4.0, 1.5), abs=0.25)


def test_densities_sum_to_one(rng):
    null, shape = null_density(rng.standard_normal(200)), shape_density(rng.standard_normal(100))
    assert np.trapezoid(null, GRID) == pytest.approx(1, abs=0.01)
    assert np.trapezoid(shape, SHAPE_GRID) == pytest.approx(1, abs=0.01)


def test_shapes_have_unit_spread(rng):
    """So that smoothing does not widen right pairs a second time."""
    shape = shape_density(rng.exponential(size=300) - 1)
    share = shape / shape.sum()
    assert share @ SHAPE_GRID == pytest.approx(0, abs=0.02)
    assert share @ SHAPE_GRID**2 == pytest.approx(1, abs=0.02)


def test_a_group_that_would_take_in_the_wrong_pairs_is_none(rng):
    """Held-out pairs were far apart and spread wide; here they are near, and must not swallow the wrong ones."""
    share, _, spread = found_groups(rng, rng.normal(3, 1, 400), (9.0, 2.2))
    assert share == pytest.approx(0.4, abs=0.06)
    assert spread < 1.4


def test_ratios_never_fall(rng):
    right, null = np.exp(-0.5 * (GRID - 3) ** 2) + 1e-300, null_density(rng.standard_normal(200))
    assert (np.diff(rising(right, null, 0.5, 3.0)) >= -1e-12).all()


def test_the_null_is_a_weighted_density_with_an_exponential_tail(rng):
    """Twice the weight is as good as twice the value, and beyond the last wrong pair the log density is a line."""
    height = rng.standard_normal(300)
    twice = np.concatenate([height, height[:100]])
    weight = np.where(np.arange(300) < 100, 2.0, 1.0)
    np.testing.assert_allclose(null_density(height, weight), null_density(twice), rtol=1e-6)
    slope = np.diff(np.log(null_density(height)))[GRID[1:] > 2.5]
    np.testing.assert_allclose(slope[:100], slope[0], rtol=1e-6)
    assert slope[0] < 0


def test_exponential_wrong_pairs_keep_their_rate_in_the_tail(rng):
    density = null_density(rng.exponential(1.5, 20_000))
    beyond = (GRID > 6) & (GRID < 20)
    rate = -np.polyfit(GRID[beyond], np.log(density[beyond]), 1)[0]
    assert rate == pytest.approx(1 / 1.5, rel=0.1)


def test_nobody_is_surer_than_the_number_of_wrong_pairs_allows(rng):
    """200 wrong pairs, none of them like a right one: another may still be, once in 402."""
    height = np.concatenate([rng.standard_normal(100), rng.normal(12, 1, 100)])
    null, shape = null_density(rng.standard_normal(200)), shape_density(rng.standard_normal(200))
    sure = fit_mixture(height, null, (12.0, 1.0), shape).probability(np.array([12.0]))[0]
    careful = fit_mixture(height, null, (12.0, 1.0), shape, unseen=0.5 / 201).probability(np.array([12.0]))[0]
    assert sure > 1 - 1e-6
    assert 1 - careful == pytest.approx(1 / 402, rel=0.05)
