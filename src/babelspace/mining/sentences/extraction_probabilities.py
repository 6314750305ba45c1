"""How probable it is that an extracted pair of sentences is right, judged by wrong pairs of the same documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from babelspace.mining.sentences.candidates import SentenceCandidates

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
# Logistic regression on comparable texts made of known pairs (English–Dutch, –Romanian, –French, Czech–Italian,
# Dutch–Italian; a tenth and three tenths parallel): the constant, then the weights of the columns of `_odds`.
CONSTANT, WEIGHTS, SHARE = -6.74, np.array([1.53, 0.36, 5.97]), 0.222
# How often wrong pairs are weighed anew, and how many of them are needed to tell how high they stand.
ROUNDS, FEWEST_WRONG = 3, 1.0
# Heights are counted in cells of this width: a fit costs the same for any number of pairs.
WIDTH, REACH = 0.05, 40.0
# What is believed before these documents tell, chosen on the same texts: the logarithm of the slope (heights are log
# odds among all candidates; chosen pairs are told apart better), and the log odds that a second best pair is right as
# well, each with its standard deviation.
SLOPE, SLOPE_SPREAD, ALSO_RIGHT, ALSO_SPREAD = 0.1, 0.15, -3.5, 1.0
# The same of the height at which right and wrong pairs are equally dense, and of the share of right pairs, which counts
# as much as so many pairs: a handful of sentences must not be surer than many (English–Dutch and –Romanian documents of
# 3 to 100 sentences, one to sixty of them).
SHIFT, SHIFT_SPREAD, USUAL_SHARE, USUAL_PAIRS = 1.2, 0.5, 0.4, 5.0


def probabilities(found: SentenceCandidates, chosen: Numbers) -> Floats:
    """Probability that each chosen pair is right.

    The best of what is left when the chosen pairs are taken away shows how high wrong pairs of these very documents
    stand: those of sentences whose chosen pair is right are what a sentence without a partner would have had. How much
    denser chosen pairs are than these at a height gives the share of wrong ones there (the local false discovery rate
    of Efron 2008), with odds that rise with the height by one slope. Some of the second best are right, too, since the
    same thing is said twice; how many is estimated with the rest.
    """
    if not len(chosen):
        return np.zeros(0)
    height = _odds(found)[chosen]
    probability = _by_share(height)
    others = found.where(np.setdiff1d(np.arange(len(found.source)), chosen))
    second = others.one_to_one()
    wrong = _odds(others)[second]
    for _ in range(ROUNDS):
        sides = [np.zeros(int(side.max()) + 1) for side in (found.source, found.target)]
        sides[0][found.source[chosen]], sides[1][found.target[chosen]] = probability, probability
        weight = np.maximum(sides[0][others.source[second]], sides[1][others.target[second]])
        if weight.sum() < FEWEST_WRONG:
            return probability
        probability = right_shares(height, wrong, weight, float(probability.mean()))
    return probability


def _odds(found: SentenceCandidates) -> Floats:
    """One number that tells right pairs from wrong ones: log odds among pairs of which SHARE are right."""
    columns = [
        np.log1p(np.maximum(found.score, 0)),
        np.clip(found.above_rivals(), -10, 10),
        found.covered,
    ]
    return CONSTANT + np.stack(columns, axis=1) @ WEIGHTS


def _by_share(odds: Floats) -> Floats:
    """Probabilities from log odds, the share of right pairs being found by EM (Saerens et al. 2002)."""
    share = SHARE
    for _ in range(200):
        probability = expit(odds + logit(share) - logit(SHARE))
        fresh = float((probability.sum() + USUAL_PAIRS * USUAL_SHARE) / (len(odds) + USUAL_PAIRS))
        if abs(fresh - share) < 1e-6:
            break
        share = fresh
    return probability


def right_shares(height: Floats, wrong: Floats, weight: Floats, share: float) -> Floats:
    """How probable it is at each height that a chosen pair is right, by the heights of wrong pairs with weights.

    With r the odds of right to wrong of one pair at a height, π the share of right pairs and ε that among the second
    best, chosen pairs are (1 - π + π r) / (1 - ε + ε r) times as dense as second best ones; log r is linear in the
    height.
    """
    edges = np.arange(-REACH, REACH + WIDTH, WIDTH)
    middles = edges[:-1] + WIDTH / 2
    inside = [np.clip(part, -REACH, REACH - WIDTH) for part in (height, wrong)]
    counts = np.histogram(inside[0], edges)[0], np.histogram(inside[1], edges, weights=weight)[0]
    seen = (counts[0] > 0) | (counts[1] > 0)
    middles, chosen, second = middles[seen], counts[0][seen], counts[1][seen]
    balance = np.log(len(height) / weight.sum())

    def loss(settings: Any) -> float:
        slope, shift, right, also = settings
        ratio = np.exp(slope) * middles + shift
        denser = balance + _mixture(right, ratio) - _mixture(also, ratio)
        told = chosen @ np.logaddexp(0, -denser) + second @ np.logaddexp(0, denser)
        return float(told + _unusual(slope, shift, right, also))

    begin = np.array([SLOPE, SHIFT, logit(np.clip(share, 0.01, 0.99)), ALSO_RIGHT])
    best = minimize(loss, begin, method="Nelder-Mead", options={"maxiter": 3_000, "xatol": 1e-3, "fatol": 1e-2}).x
    return expit(np.exp(best[0]) * height + best[1] + best[2])


def _mixture(odds: float, ratio: Floats) -> Floats:
    """log of 1 - s + s exp(ratio), s being the share with these log odds."""
    return np.logaddexp(-np.logaddexp(0, odds), ratio - np.logaddexp(0, -odds))


def _unusual(slope: float, shift: float, right: float, also: float) -> float:
    """How much speaks against settings before documents are seen: - log of their densities."""
    away = (slope - SLOPE) / SLOPE_SPREAD, (shift - SHIFT) / SHIFT_SPREAD, (also - ALSO_RIGHT) / ALSO_SPREAD
    share = USUAL_SHARE * np.logaddexp(0, -right) + (1 - USUAL_SHARE) * np.logaddexp(0, right)
    return float(sum(one**2 for one in away) / 2 + USUAL_PAIRS * share)
