"""Probabilities that mean what they say: learned from held-out pairs, and fitted to the documents at hand.

Two scores weigh the features of a candidate: one ranks it among the candidates of its own documents
(`candidate_ranking`), the other, a logistic regression, says how high it stands among all. By the first, documents are
assigned. How an assigned pair stands above its rivals (`pair_features.gaps`) and among all pairs is then one number, in
units that make wrong pairs look alike among documents few or many, of the training's subject or not: how they are
distributed is learned once. Right pairs are not alike, and what share of the documents has a mate is not known either;
both are estimated from the documents at hand, as the second part of a mixture (`mixture`).

What speaks for a pair changes with the subject, too: far from the training's, names and numbers say more than vectors.
So the probable pairs of the documents at hand teach both scores anew, a few times, from what was learned before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from babelspace.errors import ParameterError
from babelspace.mining.assignment import competitive, one_to_one
from babelspace.mining.candidate_ranking import MOST_LISTS, candidate_lists, ranking_weights
from babelspace.mining.mixture import GRID, NARROWEST, fit_mixture, null_density, right_density, rising, shape_density
from babelspace.mining.pair_features import (
    FEATURES,
    EncodedDocuments,
    Floats,
    Numbers,
    PairFeatures,
    gaps,
    ordered,
    pair_features,
)
from babelspace.runtime import progress
from babelspace.runtime.seeds import generator

# Fewer held-out pairs than this say too little.
FEWEST_PAIRS = 25
# More are not needed, and each costs time.
MOST_PAIRS = 2_000
# Shares of the documents that lose their mate in the simulations.
SHARES = (0.25, 0.5, 0.75)
# Ridges of what is learned from held-out pairs, and of what draws the documents at hand towards it.
RIDGE, HOME_RIDGE = 1.0, 20.0
# Quantiles by which the distribution of wrong pairs is remembered.
QUANTILES = 200
# How often the scores learn from the documents at hand.
ROUNDS = 4


@dataclass(frozen=True)
class Judged:
    """An assignment: places of the pairs among the candidates, their gaps, and the probability of each to be right."""

    pairs: Numbers
    gap: Floats
    probability: Floats


@dataclass(frozen=True)
class Calibration:
    """What was learned from held-out pairs.

    `ranking`: weights of the features within the candidates of a document. `weights`: among all candidates, the
    constant first. `direction`: weights of the gaps. `null_scale`: mean and spread of wrong pairs along it; `null`:
    quantiles of wrong pairs in that unit. `crowd`: the share of right pairs to which these belong, and by how much
    wrong pairs move for each unit of it (the more documents lack a mate, the better the best wrong one). `mates`: mean
    and spread of right pairs; `shape`: their quantiles in units of that spread. `pairs` counts the held-out pairs.
    """

    ranking: tuple[float, ...]
    weights: tuple[float, ...]
    direction: tuple[float, ...]
    null_scale: tuple[float, float]
    null: tuple[float, ...]
    crowd: tuple[float, float]
    mates: tuple[float, float]
    shape: tuple[float, ...]
    pairs: int

    def judge(
        self, candidates: PairFeatures, use: Sequence[str] = FEATURES, matched: bool = True, rounds: int | None = None
    ) -> Judged:
        """Assign (one to one if `matched`, else each source its best) and say how probable every pair is.

        Features that are not used count as average.
        """
        used = np.array([name in use for name in FEATURES])
        known = replace(candidates, features=np.where(used, candidates.features, 0.0))
        scores = (np.array(self.ranking) * used, np.array(self.weights) * np.append(True, used))
        for _ in range((ROUNDS if rounds is None else rounds) if len(candidates) else 0):
            pairs = assign(known, known.features @ scores[0], greedy=True)
            gap = self._gaps(known, scores)[pairs]
            scores = self._adapted(known, pairs, self.probabilities(gap), used)
        fused = known.features @ scores[0]
        pairs = assign(known, fused) if matched else best_of_sources(known, fused)
        gap = self._gaps(known, scores)[pairs]
        return Judged(pairs, gap, self.probabilities(gap))

    def probabilities(self, gap: Floats) -> Floats:
        """Probability that each pair of an assignment is right, given the gaps of all of them."""
        if not len(gap):
            return np.zeros(0)
        height = np.clip((gap @ np.array(self.direction) - self.null_scale[0]) / self.null_scale[1], GRID[0], GRID[-1])
        typical, shape = null_density(np.array(self.null)), shape_density(np.array(self.shape))
        share, _, _ = fit_mixture(height, np.interp(height, GRID, typical), self.mates, shape)
        # One step only: a share and wrong pairs that follow each other run away where right and wrong are close.
        null = np.interp(GRID - self.crowd[1] * (share - self.crowd[0]), GRID, typical)
        share, mean, spread = fit_mixture(height, np.interp(height, GRID, null), self.mates, shape)
        ratio = rising(right_density(GRID, mean, spread, shape), null, share, mean)
        return expit(np.interp(height, GRID, ratio) + logit(share))

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"features": list(FEATURES), **asdict(self)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Calibration:
        """From JSON; one of other features cannot be used."""
        lists = ("ranking", "weights", "direction", "null_scale", "null", "crowd", "mates", "shape")
        if list(stored.get("features", ())) != list(FEATURES) or not all(name in stored for name in lists):
            raise ParameterError(
                "the model's calibration was learned by another version",
                hint="fit the model again, or give pairs: {calibrate=CORPUS}",
            )
        parts: dict[str, Any] = {name: tuple(map(float, stored[name])) for name in lists}
        return cls(**parts, pairs=int(stored["pairs"]))

    def _gaps(self, candidates: PairFeatures, scores: tuple[Floats, Floats]) -> Floats:
        return gaps(candidates, candidates.features @ scores[0], scores[1][0] + candidates.features @ scores[1][1:])

    def _adapted(
        self, candidates: PairFeatures, pairs: Numbers, probability: Floats, used: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Both scores as the pairs at hand would have them, if each is right with its probability."""
        lists = candidate_lists(candidates, pairs, probability)
        ranking = ranking_weights(lists, np.array(self.ranking) * used, HOME_RIDGE)
        right = np.zeros(len(candidates))
        right[pairs] = probability
        some = candidates.source % max(1, -(-candidates.sources // MOST_LISTS)) == 0
        home = np.array(self.weights) * np.append(True, used)
        return ranking, logistic(candidates.features[some], right[some], towards=home)


def assign(candidates: PairFeatures, fused: Floats, greedy: bool = False) -> Numbers:
    """The best one-to-one choice, or a quick one. A pair above the lowest fifth of candidates is worth something."""
    floor = float(np.quantile(fused, 0.2)) if len(fused) else 0.0
    if greedy:
        return competitive(candidates.source, candidates.target, fused - floor)
    return one_to_one(candidates.source, candidates.target, fused - floor, candidates.sources, candidates.targets)


def best_of_sources(candidates: PairFeatures, fused: Floats) -> Numbers:
    """The best candidate of each source."""
    best = ordered(candidates.source, fused, candidates.sources, 1)[1][:, 0]
    return best[best >= 0]


def learn(left: EncodedDocuments, right: EncodedDocuments, seed: int = 0) -> Calibration:
    """Learn from documents of two languages whose rows are mates, by matching parts of them after taking mates away."""
    known = np.flatnonzero(left.vectors.valid & right.vectors.valid)
    if len(known) < FEWEST_PAIRS:
        raise ParameterError(
            f"{len(known)} pairs are too few to learn probabilities from; {FEWEST_PAIRS} or more are needed",
            hint="hold out more rows ({fit_model(holdout=0.2)}), or give more pairs",
        )
    rng = generator(seed)
    known = np.sort(rng.permutation(known)[:MOST_PAIRS])
    with progress.task(f"calibrating on {len(known):,} pairs"):
        simulations = [
            simulated(left, right, known, share, size, rng)
            for share in SHARES
            for size in (len(known), len(known) // 2)
        ]
        return learn_from(simulations, len(known))


def learn_from(simulations: Sequence[tuple[PairFeatures, NDArray[np.bool_]]], pairs: int) -> Calibration:
    """Learn from the candidates of several simulations, of which it is known which are right."""
    lists = [
        part
        for e, right in simulations
        for part in candidate_lists(e, np.flatnonzero(right), np.ones(int(right.sum())))
    ]
    ranking = ranking_weights(lists, np.zeros(len(FEATURES)), RIDGE)
    weights = logistic(
        np.vstack([e.features for e, _ in simulations]), np.concatenate([right for _, right in simulations])
    )
    return _learn_gaps(simulations, ranking, weights, pairs)


def simulated(
    left: EncodedDocuments, right: EncodedDocuments, known: Numbers, share: float, size: int, rng: np.random.Generator
) -> tuple[PairFeatures, NDArray[np.bool_]]:
    """Candidates among some aligned documents of which `share` on each side has no mate; which of them are right."""
    rows = rng.permutation(known)[: max(size, 4)]
    mates = max(2, round(len(rows) * (1 - share) / (1 + share)))
    alone = (len(rows) - mates) // 2
    source = np.sort(rows[: mates + alone])
    target = np.sort(np.concatenate([rows[:mates], rows[mates + alone : mates + 2 * alone]]))
    candidates = pair_features(left.select(source), right.select(target), approximate=False)
    return candidates, source[candidates.source] == target[candidates.target]


def logistic(
    features: Floats, right: NDArray[Any], offset: Floats | float = 0.0, towards: Floats | None = None
) -> Floats:
    """Ridge logistic regression by Newton's method: the constant, then a weight for each column.

    `right` may be probabilities; the ridge draws the weights `towards` others, or to zero.
    """
    mean, spread = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    design = np.column_stack([np.ones(len(features)), (features - mean) / spread])
    penalty = np.full(design.shape[1], RIDGE if towards is None else HOME_RIDGE)
    penalty[0] = 1e-6
    home = np.zeros(design.shape[1]) if towards is None else np.append(0.0, towards[1:] * spread)
    weights = home.copy()
    for _ in range(100):
        chance = expit(design @ weights + offset)
        slope = design.T @ (right - chance) - penalty * (weights - home)
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        weights += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-8:
            break
    weights[1:] /= spread
    weights[0] -= weights[1:] @ mean
    return weights


def _learn_gaps(
    simulations: Sequence[tuple[PairFeatures, NDArray[np.bool_]]], ranking: Floats, weights: Floats, pairs: int
) -> Calibration:
    """The direction that tells right from wrong best, each simulation's own odds taken out, and both kinds along it."""
    found, rights, shares, large = [], [], [], []
    most = max(candidates.sources for candidates, _ in simulations)
    for candidates, right in simulations:
        fused = candidates.features @ ranking
        chosen = assign(candidates, fused)
        found.append(gaps(candidates, fused, weights[0] + candidates.features @ weights[1:])[chosen])
        rights.append(right[chosen])
        share = np.clip(right[chosen].mean() if len(chosen) else 0.5, 0.01, 0.99)
        shares.append(np.full(len(chosen), share))
        large.append(np.full(len(chosen), candidates.sources > 0.6 * most))
    gap, correct, share = np.vstack(found), np.concatenate(rights), np.concatenate(shares)
    # Standing higher never speaks against a pair.
    direction = np.maximum(logistic(gap, correct, logit(share))[1:], 0.02)
    # Among more rivals all pairs stand out less: the larger simulations are nearer to what will come.
    kept = np.concatenate(large)
    height, correct, share = (gap @ direction)[kept], correct[kept], share[kept]
    wrong, among = (height[~correct], share[~correct]) if (~correct).any() else (height, share)
    typical = float(among.mean())
    away = among - typical
    move = min(0.0, float(away @ wrong) / max(float(away @ away), 1e-9))
    wrong = wrong - move * away
    scale = float(wrong.mean()), max(float(wrong.std()), 1e-6)
    null = np.quantile((wrong - scale[0]) / scale[1], (np.arange(QUANTILES) + 0.5) / QUANTILES)
    mates = (height[correct] - scale[0]) / scale[1] if correct.any() else np.array([2.0, 4.0])
    mean, spread = float(mates.mean()), max(float(mates.std()), NARROWEST)
    shape = np.quantile((mates - mean) / spread, (np.arange(QUANTILES // 2) + 0.5) / (QUANTILES // 2))
    return Calibration(
        tuple(map(float, ranking)),
        tuple(map(float, weights)),
        tuple(map(float, direction)),
        scale,
        tuple(round(float(value), 4) for value in null),
        (typical, move / scale[1]),
        (mean, spread),
        tuple(round(float(value), 4) for value in shape),
        pairs,
    )
