"""Probabilities that mean what they say: learned from held-out pairs, some of whose mates are taken away.

A logistic regression weighs the features of every candidate into one score, by which documents are assigned. How an
assigned pair stands above its rivals (`evidence.gaps`) is then one number, in units that make wrong pairs look alike in
all piles, small or large, of the training's subject or not: how they are distributed is learned once. Right pairs are
not alike, and what share of the documents has a mate is not known either; both are estimated from the piles at hand, as
the second part of a mixture (Efron 2008, "Microarrays, empirical Bayes and the two-groups model"; the share by
expectation-maximisation as in Saerens, Latinne & Decaestecker 2002).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit

from babelspace.errors import ParameterError
from babelspace.retrieval.assignment import one_to_one
from babelspace.retrieval.evidence import FEATURES, Evidence, Floats, Numbers, Pile, gaps, gather
from babelspace.runtime import progress
from babelspace.runtime.seeds import generator

# Fewer held-out pairs than this say too little.
FEWEST_PAIRS = 25
# More are not needed, and each costs time.
MOST_PAIRS = 2_000
# Shares of the documents that lose their mate in the simulated piles.
SHARES = (0.25, 0.5, 0.75)
RIDGE = 1.0
LEAST, MOST = 0.002, 0.998
# Quantiles by which the distribution of wrong pairs is remembered, and the width of the kernel that smooths them.
QUANTILES, SMOOTHING = 200, 0.35
# Where the smoothed distribution of wrong pairs ends and an exponential tail begins.
TAIL = 0.97
GRID, SHAPE_GRID = np.linspace(-4.0, 60.0, 3201), np.linspace(-8.0, 16.0, 2401)
SHAPE_SMOOTHING, BROAD = 0.3, 2.0
# Held-out pairs count like this many pairs at hand, or more where right pairs stand out by less than APART: then the
# pile at hand tells little. Right pairs are never closer to wrong ones, nor more alike, than NEAREST and NARROWEST.
HELD_OUT_WEIGHT, APART, NEAREST, NARROWEST = 5.0, 3.0, 1.0, 0.6
# The mixture may have several solutions: where the search for the mean of right pairs starts.
STARTS = (1.2, 2.5, 4.0, 7.0, 12.0)


@dataclass(frozen=True)
class Calibration:
    """What was learned from held-out pairs.

    `weights`: the constant, then one for each feature of a candidate. `direction`: weights of the gaps. `null_scale`:
    mean and spread of wrong pairs along it; `null`: quantiles of wrong pairs in that unit. `mates`: mean and spread of
    right pairs in it; `shape`: their quantiles in units of that spread. `pairs` counts the held-out pairs.
    """

    weights: tuple[float, ...]
    direction: tuple[float, ...]
    null_scale: tuple[float, float]
    null: tuple[float, ...]
    mates: tuple[float, float]
    shape: tuple[float, ...]
    pairs: int

    def fuse(self, evidence: Evidence, use: Sequence[str] = FEATURES) -> Floats:
        """One score for each candidate; features that are not used count as average."""
        used = np.array([name in use for name in FEATURES])
        return self.weights[0] + evidence.features @ (np.array(self.weights[1:]) * used)

    def probabilities(self, gap: Floats) -> Floats:
        """Probability that each pair of an assignment is right, given the gaps of all of them."""
        if not len(gap):
            return np.zeros(0)
        height = np.clip((gap @ np.array(self.direction) - self.null_scale[0]) / self.null_scale[1], GRID[0], GRID[-1])
        null, shape = null_density(np.array(self.null)), shape_density(np.array(self.shape))
        share, mean, spread = two_groups(height, np.interp(height, GRID, null), self.mates, shape)
        ratio = _rising(_right(GRID, mean, spread, shape), null, share, mean)
        return expit(np.interp(height, GRID, ratio) + logit(share))

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"features": list(FEATURES), **asdict(self)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Calibration:
        """From JSON; one of other features cannot be used."""
        if list(stored.get("features", ())) != list(FEATURES):
            raise ParameterError(
                "the model's calibration was learned by another version. Fit the model again, or give pairs with "
                "--calibrate."
            )
        lists = ("weights", "direction", "null_scale", "null", "mates", "shape")
        parts: dict[str, Any] = {name: tuple(map(float, stored[name])) for name in lists}
        return cls(**parts, pairs=int(stored["pairs"]))


def assign(evidence: Evidence, fused: Floats) -> Numbers:
    """The best one-to-one choice. Every pair above the lowest fifth of candidates is worth something."""
    floor = float(np.quantile(fused, 0.2)) if len(fused) else 0.0
    return one_to_one(evidence.source, evidence.target, fused - floor, evidence.sources, evidence.targets)


def learn(left: Pile, right: Pile, seed: int = 0) -> Calibration:
    """Learn from piles whose rows are mates, by matching parts of them after taking mates away."""
    known = np.flatnonzero(left.vectors.valid & right.vectors.valid)
    if len(known) < FEWEST_PAIRS:
        raise ParameterError(
            f"{len(known)} pairs are too few to learn probabilities from; {FEWEST_PAIRS} or more are needed. Hold out "
            "more rows (fit --holdout .2), or give more pairs with --calibrate."
        )
    rng = generator(seed)
    known = np.sort(rng.permutation(known)[:MOST_PAIRS])
    with progress.task(f"calibrating on {len(known):,} pairs"):
        piles = [
            simulated(left, right, known, share, size, rng)
            for share in SHARES
            for size in (len(known), len(known) // 2)
        ]
        weights = logistic(np.vstack([e.features for e, _ in piles]), np.concatenate([right for _, right in piles]))
        return _learn_gaps(piles, weights, len(known))


def simulated(
    left: Pile, right: Pile, known: Numbers, share: float, size: int, rng: np.random.Generator
) -> tuple[Evidence, NDArray[np.bool_]]:
    """Candidates between parts of two aligned piles in which `share` of each side has no mate; which are right."""
    rows = rng.permutation(known)[: max(size, 4)]
    mates = max(2, round(len(rows) * (1 - share) / (1 + share)))
    alone = (len(rows) - mates) // 2
    source = np.sort(rows[: mates + alone])
    target = np.sort(np.concatenate([rows[:mates], rows[mates + alone : mates + 2 * alone]]))
    evidence = gather(left.select(source), right.select(target), approximate=False)
    return evidence, source[evidence.source] == target[evidence.target]


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


def two_groups(height: Floats, null: Floats, mates: tuple[float, float], shape: Floats) -> tuple[float, float, float]:
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
        right = share * _right(height, mean, spread, shape)
        part = right / (right + (1 - share) * null)
        total = float(part.sum())
        fresh = float(np.clip(total / len(height), LEAST, MOST))
        moved = (float(part @ height) + weight * mates[0]) / (total + weight)
        moved = max(moved, NEAREST)
        scatter = float(part @ (height - moved) ** 2) + weight * mates[1] ** 2
        # So wide a group that it takes in the wrong pairs, too, is none.
        widest = max(mates[1], moved / 3)
        spread = min(max(float(np.sqrt(scatter / (total + weight))), NARROWEST), widest)
        if abs(fresh - share) + abs(moved - mean) < 1e-5:
            break
        share, mean = fresh, moved
    likelihood = float(np.log(share * _right(height, mean, spread, shape) + (1 - share) * null).sum())
    own = -0.5 * ((mean - mates[0]) ** 2 + mates[1] ** 2) / spread**2 - np.log(spread)
    return likelihood + weight * float(own), (share, mean, spread)


def _rising(right: Floats, null: Floats, share: float, mean: float) -> Floats:
    """Log likelihood ratios over GRID that never fall: a pair that stands higher is never less probable.

    Below the mean of right pairs, bumps are levelled; above it only the tails of the two densities could make the ratio
    fall, and of these the data tell nothing: it stays as high as it was.
    """
    ratio = np.log(right / null)
    below = int(np.searchsorted(GRID, mean)) + 1
    weights = share * right[:below] + (1 - share) * null[:below]
    ratio[:below] = isotonic_regression(ratio[:below], weights=weights).x
    return np.maximum.accumulate(ratio)


def _right(values: Floats, mean: float, spread: float, shape: Floats) -> Floats:
    """The density of right pairs."""
    return np.interp((values - mean) / spread, SHAPE_GRID, shape, left=0.0, right=0.0) / spread + 1e-300


def logistic(features: Floats, right: NDArray[Any], offset: Floats | float = 0.0) -> Floats:
    """Ridge logistic regression by Newton's method: the constant, then a weight for each column."""
    mean, spread = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    design = np.column_stack([np.ones(len(features)), (features - mean) / spread])
    penalty = np.full(design.shape[1], RIDGE)
    penalty[0] = 1e-6
    weights = np.zeros(design.shape[1])
    for _ in range(100):
        chance = expit(design @ weights + offset)
        slope = design.T @ (right - chance) - penalty * weights
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        weights += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-8:
            break
    weights[1:] /= spread
    weights[0] -= weights[1:] @ mean
    return weights


def _learn_gaps(piles: Sequence[tuple[Evidence, NDArray[np.bool_]]], weights: Floats, pairs: int) -> Calibration:
    """The direction that tells right from wrong best, with each pile's own odds taken out, and both groups along it."""
    found, rights, offsets = [], [], []
    for evidence, right in piles:
        fused = weights[0] + evidence.features @ weights[1:]
        chosen = assign(evidence, fused)
        found.append(gaps(evidence, fused)[chosen])
        rights.append(right[chosen])
        odds = logit(np.clip(right[chosen].mean() if len(chosen) else 0.5, 0.01, 0.99))
        offsets.append(np.full(len(chosen), odds))
    gap, correct = np.vstack(found), np.concatenate(rights)
    # Standing higher never speaks against a pair.
    direction = np.maximum(logistic(gap, correct, np.concatenate(offsets))[1:], 0.02)
    height = gap @ direction
    wrong = height[~correct] if (~correct).any() else height
    scale = float(wrong.mean()), max(float(wrong.std()), 1e-6)
    null = np.quantile((wrong - scale[0]) / scale[1], (np.arange(QUANTILES) + 0.5) / QUANTILES)
    mates = (height[correct] - scale[0]) / scale[1] if correct.any() else np.array([2.0, 4.0])
    mean, spread = float(mates.mean()), max(float(mates.std()), NARROWEST)
    shape = np.quantile((mates - mean) / spread, (np.arange(QUANTILES // 2) + 0.5) / (QUANTILES // 2))
    return Calibration(
        tuple(map(float, weights)),
        tuple(map(float, direction)),
        scale,
        tuple(round(float(value), 4) for value in null),
        (mean, spread),
        tuple(round(float(value), 4) for value in shape),
        pairs,
    )
