"""How probable it is that a pair of sentences is right, learned from documents whose sentences were known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from babelspace.kernels.alignment.beads import Paths

Floats = NDArray[np.float64]
# Logistic regression on beads of news (English beside German, Finnish, Japanese, Turkish, Spanish), speeches (English
# and Italian, Dutch and Portuguese) and verses (Spanish and Italian), with 2 to 30 % of the sentences taken out of
# either side, 5 to 10 % merged, and a clause moved over 0, 5 or 10 % of the borders: the constant, then one weight for
# each column of `bead_features`. docs/results/sentences.md tells how it does on others.
CONSTANT, WEIGHTS = 1.25, np.array([0.20, 0.43, -1.19, -2.06, -0.97])
# Lengths that are farther apart, in standard deviations, are as good as this far.
FARTHEST = 5.0


def bead_features(paths: Paths, kinds: Floats, apart: Floats) -> Floats:
    """What tells right beads from wrong ones, one row a bead.

    The log odds of the posterior; the logarithm of what speaks for the bead beside its kind; how many sentences it has
    beyond two; the share of beads of these documents that have no partner; and how far the lengths of both sides are
    apart, which tells of clauses that have gone over to a neighbour. `kinds` are the probabilities of kinds of beads,
    `apart` is in standard deviations.
    """
    posterior = np.clip(paths.posteriors, 1e-4, 1 - 1e-6)
    with np.errstate(divide="ignore", invalid="ignore"):
        bare = paths.scores - np.log(kinds[paths.kinds[:, 0], paths.kinds[:, 1]])
    return np.stack(
        [
            np.log(posterior / (1 - posterior)),
            np.log1p(np.maximum(bare, 0)),
            paths.kinds.sum(axis=1) - 2.0,
            np.full(len(posterior), kinds[0, 1] + kinds[1, 0]),
            np.minimum(apart, FARTHEST),
        ],
        axis=1,
    )


def bead_probabilities(paths: Paths, kinds: Floats, apart: Floats) -> Floats:
    """The probability that each bead is right with these very borders."""
    return expit(CONSTANT + bead_features(paths, kinds, apart) @ WEIGHTS)
