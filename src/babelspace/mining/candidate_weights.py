"""Weights by which the right candidate of a document comes first among its own candidates.

A conditional logit (McFadden 1974, "Conditional logit analysis of qualitative choice behavior"): a document chooses
candidate c with probability exp(w · x_c) / Σ exp(w · x_d) over its list. What all candidates of a document have in
common cancels out, so that dense neighbourhoods and sparse ones, subjects and languages are weighed alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from babelspace.mining.pair_features import Floats, Numbers, PairFeatures
from babelspace.mining.tuned_settings import SETTINGS

STEPS, CLOSE = 20, 1e-4


@dataclass(frozen=True)
class CandidateLists:
    """Candidates of several documents one after the other, where each list starts, and how much each document counts.

    `chosen` is the weighted sum of the features of the chosen candidates.
    """

    features: Floats
    starts: Numbers
    weight: Floats
    chosen: Floats

    def expected(self, weights: Floats) -> tuple[float, Floats, Floats]:
        """Sum of the logarithms of all lists' Σ exp(w · x), the mean features of choices, and their covariance."""
        score = self.features @ weights
        lengths = np.diff(np.append(self.starts, len(score)))
        top = np.maximum.reduceat(score, self.starts)
        parts = np.exp(score - np.repeat(top, lengths))
        sums = np.add.reduceat(parts, self.starts)
        parts *= np.repeat(1 / sums, lengths)
        means = np.add.reduceat(parts[:, None] * self.features, self.starts, axis=0)
        heavy = parts * np.repeat(self.weight, lengths)
        spread = (self.features * heavy[:, None]).T @ self.features - (means * self.weight[:, None]).T @ means
        return float(self.weight @ (np.log(sums) + top)), self.weight @ means, spread


def candidate_lists(candidates: PairFeatures, chosen: Numbers, weight: Floats) -> list[CandidateLists]:
    """The lists of the sources and of the targets of chosen candidates, each document chosen once at most."""
    heavy = np.flatnonzero(weight > SETTINGS.least_weight)
    heavy = heavy[:: max(1, -(-len(heavy) // SETTINGS.most_lists))]
    chosen, weight = chosen[heavy], weight[heavy]
    found = []
    for group, count in ((candidates.source, candidates.sources), (candidates.target, candidates.targets)):
        counts = np.zeros(count)
        counts[group[chosen]] = weight
        inside = np.flatnonzero(counts[group] > 0)
        inside = inside[np.argsort(group[inside], kind="stable")]
        own = group[inside]
        starts = np.flatnonzero(np.diff(own, prepend=-1))
        if len(starts):
            found.append(
                CandidateLists(
                    candidates.features[inside], starts, counts[own[starts]], weight @ candidates.features[chosen]
                )
            )
    return found


def ranking_weights(lists: Sequence[CandidateLists], towards: Floats, ridge: float) -> Floats:
    """The most probable weights, drawn `towards` others, by Newton's method.

    The ridge is in units of the candidates' spread, so that it means the same for every feature.
    """
    if not lists:
        return towards
    spread = np.maximum(np.vstack([part.features for part in lists]).std(axis=0), 1e-9)
    scaled = [CandidateLists(part.features / spread, part.starts, part.weight, part.chosen / spread) for part in lists]
    home = towards * spread
    weights = home.copy()
    value, slope, curvature = _at(scaled, weights, home, ridge)
    for _ in range(STEPS):
        step = np.linalg.solve(curvature, slope)
        fresh = _at(scaled, weights + step, home, ridge)
        while fresh[0] < value - 1e-9 and np.abs(step).max() > CLOSE:
            step /= 2
            fresh = _at(scaled, weights + step, home, ridge)
        weights = weights + step
        value, slope, curvature = fresh
        if np.abs(step).max() < CLOSE:
            break
    return weights / spread


def _at(lists: Sequence[CandidateLists], weights: Floats, home: Floats, ridge: float) -> tuple[float, Floats, Floats]:
    """The penalised log likelihood, its slope, and its curvature turned positive."""
    away = weights - home
    value, slope = -0.5 * ridge * float(away @ away), -ridge * away
    curvature = ridge * np.eye(len(weights))
    for part in lists:
        logarithms, means, spread = part.expected(weights)
        value += float(part.chosen @ weights) - logarithms
        slope = slope + part.chosen - means
        curvature = curvature + spread
    return value, slope, curvature
