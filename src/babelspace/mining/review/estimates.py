"""What verdicts on some pairs say about all of them: probabilities, a cut, precision with an interval, agreement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from babelspace.mining.audit import Recalibration, recalibrate
from babelspace.mining.precision import cut
from babelspace.mining.review.verdict_log import LATER, RIGHT, Votes

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


# The part of a random sample, beyond one pair, that may wait for its verdict.
MISSING = 0.1


@dataclass(frozen=True)
class Share:
    """`right` of `count`, and between which shares the truth is 19 times out of 20 (Clopper & Pearson 1934).

    `missing` more were drawn that nobody has judged yet; the interval holds whatever they are.

    >>> Share(47, 50).value, [round(edge, 3) for edge in Share(47, 50).interval]
    (0.94, [0.835, 0.987])
    """

    right: int
    count: int
    missing: int = 0

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.right / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float]:
        """From 0 to 1 where nothing is known."""
        drawn = self.count + self.missing
        if not drawn:
            return 0.0, 1.0
        most = self.right + self.missing
        low = betaincinv(self.right, drawn - self.right + 1, 0.025) if self.right else 0.0
        high = betaincinv(most + 1, drawn - most, 0.975) if most < drawn else 1.0
        return float(low), float(high)


@dataclass(frozen=True)
class Agreement:
    """How two reviewers judged the `pairs` that both did: the same on a share `raw`, and Cohen's (1960) kappa.

    Kappa is None where both always said the same word: chance alone would agree, too.
    """

    one: str
    other: str
    pairs: int
    raw: float
    kappa: float | None


@dataclass(frozen=True)
class Belief:
    """What is believed of all pairs after some verdicts.

    `probability` is what matching said, `moved` the same as the verdicts would have it, `known` 1 for pairs judged
    right, 0 for wrong, NaN for all others; the first `above` pairs are above the cut.
    """

    probability: Floats
    moved: Floats
    known: Floats
    above: int
    recalibration: Recalibration

    @classmethod
    def of(cls, probability: Floats, verdicts: Mapping[int, bool], precision: float) -> Belief:
        """From probabilities, highest first, and whether some pairs are right."""
        known = np.full(len(probability), np.nan)
        places = np.fromiter(verdicts, np.int64, len(verdicts))
        known[places] = np.fromiter(verdicts.values(), np.float64, len(verdicts))
        learned = recalibrate(probability[places], known[places])
        moved = learned.probability(probability)
        return cls(probability, moved, known, len(cut(moved, precision)), learned)

    def accepted(self) -> Numbers:
        """Places of the pairs above the cut that nobody found wrong, and of those below that were judged right."""
        places = np.arange(len(self.probability))
        return np.flatnonzero((self.known == 1) | ((places < self.above) & np.isnan(self.known)))

    def expected(self, places: Numbers) -> Floats:
        """Chances of pairs to be right: certain where they were judged."""
        known = self.known[places]
        return np.where(np.isnan(known), self.moved[places], known)

    def observed(self, order: Numbers) -> Share:
        """Right pairs in the random sample of those above the cut.

        The sample is the longest beginning of the random `order` of which hardly any waits for its verdict. Whatever
        else was judged does not count, because it was not drawn. Where the cut moves, pairs above it still stand in
        random order; those that came in are judged next.
        """
        known = self.known[order[order < self.above]]
        missing = np.cumsum(np.isnan(known))
        enough = np.flatnonzero((missing <= 1 + MISSING * np.arange(len(known))) & ~np.isnan(known))
        if not len(enough):
            return Share(0, 0)
        last = int(enough[-1])
        return Share(int(np.nansum(known[: last + 1])), last + 1 - int(missing[last]), int(missing[last]))


def agreements(votes: Votes) -> list[Agreement]:
    """Of every two reviewers who judged the same pairs."""
    judged = {
        name: {place: entry.verdict == RIGHT for place, entry in found.items() if entry.verdict != LATER}
        for name, found in sorted(votes.current.items())
    }
    found = []
    for one, other in combinations(judged, 2):
        both = sorted(judged[one].keys() & judged[other].keys())
        if both:
            left, right = ([judged[name][place] for place in both] for name in (one, other))
            found.append(Agreement(one, other, len(both), *_raw_and_kappa(np.array(left), np.array(right))))
    return found


def _raw_and_kappa(left: NDArray[np.bool_], right: NDArray[np.bool_]) -> tuple[float, float | None]:
    raw = float(np.mean(left == right))
    chance = float(left.mean() * right.mean() + (1 - left.mean()) * (1 - right.mean()))
    return raw, None if chance > 1 - 1e-12 else (raw - chance) / (1 - chance)
