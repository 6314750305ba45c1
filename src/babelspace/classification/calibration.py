"""From scores of classes to probabilities: one temperature for each language."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

Matrix = NDArray[np.float64]

LOG_RANGE = (-9.0, 9.0)
BINS = 10


def probabilities(scores: Matrix, temperature: float) -> Matrix:
    """softmax(scores / temperature)."""
    return softmax(scores / temperature, axis=1)


def fit_temperature(scores: Matrix, truth: Matrix) -> float:
    """The temperature at which the probabilities tell the truth best, by cross-entropy.

    `truth` has a row of class probabilities for each document: one 1 where the class is known. It is moved a little
    towards even odds (as in Platt scaling), so that no finite sample asks for certainty.

    Guo et al. (2017), On Calibration of Modern Neural Networks; Platt (1999).

    Examples
    --------
    >>> import numpy as np
    >>> sure, truth = np.array([[9.0, 0.0]] * 4), np.eye(2)[[0, 0, 0, 1]]
    >>> bool(probabilities(sure, fit_temperature(sure, truth))[0, 0].round(2) == 0.71)
    True
    """
    share = 1 / (len(scores) + 2)
    smooth = (1 - share) * truth + share / truth.shape[1]

    def loss(log_temperature: float) -> float:
        return -float(np.mean(np.sum(smooth * log_softmax(scores / math.exp(log_temperature), axis=1), axis=1)))

    # Convex in 1/temperature, so it has one minimum.
    return math.exp(minimize_scalar(loss, bounds=LOG_RANGE, method="bounded", options={"xatol": 1e-4}).x)


def calibration_error(chances: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """How far the probability of the predicted class is from the share of right answers, on average over ten bins."""
    bins = np.minimum((chances * BINS).astype(np.int64), BINS - 1)
    gaps = np.bincount(bins, chances - right, BINS)
    return float(np.abs(gaps).sum() / max(1, len(chances)))
