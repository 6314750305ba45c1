"""From gaps to probabilities: one number for each pair, its height, and a mixture of right and wrong pairs along it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logit

from babelspace.mining.decoys import Decoys
from babelspace.mining.mixture import GRID, Mixture, fit_mixture, null_density, shape_density
from babelspace.mining.pair_features import Floats
from babelspace.mining.regression import logistic
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.runtime.seeds import generator


@dataclass(frozen=True)
class Heights:
    """Weights of gaps, the mean and spread of wrong pairs along them, and the mixture in that unit.

    `at_hand`: heights of the pairs that the mixture was fitted to. `wrong`, `weight`: of wrong pairs, decoys first, and
    how much each counts. `mates`: mean and spread of held-out right pairs; `shape`: their density in that unit.
    `unseen`: the share of wrong pairs that may look like right ones.
    """

    direction: Floats
    centre: float
    scale: float
    mixture: Mixture
    at_hand: Floats
    wrong: Floats
    weight: Floats
    mates: tuple[float, float]
    shape: Floats
    unseen: float

    def height(self, gap: Floats) -> Floats:
        """How high pairs stand, in standard deviations of wrong ones."""
        return np.clip((gap @ self.direction - self.centre) / self.scale, GRID[0], GRID[-1])

    def probability(self, gap: Floats) -> Floats:
        """How probable pairs are right."""
        return self.mixture.probability(self.height(gap))

    def weighed(self, decoys: Decoys) -> Decoys:
        """Decoys by how probably each is wrong, given where it stands.

        A pair that was taken apart was right with probability t only. If it was wrong, its documents may have found
        their true mates now, some share s of them. So a decoy is right with the odds (1 - t) s f₁(h) / (1 - (1 - t) s)
        f₀(h): one that stands as high as right pairs may well be right.
        """
        maybe = (1 - decoys.weight) * SETTINGS.reunited
        odds = maybe / (1 - maybe) * self.mixture.likelihood_ratio(self.height(decoys.gap))
        return replace(decoys, weight=1 / (1 + odds))

    def precision_interval(self, gap: Floats, level: float = 0.95, seed: int = 0) -> tuple[float, float]:
        """Between which shares of these pairs are right, by bootstrap.

        Pairs at hand and wrong pairs are drawn again with replacement, the mixture is fitted again, and who of the
        given pairs is right is drawn from it. Of few pairs copies tell little: the share of right ones, and of wrong
        ones that look right, are drawn from their posteriors, too. And decoys are not quite what wrong pairs are: the
        odds may be other ones, by so much that 19 of 20 intervals held on the collections that settings were chosen on.
        """
        rng = generator(seed)
        height = self.height(gap)
        # Every pair that is taken apart makes two decoys, which are alike: half of them are drawn.
        counted = max(1, len(self.weight) // 2)
        shares = []
        for _ in range(SETTINGS.resamples):
            drawn = rng.choice(self.at_hand, len(self.at_hand))
            weight = self.weight * rng.multinomial(counted, np.full(len(self.weight), 1 / len(self.weight)))
            null = null_density(self.wrong, weight) if weight.sum() > 0 else null_density(self.wrong, self.weight)
            unseen = float(rng.beta(0.5, float(self.weight.sum()) + 0.5))
            again = fit_mixture(drawn, null, self.mates, self.shape, unseen=unseen, start=self.mixture.mean)
            again = again.with_share_drawn(len(drawn), rng)
            odds = logit(again.probability(height)) + rng.normal(0, SETTINGS.decoy_doubt)
            shares.append(float(np.mean(rng.random(len(height)) < expit(odds))))
        low, high = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)


def fit_heights(
    gap: Floats, probability: Floats | None, decoys: Decoys, home: Floats, right: Floats, wrong: Floats
) -> Heights:
    """Heights for the gaps of all pairs at hand.

    Parameters
    ----------
    probability : of the pairs at hand to be right, as far as is known; None leaves the direction where it is
    decoys : wrong pairs at hand
    home : the direction that held-out pairs gave
    right, wrong : gaps of held-out pairs
    """
    direction = home if probability is None or not len(decoys) else _direction(gap, probability, decoys, home)
    values = np.concatenate([decoys.gap @ direction, wrong @ direction])
    weight = np.concatenate([decoys.weight, np.full(len(wrong), SETTINGS.held_out_decoys / len(wrong))])
    centre = float(np.average(values, weights=weight))
    scale = max(float(np.sqrt(np.average((values - centre) ** 2, weights=weight))), 1e-6)
    values = np.clip((values - centre) / scale, GRID[0], GRID[-1])
    held_out = (right @ direction - centre) / scale
    mates = float(held_out.mean()), max(float(held_out.std()), SETTINGS.narrowest)
    shape = shape_density((held_out - mates[0]) / mates[1])
    height = np.clip((gap @ direction - centre) / scale, GRID[0], GRID[-1])
    # Half a pair more than were seen: Jeffreys' estimate of what happened to none of them.
    unseen = 0.5 / (float(weight.sum()) + 1)
    mixture = fit_mixture(height, null_density(values, weight), mates, shape, unseen=unseen)
    return Heights(direction, centre, scale, mixture, height, values, weight, mates, shape, unseen)


def _direction(gap: Floats, probability: Floats, decoys: Decoys, home: Floats) -> Floats:
    """The weights of gaps that tell probable pairs from decoys best; both kinds count the same."""
    kinds = [(probability, len(gap)), (decoys.weight, len(decoys))]
    half = (len(gap) + len(decoys)) / 2
    weight = np.concatenate([kind * half / max(float(kind.sum()), 1e-9) for kind, _ in kinds])
    right = np.concatenate([np.full(count, 1.0 - number) for number, (_, count) in enumerate(kinds)])
    towards = np.append(0.0, home)
    found = logistic(
        np.vstack([gap, decoys.gap]), right, towards=towards, weight=weight, ridge=SETTINGS.direction_ridge
    )
    return np.maximum(found[1:], SETTINGS.least_direction)
