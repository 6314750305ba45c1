"""How probable it is that a pair of sentences is right, learned from documents whose sentences were known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from babelspace.kernels.alignment.beads import Paths

Floats = NDArray[np.float64]
# Logistic regression on beads of news in five languages beside English (German, Finnish, Japanese, Turkish, Spanish),
# with 2 to 40 % of the sentences taken out of either side and 5 to 10 % merged: the constant, then one weight for each
# column of `bead_features`. docs/sentences.md tells how it does on others.
CONSTANT, WEIGHTS = 1.58, np.array([0.13, 0.84, -2.57, -5.89])


def bead_features(paths: Paths, kinds: Floats) -> Floats:
    """What tells right beads from wrong ones, one row a bead.

    The log odds of the posterior; the logarithm of what speaks for the bead beside its kind; how many sentences it has
    beyond two; and the share of beads of these documents that have no partner. `kinds` are the probabilities that the
    scores were made with.
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
        ],
        axis=1,
    )


def bead_probabilities(paths: Paths, kinds: Floats) -> Floats:
    """The probability that each bead is right with these very borders."""
    return expit(CONSTANT + bead_features(paths, kinds) @ WEIGHTS)
