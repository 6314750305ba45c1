"""Ridge logistic regression that is drawn towards weights that are known already."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from babelspace.mining.pair_features import Floats
from babelspace.mining.tuned_settings import SETTINGS


def logistic(
    features: Floats,
    right: NDArray[Any],
    offset: Floats | float = 0.0,
    towards: Floats | None = None,
    weight: Floats | None = None,
    ridge: float | None = None,
) -> Floats:
    """Ridge logistic regression by Newton's method: the constant, then a weight for each column.

    Parameters
    ----------
    right : whether each row is right, or how probably
    offset : log odds that are known already
    towards : weights, the constant first, to which the ridge draws; to zero otherwise
    weight : how much each row counts
    ridge : in units of the columns' spread; by default of held-out learning, or of the one that draws `towards`
    """
    counts = np.ones(len(features)) if weight is None else weight
    mean, spread = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    design = np.column_stack([np.ones(len(features)), (features - mean) / spread])
    default = SETTINGS.ridge if towards is None else SETTINGS.home_ridge
    penalty = np.full(design.shape[1], default if ridge is None else ridge)
    penalty[0] = 1e-6
    home = np.zeros(design.shape[1]) if towards is None else np.append(0.0, towards[1:] * spread)
    weights = home.copy()
    for _ in range(100):
        chance = expit(design @ weights + offset)
        slope = design.T @ (counts * (right - chance)) - penalty * (weights - home)
        curvature = (design * (counts * chance * (1 - chance))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        weights += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-8:
            break
    weights[1:] /= spread
    weights[0] -= weights[1:] @ mean
    return weights
