"""Probabilities that mean what they say: learned from held-out pairs, and from the documents at hand.

Two scores weigh the features of a candidate: one ranks it among the candidates of its own documents
(`candidate_ranking`), the other, a logistic regression, says how high it stands among all. By the first, documents are
assigned. How an assigned pair stands above its rivals and among all pairs (`pair_features.gaps`) is then one number,
its height. How high wrong pairs stand depends on how alike, how many and how lonely the documents are: decoys among the
documents at hand tell it (`decoys`). What share of the pairs is right, and how high right ones stand, is estimated from
the documents at hand, too, as the other part of a mixture (`mixture`).

What speaks for a pair changes with the subject: far from the training's, names and numbers say more than vectors. So
probable pairs and decoys teach all scores anew, a few times, from what was learned before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from babelspace.errors import ParameterError
from babelspace.mining.assignment import competitive, one_to_one
from babelspace.mining.candidate_weights import candidate_lists, ranking_weights
from babelspace.mining.cohort import Cohort
from babelspace.mining.decoys import Decoys, make_decoys
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
from babelspace.mining.pair_probabilities import Heights, fit_heights
from babelspace.mining.regression import logistic
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.runtime import progress
from babelspace.runtime.seeds import generator

Gaps = tuple[tuple[float, ...], ...]
Scores = tuple[Floats, Floats]


@dataclass(frozen=True)
class JudgedPairs:
    """An assignment: places of the pairs among the candidates, their gaps, and the probability of each to be right.

    `heights` is what the probabilities were made with.
    """

    pairs: Numbers
    gap: Floats
    probability: Floats
    heights: Heights | None

    def interval(self, places: Numbers) -> tuple[float, float]:
        """Between which shares of some of the pairs are right, 19 times out of 20."""
        return (0.0, 1.0) if self.heights is None else self.heights.precision_interval(self.gap[places])


@dataclass(frozen=True)
class Calibration:
    """What was learned from held-out pairs.

    `ranking`: weights of the features within the candidates of a document. `weights`: among all candidates, the
    constant first. `direction`: weights of the gaps. `right`, `wrong`: gaps of held-out pairs. `pairs` counts them.
    `cohort`: held-out documents that stand beside few documents at hand.
    """

    ranking: tuple[float, ...]
    weights: tuple[float, ...]
    direction: tuple[float, ...]
    right: Gaps
    wrong: Gaps
    pairs: int
    cohort: Cohort | None = field(default=None, compare=False)

    def judge(
        self, candidates: PairFeatures, use: Sequence[str] = FEATURES, matched: bool = True, rounds: int | None = None
    ) -> JudgedPairs:
        """Assign (one to one if `matched`, else each source its best) and say how probable every pair is.

        Features that are not used count as average.
        """
        used = np.array([name in use for name in FEATURES])
        known = replace(candidates, features=np.where(used, candidates.features, 0.0))
        scores: Scores = (np.array(self.ranking) * used, np.array(self.weights) * np.append(True, used))
        heights: Heights | None = None
        rounds = SETTINGS.rounds if rounds is None else rounds
        for number in range(rounds if len(candidates) else 0):
            pairs, gap = _chosen(known, scores, greedy=True, at_hand=True)
            heights = self._heights(known, scores, pairs, gap[pairs], heights, True, number, greedy=True)
            scores = self._adapted(known, pairs, heights.probability(gap[pairs]), used)
        pairs, gap = _chosen(known, scores, matched=matched, at_hand=True)
        if not len(pairs):
            return JudgedPairs(pairs, gap[pairs], np.zeros(0), None)
        # Twice: which pairs are probable decides on the decoys, and these on how probable pairs are.
        for number in range(2):
            heights = self._heights(known, scores, pairs, gap[pairs], heights, matched, rounds + number)
        assert heights is not None
        return JudgedPairs(pairs, gap[pairs], heights.probability(gap[pairs]), heights)

    def probabilities(self, gap: Floats) -> Floats:
        """Probability that each pair of an assignment is right, by held-out wrong pairs alone."""
        return self.heights(gap, None, Decoys.none()).probability(gap) if len(gap) else np.zeros(0)

    def heights(self, gap: Floats, probability: Floats | None, wrong: Decoys) -> Heights:
        """What makes gaps probabilities, from the gaps of all pairs at hand and of decoys."""
        held_out = np.array(self.right), np.array(self.wrong)
        return fit_heights(gap, probability, wrong, np.array(self.direction), *held_out)

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        names = ("ranking", "weights", "direction", "right", "wrong", "pairs")
        return {"features": list(FEATURES), **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Calibration:
        """From JSON; one of other features cannot be used."""
        lists = ("ranking", "weights", "direction")
        names = (*lists, "right", "wrong", "pairs")
        if list(stored.get("features", ())) != list(FEATURES) or not all(name in stored for name in names):
            raise ParameterError(
                "the model's calibration was learned by another version",
                hint="fit the model again, or give pairs: {calibrate=CORPUS}",
            )
        parts: dict[str, Any] = {name: tuple(map(float, stored[name])) for name in lists}
        rows: dict[str, Any] = {
            name: tuple(tuple(map(float, row)) for row in stored[name]) for name in ("right", "wrong")
        }
        return cls(**parts, **rows, pairs=int(stored["pairs"]))

    def _heights(
        self,
        candidates: PairFeatures,
        scores: Scores,
        pairs: Numbers,
        gap: Floats,
        before: Heights | None,
        matched: bool,
        seed: int,
        greedy: bool = False,
    ) -> Heights:
        """Heights from fresh decoys; which pairs are probable is told by the heights before, or by held-out pairs.

        Decoys are assigned as the pairs were, `greedy` or not: an optimal assignment makes more low pairs.
        """
        probability = self.probabilities(gap) if before is None else before.probability(gap)
        wrong = make_decoys(
            candidates,
            pairs,
            probability,
            lambda fewer: _chosen(fewer, scores, greedy=greedy, matched=matched),
            both_sides=matched,
            most=SETTINGS.round_decoys if greedy else SETTINGS.most_decoys,
            seed=seed,
        )
        return self.heights(gap, probability, wrong if before is None else before.weighed(wrong))

    def _adapted(
        self, candidates: PairFeatures, pairs: Numbers, probability: Floats, used: NDArray[np.bool_]
    ) -> Scores:
        """Both scores as the pairs at hand would have them, if each is right with its probability."""
        lists = candidate_lists(candidates, pairs, probability)
        ranking = ranking_weights(lists, np.array(self.ranking) * used, SETTINGS.home_ridge)
        right = np.zeros(len(candidates))
        right[pairs] = probability
        some = candidates.source % max(1, -(-candidates.sources // SETTINGS.most_lists)) == 0
        home = np.array(self.weights) * np.append(True, used)
        return ranking, logistic(candidates.features[some], right[some], towards=home)


def assign(candidates: PairFeatures, gain: Floats, greedy: bool = False) -> Numbers:
    """The best one-to-one choice of pairs whose gain is above zero, or a quick one."""
    if greedy:
        return competitive(candidates.source, candidates.target, gain)
    return one_to_one(candidates.source, candidates.target, gain, candidates.sources, candidates.targets)


def _chosen(
    candidates: PairFeatures, scores: Scores, *, greedy: bool = False, matched: bool = True, at_hand: bool = False
) -> tuple[Numbers, Floats]:
    """The places of chosen pairs, and the gaps of all candidates.

    `at_hand`: only documents at hand are given to each other; the cohort counts among the rivals.
    """
    fused = candidates.features @ scores[0]
    gap = gaps(candidates, fused, scores[1][0] + candidates.features @ scores[1][1:])
    # A pair above the lowest candidates is worth something.
    floor = float(np.quantile(fused, SETTINGS.floor)) if len(fused) else 0.0
    inside = np.flatnonzero(candidates.is_at_hand(np.arange(len(candidates)))) if at_hand else np.arange(len(fused))
    among = candidates.select(inside)
    if not matched:
        best = ordered(among.source, fused[inside], among.sources, 1)[1][:, 0]
        return inside[best[best >= 0]], gap
    return inside[assign(among, fused[inside] - floor, greedy)], gap


def learn(left: EncodedDocuments, right: EncodedDocuments, seed: int = 0) -> Calibration:
    """Learn from documents of two languages whose rows are mates, by matching some after taking mates away."""
    known = np.flatnonzero(left.vectors.valid & right.vectors.valid)
    if len(known) < SETTINGS.fewest_pairs:
        raise ParameterError(
            f"{len(known)} pairs are too few to learn probabilities from; {SETTINGS.fewest_pairs} or more are needed",
            hint="hold out more rows ({fit_model(holdout=0.2)}), or give more pairs",
        )
    rng = generator(seed)
    known = np.sort(rng.permutation(known)[: SETTINGS.most_pairs])
    with progress.task(f"calibrating on {len(known):,} pairs"):
        simulations = [
            simulated(left, right, known, share, size, rng)
            for share in SETTINGS.shares
            for size in (len(known), len(known) // 2)
        ]
        lists = [
            part
            for candidates, mates in simulations
            for part in candidate_lists(candidates, np.flatnonzero(mates), np.ones(int(mates.sum())))
        ]
        ranking = ranking_weights(lists, np.zeros(len(FEATURES)), SETTINGS.ridge)
        features = np.vstack([candidates.features for candidates, _ in simulations])
        weights = logistic(features, np.concatenate([mates for _, mates in simulations]))
        return _learn_gaps(simulations, ranking, weights, len(known))


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


def _learn_gaps(
    simulations: Sequence[tuple[PairFeatures, NDArray[np.bool_]]], ranking: Floats, weights: Floats, pairs: int
) -> Calibration:
    """The direction that tells right from wrong best, each simulation's own odds taken out, and both kinds of gaps."""
    found, rights, shares, large = [], [], [], []
    most = max(candidates.sources for candidates, _ in simulations)
    for candidates, right in simulations:
        chosen, gap = _chosen(candidates, (ranking, weights))
        found.append(gap[chosen])
        rights.append(right[chosen])
        share = np.clip(right[chosen].mean() if len(chosen) else 0.5, 0.01, 0.99)
        shares.append(np.full(len(chosen), share))
        large.append(np.full(len(chosen), candidates.sources > 0.6 * most))
    gap, correct = np.vstack(found), np.concatenate(rights)
    direction = np.maximum(logistic(gap, correct, logit(np.concatenate(shares)))[1:], SETTINGS.least_direction)
    # Among more rivals all pairs stand out less: the larger simulations are nearer to what will come.
    kept = np.concatenate(large)
    gap, correct = gap[kept], correct[kept]
    wrong = gap[~correct] if (~correct).any() else gap
    right = gap[correct] if correct.any() else wrong.mean(axis=0) + wrong.std(axis=0) * np.array([[2.0], [4.0]])
    return Calibration(
        tuple(map(float, ranking)),
        tuple(map(float, weights)),
        tuple(map(float, direction)),
        _spread_out(right, direction),
        _spread_out(wrong, direction),
        pairs,
    )


def _spread_out(gap: Floats, direction: Floats) -> Gaps:
    """Some of the gaps, evenly along the direction."""
    order = np.argsort(gap @ direction, kind="stable")
    count = min(len(order), SETTINGS.kept_gaps)
    places = ((np.arange(count) + 0.5) / count * len(order)).astype(np.int64)
    return tuple(tuple(round(float(value), 4) for value in row) for row in gap[order[places]])
