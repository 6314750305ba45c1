"""A mixture of right and wrong pairs along one number, their height.

How wrong pairs are distributed is known (from decoys and held-out pairs); of the right ones the shape is, while their
share, mean and spread are estimated from the pairs at hand (Efron 2008, "Microarrays, empirical Bayes and the
two-groups model"; the share by expectation-maximisation as in Saerens, Latinne & Decaestecker 2002).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit

from babelspace.mining.pair_features import Floats
from babelspace.mining.tuned_settings import SETTINGS

LEAST, MOST = 0.002, 0.998
GRID, SHAPE_GRID = np.linspace(-4.0, 60.0, 3201), np.linspace(-8.0, 16.0, 2401)
STEP = float(GRID[1] - GRID[0])
# A tail is not steeper than this: few decoys tell little about it.
SHORTEST_TAIL = 0.2


@dataclass(frozen=True)
class Mixture:
    """Share, mean and spread of right pairs, and the log likelihood ratio of right to wrong over GRID."""

    share: float
    mean: float
    spread: float
    ratio: Floats

    def likelihood_ratio(self, height: Floats) -> Floats:
        """How much more often right pairs stand there than wrong ones."""
        return np.exp(np.interp(height, GRID, self.ratio))

    def probability(self, height: Floats) -> Floats:
        """How probable pairs of these heights are right."""
        return np.asarray(expit(np.interp(height, GRID, self.ratio) + logit(self.share)), np.float64)

    def with_share_drawn(self, pairs: int, rng: np.random.Generator) -> Mixture:
        """The same with a share that so many pairs leave possible."""
        counted = pairs + 2 * SETTINGS.share_prior
        share = rng.beta(self.share * counted, (1 - self.share) * counted)
        return replace(self, share=float(np.clip(share, LEAST, MOST)))


def null_density(height: Floats, weight: Floats | None = None) -> Floats:
    """The density of wrong pairs over GRID: smoothed, with an exponential tail to the right.

    Beyond the last wrong pair there is nothing to count: there the tail alone says how improbable a wrong pair is.
    """
    weight = np.ones(len(height)) if weight is None else weight
    share = weight / weight.sum()
    places = np.clip(np.round((height - GRID[0]) / STEP).astype(np.int64), 0, len(GRID) - 1)
    counts = np.bincount(places, share, len(GRID))
    reach = np.arange(-round(4 * SETTINGS.smoothing / STEP), round(4 * SETTINGS.smoothing / STEP) + 1) * STEP
    kernel = np.exp(-0.5 * (reach / SETTINGS.smoothing) ** 2)
    density = np.convolve(counts, kernel / kernel.sum(), mode="same") / STEP
    order = np.argsort(height)
    last = min(int(np.searchsorted(np.cumsum(share[order]), SETTINGS.tail)), len(order) - 1)
    edge = float(height[order[last]])
    beyond = height > edge
    mass = float(share[beyond].sum())
    length = max(float(share[beyond] @ (height[beyond] - edge)) / mass if mass else 0.0, SHORTEST_TAIL)
    start = int(np.searchsorted(GRID, edge))
    density[start:] = (mass or 1 - SETTINGS.tail) / length * np.exp(-(GRID[start:] - edge) / length)
    density = np.maximum(density, density.max() * 1e-12)
    return density / (density.sum() * STEP)


def shape_density(shape: Floats) -> Floats:
    """The density of right pairs over SHAPE_GRID, in units of their spread, from held-out ones.

    Smoothed, with a broad normal mixed in, and brought to mean 0 and spread 1 again: spread is estimated from the pairs
    at hand, and what smoothing adds would be counted twice. Elsewhere right pairs may be spread otherwise, so that
    most of it is a normal.
    """
    distance = (SHAPE_GRID[:, None] - shape) / SETTINGS.shape_smoothing
    smooth = normal(distance).mean(axis=1) / SETTINGS.shape_smoothing
    wide = 0.95 * smooth + 0.05 * normal(SHAPE_GRID / SETTINGS.broad) / SETTINGS.broad
    share = wide / wide.sum()
    mean = float(share @ SHAPE_GRID)
    spread = float(np.sqrt(share @ (SHAPE_GRID - mean) ** 2))
    held_out = np.interp(mean + spread * SHAPE_GRID, SHAPE_GRID, wide, left=0.0, right=0.0) * spread
    return (1 - SETTINGS.normal_part) * held_out + SETTINGS.normal_part * normal(SHAPE_GRID)


def normal(values: Floats) -> Floats:
    """The density of the standard normal distribution."""
    return np.exp(-0.5 * np.square(values)) / np.sqrt(2 * np.pi)


def fit_mixture(
    height: Floats,
    null: Floats,
    mates: tuple[float, float],
    shape: Floats,
    *,
    unseen: float = 0.0,
    start: float | None = None,
) -> Mixture:
    """Right pairs (of known shape) beside wrong ones (known altogether, over GRID), by expectation-maximisation.

    `mates` are mean and spread of held-out right pairs. There may be several solutions: the search starts from several
    means, or from `start` alone. `unseen`: the share of wrong pairs that may look just like right ones although none
    of those that are known does, which bounds how sure one can be.
    """
    places = np.clip(np.round((height - GRID[0]) / STEP).astype(np.int64), 0, len(GRID) - 1)
    counts = np.bincount(places, minlength=len(GRID))
    filled = np.flatnonzero(counts)
    observed = GRID[filled], counts[filled].astype(np.float64), null[filled]
    starts = (mates[0], *SETTINGS.starts) if start is None else (start,)
    _, (share, mean, spread) = max(_climb(*observed, mates, shape, first) for first in starts)
    ratio = rising(right_density(GRID, mean, spread, shape), null, share, mean)
    return Mixture(share, mean, spread, -np.log((1 - unseen) * np.exp(-ratio) + unseen))


def _climb(
    height: Floats, count: Floats, null: Floats, mates: tuple[float, float], shape: Floats, start: float
) -> tuple[float, tuple[float, float, float]]:
    """One solution: its log likelihood and its parameters. Held-out mates count as a few more observations."""
    share, mean, spread = 0.5, start, mates[1]
    weight = SETTINGS.held_out_weight * max(1.0, (SETTINGS.apart / max(mates[0], 0.5)) ** 4)
    pairs = float(count.sum())
    for _ in range(300):
        right = share * right_density(height, mean, spread, shape)
        part = count * right / (right + (1 - share) * null)
        total = float(part.sum())
        fresh = float(np.clip((total + SETTINGS.share_prior) / (pairs + 2 * SETTINGS.share_prior), LEAST, MOST))
        moved = (float(part @ height) + weight * mates[0]) / (total + weight)
        moved = max(moved, SETTINGS.nearest_mean)
        scatter = float(part @ (height - moved) ** 2) + weight * mates[1] ** 2
        # So wide a group that it takes in the wrong pairs, too, is none.
        widest = moved * max(mates[1] / max(mates[0], SETTINGS.nearest_mean), SETTINGS.widest)
        spread = max(min(float(np.sqrt(scatter / (total + weight))), widest), SETTINGS.narrowest)
        if abs(fresh - share) + abs(moved - mean) < 1e-5:
            break
        share, mean = fresh, moved
    likelihood = float(count @ np.log(share * right_density(height, mean, spread, shape) + (1 - share) * null))
    # On another subject right pairs may stand out much less: that alone must not speak for there being none.
    broad = max(spread, mates[0] * SETTINGS.shift)
    own = -0.5 * ((mean - mates[0]) ** 2 + mates[1] ** 2) / broad**2 - np.log(broad)
    prior = SETTINGS.share_prior * float(np.log(share) + np.log1p(-share))
    return likelihood + prior + weight * float(own), (share, mean, spread)


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
