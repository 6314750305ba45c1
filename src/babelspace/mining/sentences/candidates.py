"""Pairs of single sentences that may translate each other, and their rivals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelspace.mining.assignment import linked

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
# A sentence without a rival stands as high above nothing as one with a rival of this score.
NO_RIVAL = -10.0


@dataclass(frozen=True, eq=False)
class SentenceCandidates:
    """Pairs of single sentences with their scores, and how much of either side the other one translates."""

    source: Numbers
    target: Numbers
    score: Floats
    covered: Floats

    def where(self, chosen: Numbers) -> SentenceCandidates:
        """Only some of the pairs, by number."""
        return SentenceCandidates(self.source[chosen], self.target[chosen], self.score[chosen], self.covered[chosen])

    def one_to_one(self) -> Numbers:
        """Pairs by falling score, each sentence once."""
        return linked(self.source, self.target, np.argsort(-self.score, kind="stable"))

    def above_rivals(self) -> Floats:
        """By how much each pair stands above the best other pair of either of its sentences."""
        return np.minimum(_above(self.score, self.source), _above(self.score, self.target))


def _above(score: Floats, owner: Numbers) -> Floats:
    if not len(score):
        return np.zeros(0)
    order = np.lexsort((-score, owner))
    first = np.ones(len(order), bool)
    first[1:] = np.diff(owner[order]) != 0
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, len(order)))
    second = np.where(sizes > 1, score[order][np.minimum(starts + 1, len(order) - 1)], NO_RIVAL)
    rival = np.where(first, np.repeat(second, sizes), np.repeat(score[order][starts], sizes))
    result = np.empty(len(score))
    result[order] = score[order] - rival
    return result
