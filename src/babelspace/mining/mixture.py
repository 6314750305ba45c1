"""A mixture of right and wrong pairs along one number.

How wrong pairs are distributed is known; of the right ones the shape is, while their share, mean and spread are
estimated from the pairs at hand (Efron 2008, "Microarrays, empirical Bayes and the two-groups model"; the share by
expectation-maximisation as in Saerens, Latinne & Decaestecker 2002).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from babelspace.mining.pair_features import Floats

LEAST, MOST = 0.002, 0.998
# The width of the kernel that smooths wrong pairs, and where an exponential tail begins.
SMOOTHING, TAIL = 0.35, 0.97
GRID, SHAPE_GRID = np.linspace(-4.0, 60.0, 3201), np.linspace(-8.0, 16.0, 2401)
SHAPE_SMOOTHING, BROAD = 0.3, 2.0
# Held-out pairs count like this many pairs at hand, or more where right pairs stand out by less than APART: then the
# documents at hand tell little. Right pairs are never closer to wrong ones, nor more alike, than NEAREST and NARROWEST.
HELD_OUT_WEIGHT, APART, NEAREST, NARROWEST = 5.0, 3.0, 1.0, 0.6
# By what part of their mean right pairs may well be nearer or farther than the held-out ones.
SHIFT = 0.5
# The spread of right pairs is at most this part of their mean, or what it was among held-out pairs.
WIDEST = 0.4
# The mixture may have several solutions: where the search for the mean of right pairs starts.
STARTS = (1.2, 2.5, 4.0, 7.0, 12.0)


def null_density(null: Floats) -> Floats:
    """The density of wrong pairs over GRID: their quantiles smoothed, with an exponential tail to the right."""
    step = GRID[1] - GRID[0]
    counts, _ = np.histogram(np.clip(null, GRID[0], GRID[-1]), bins=np.append(GRID - step / 2, GRID[-1] + step / 2))
    reach = np.arange(-round(4 * SMOOTHING / step), round(4 * SMOOTHING / step) + 1) * step
    kernel = np.exp(-0.5 * (reach / SMOOTHING) ** 2)
    density = np.convolve(counts, kernel / kernel.sum(), mode="same") + 1e-6
    edge = float(np.quantile(null, TAIL))
    beyond = null[null > edge] - edge
    start = int(np.searchsorted(GRID, edge))
    density[start:] = density[start] * np.exp(
        -(GRID[start:] - edge) / max(float(beyond.mean()) if len(beyond) else 0, 0.2)
    )
    density = np.maximum(density, density.max() * 1e-12)
    return density / (density.sum() * step)


def shape_density(shape: Floats) -> Floats:
    """The density of right pairs over SHAPE_GRID, in units of their spread: smoothed, with a broad normal mixed in."""
    distance = (SHAPE_GRID[:, None] - shape) / SHAPE_SMOOTHING
    smooth = np.exp(-0.5 * distance**2).mean(axis=1) / (SHAPE_SMOOTHING * np.sqrt(2 * np.pi))
    broad = np.exp(-0.5 * (SHAPE_GRID / BROAD) ** 2) / (BROAD * np.sqrt(2 * np.pi))
    return 0.95 * smooth + 0.05 * broad


def fit_mixture(height: Floats, null: Floats, mates: tuple[float, float], shape: Floats) -> tuple[float, float, float]:
    """Share, mean and spread of right pairs (of known shape) beside wrong ones (known altogether), by EM."""
    solutions = [_climb(height, null, mates, shape, start) for start in (mates[0], *STARTS)]
    return max(solutions)[1]


def _climb(
    height: Floats, null: Floats, mates: tuple[float, float], shape: Floats, start: float
) -> tuple[float, tuple[float, float, float]]:
    """One solution: its log likelihood and its parameters. Held-out mates count as a few more observations."""
    share, mean, spread = 0.5, start, mates[1]
    weight = HELD_OUT_WEIGHT * max(1.0, (APART / max(mates[0], 0.5)) ** 4)
    for _ in range(300):
        right = share * right_density(height, mean, spread, shape)
        part = right / (right + (1 - share) * null)
        total = float(part.sum())
        fresh = float(np.clip(total / len(height), LEAST, MOST))
        moved = (float(part @ height) + weight * mates[0]) / (total + weight)
        moved = max(moved, NEAREST)
        scatter = float(part @ (height - moved) ** 2) + weight * mates[1] ** 2
        # So wide a group that it takes in the wrong pairs, too, is none.
        widest = moved * max(mates[1] / max(mates[0], NEAREST), WIDEST)
        spread = max(min(float(np.sqrt(scatter / (total + weight))), widest), NARROWEST)
        if abs(fresh - share) + abs(moved - mean) < 1e-5:
            break
        share, mean = fresh, moved
    likelihood = float(np.log(share * right_density(height, mean, spread, shape) + (1 - share) * null).sum())
    # On another subject right pairs may stand out much less: that alone must not speak for there being none.
    broad = max(spread, mates[0] * SHIFT)
    own = -0.5 * ((mean - mates[0]) ** 2 + mates[1] ** 2) / broad**2 - np.log(broad)
    return likelihood + weight * float(own), (share, mean, spread)


def rising(right: Floats, null: Floats, share: float, mean: float) -> Floats:
    """Log likelihood ratios over GRID that never fall: a pair that stands higher is never less probable.

    Below the mean of right pairs, bumps are levelled; above it only the tails of the two densities could make the ratio
    fall, and of these the data tell nothing: it stays as high as it was.
    """
    ratio = np.log(right / null)
    below = int(np.searchsorted(GRID, mean)) + 1
    weights = share * right[:below] + (1 - share) * null[:below]
    ratio[:below] = isotonic_regression(ratio[:below], weights=weights).x
    return np.maximum.accumulate(ratio)


def right_density(values: Floats, mean: float, spread: float, shape: Floats) -> Floats:
    """The density of right pairs."""
    return np.interp((values - mean) / spread, SHAPE_GRID, shape, left=0.0, right=0.0) / spread + 1e-300
