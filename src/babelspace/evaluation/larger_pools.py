"""Top-1 among more documents than there are: what the ranks of mates in a small pool say about larger ones.

A rival beats the mate of query i with probability p_i, so the mate is first among N documents with probability
(1 - p_i)^(N - 1). The queries' p_i differ: 1 - p_i = Φ(q_i) with q_i ~ N(μ, τ²), and of the M rivals at hand
Binomial(M, p_i) beat the mate, which is what its rank counts. Both parameters have a wide prior and are integrated out
on a grid, so that a pool in which every mate was first promises no more than it can. Compare Zheng, Achanta & Benjamini
(2018), *Extrapolating expected accuracies for large multi-class problems*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, log_ndtr, logsumexp, ndtr

POOLS = (1_000, 10_000, 100_000)
# The prior of the mean of q (normal) and of its spread (log-normal), and the range in which both are looked for.
PRIOR_MEAN, PRIOR_SPREAD = (4.0, 1.5), (1.0, 0.35)
RANGE = ((0.0, 9.0), (0.2, 3.0))
GRID = (37, 21)
# What is so much less likely than the best, in logarithms, does not count.
NEGLIGIBLE = 10.0
INTERVAL = 0.9
# Of mates that more rivals beat it only counts that they are so far: the queries that a larger pool decides about are
# those whose mates are near the top, and a normal distribution need not hold far from there (3, 5, 10 and all tried by
# benchmarks/measure/larger_pools.py).
FAR = 3
TINY = np.finfo(np.float64).tiny
# Values of q over which is summed, close enough for the narrow likelihoods of ten thousand rivals.
Q = np.arange(-6.0, 14.0, 0.02)
BEATEN, KEPT = log_ndtr(-Q), log_ndtr(Q)


@dataclass(frozen=True)
class ExpectedTop1:
    """The expected Top-1 among a number of documents, and between what it lies with a probability of 90 %."""

    top1: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float]:
        """As JSON."""
        return asdict(self)


def expected_top1(
    ranks: Mapping[str, NDArray[np.int64]], rows: int, pools: Sequence[int] = POOLS
) -> dict[int, ExpectedTop1]:
    """Top-1 to expect among each number of documents that is larger than the largest pool at hand.

    Parameters
    ----------
    ranks : of the mates in each direction, among as many documents as there are ranks
    rows : how many rows all directions have in common; they count once, because they are not independent

    Examples
    --------
    >>> import numpy as np
    >>> all_found = {"en->es": np.ones(200, int), "es->en": np.ones(200, int)}
    >>> {pool: round(found.top1, 2) for pool, found in expected_top1(all_found, 200).items()}
    {1000: 0.99, 10000: 0.98, 100000: 0.93}
    """
    largest = max(len(found) for found in ranks.values())
    asked = [pool for pool in pools if pool > largest]
    if not asked or largest < 2:
        return {}
    queries = sum(len(found) for found in ranks.values())
    # A document without a known word, or whose mate has none, is last in any pool.
    lost = sum(int(np.count_nonzero(found == len(found))) for found in ranks.values() if len(found) > 2)
    beaten = [(np.minimum(found[found < len(found)] - 1, FAR), len(found) - 1) for found in ranks.values()]
    grid = _Grid(*RANGE)
    posterior = grid.posterior(beaten, rows / queries)
    # Many ranks leave less than a step of the first grid.
    grid = grid.around(posterior > posterior.max() - NEGLIGIBLE)
    posterior = grid.posterior(beaten, rows / queries)
    weights = np.exp(posterior - logsumexp(posterior))
    return {pool: grid.expected(weights, pool, 1 - lost / queries) for pool in asked}


class _Grid:
    """Means and spreads of q that are tried."""

    def __init__(self, means: tuple[float, float], spreads: tuple[float, float]) -> None:
        self.means, self.spreads = np.linspace(*means, GRID[0]), np.geomspace(*spreads, GRID[1])
        apart = (Q - self.means[:, None, None]) / self.spreads[None, :, None]
        density = np.exp(-0.5 * apart**2)
        self.density = density / density.sum(axis=2, keepdims=True)

    def around(self, likely: NDArray[np.bool_]) -> _Grid:
        """A finer one, over what is likely and one step around it."""
        rows, columns = np.flatnonzero(likely.any(axis=1)), np.flatnonzero(likely.any(axis=0))
        ends = [
            (float(values[max(0, found[0] - 1)]), float(values[min(len(values) - 1, found[-1] + 1)]))
            for values, found in ((self.means, rows), (self.spreads, columns))
        ]
        return _Grid(*ends)

    def posterior(self, beaten: Sequence[tuple[NDArray[np.int64], int]], share: float) -> NDArray[np.float64]:
        """Log probability of each mean and spread, given how many of the rivals beat each mate."""
        means = ((self.means - PRIOR_MEAN[0]) / PRIOR_MEAN[1]) ** 2
        spreads = (np.log(self.spreads / PRIOR_SPREAD[0]) / PRIOR_SPREAD[1]) ** 2
        total: NDArray[np.float64] = -0.5 * (means[:, None] + spreads[None, :])
        for counts, rivals in beaten:
            different, times = np.unique(counts, return_counts=True)
            likelihood = different[:, None] * BEATEN + (rivals - different)[:, None] * KEPT
            if rivals > FAR:
                likelihood[different == FAR] = np.log(np.maximum(betainc(FAR, rivals - FAR + 1, ndtr(-Q)), TINY))
            best = likelihood.max(axis=1)
            mixed = self.density @ np.exp(likelihood - best[:, None]).T
            total = total + min(1.0, share) * ((np.log(np.maximum(mixed, TINY)) + best) @ times)
        return total

    def expected(self, weights: NDArray[np.float64], pool: int, placed: float) -> ExpectedTop1:
        """The mean and the interval of Top-1 among so many documents."""
        first = placed * (self.density @ np.exp((pool - 1) * KEPT)).ravel()
        order = np.argsort(first)
        below = np.cumsum(weights.ravel()[order])
        ends = np.searchsorted(below, ((1 - INTERVAL) / 2, (1 + INTERVAL) / 2))
        low, high = (float(first[order][min(end, len(order) - 1)]) for end in ends)
        return ExpectedTop1(float(weights.ravel() @ first), low, high)
