"""The loss of mates against all others, and its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Dense = NDArray[Any]  # float32
# Numbers of documents in two languages: those at the same place are mates.
Mates = tuple[NDArray[np.intp], NDArray[np.intp]]


def contrastive_loss(vectors: Dense, mates: Sequence[Mates], temperature: float) -> tuple[float, Dense]:
    """The mean loss over pairs of mates, and its gradient in the vectors, summed over pairs.

    The loss of a pair is the cross entropy of finding each of the two by the other among all documents of its language
    in the batch, by the cosine over the temperature.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    unit = vectors / lengths
    gradient = np.zeros_like(unit)
    total, count = 0.0, 0
    for left, right in mates:
        loss, to_left, to_right = _in_batch(unit[left], unit[right], temperature)
        gradient[left] += to_left
        gradient[right] += to_right
        total, count = total + loss, count + len(left)
    along = np.einsum("ij,ij->i", unit, gradient)[:, None]
    return total / max(count, 1), (gradient - unit * along) / lengths


def _in_batch(left: Dense, right: Dense, temperature: float) -> tuple[float, Dense, Dense]:
    """The summed loss of unit vectors in both directions, and its gradients."""
    scores = (left @ right.T) / np.float32(temperature)
    own = np.diag(scores).copy()
    forward, forward_log = _softmax(scores, axis=1)
    backward, backward_log = _softmax(scores, axis=0)
    loss = 0.5 * float(np.sum(forward_log.ravel() + backward_log.ravel() - 2 * own, dtype=np.float64))
    surprise = forward + backward
    surprise[np.diag_indices(len(surprise))] -= 2
    surprise *= np.float32(0.5 / temperature)
    return loss, surprise @ right, surprise.T @ left


def _softmax(scores: Dense, axis: int) -> tuple[Dense, Dense]:
    """Probabilities along an axis, and the logarithm of their denominator."""
    peak = scores.max(axis=axis, keepdims=True)
    powers = np.exp(scores - peak)
    totals = powers.sum(axis=axis, keepdims=True)
    return powers / totals, peak + np.log(totals)
