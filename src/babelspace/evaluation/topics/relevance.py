"""Beside the most probable words of topics: which words are typical of one, and which topics are alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError

Floats = NDArray[np.float64]
# Values of λ whose best words a page can show.
STEPS = tuple(step / 10 for step in range(11))
TINY = 1e-300


def relevance(chances: NDArray[Any], overall: NDArray[Any], weight: float) -> Floats:
    """λ log φ_w + (1 - λ) log(φ_w / p_w) of words in topics (Sievert & Shirley 2014, LDAvis); -inf where φ is 0.

    1 ranks words by their probability, 0 by how much more probable a topic makes them.

    Examples
    --------
    >>> chances, overall = np.array([[0.5, 0.2, 0.0]]), np.array([0.5, 0.05, 0.1])
    >>> [int(relevance(chances, overall, weight).argmax()) for weight in (1.0, 0.0)]
    [0, 1]
    """
    if not 0 <= weight <= 1:
        raise ParameterError(f"relevance is weighed from 0 to 1, got {weight}; 1 ranks by probability, 0 by lift")
    found = np.asarray(chances, np.float64)
    logs = np.log(np.maximum(found, TINY))
    lifts = logs - np.log(np.maximum(overall, TINY))
    return np.where(found > 0, weight * logs + (1 - weight) * lifts, -np.inf)


def overall_chances(chances: NDArray[Any], sizes: NDArray[Any]) -> Floats:
    """The probability of each word of a language in all topics together."""
    return np.asarray(sizes, np.float64) @ np.asarray(chances, np.float64)


def distances(chances: Mapping[str, NDArray[Any]]) -> Floats:
    """Jensen-Shannon distances between topics, the mean over languages."""
    parts = [_jensen_shannon(np.asarray(matrix, np.float64)) for matrix in chances.values()]
    return np.asarray(np.mean(parts, axis=0))


def positions(chances: Mapping[str, NDArray[Any]]) -> Floats:
    """Topics in the plane by classical scaling of their distances, as LDAvis has them; from -1 to 1."""
    squared = distances(chances) ** 2
    count = len(squared)
    centred = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-0.5 * centred @ squared @ centred)
    best = np.argsort(values)[::-1][:2]
    points = np.zeros((count, 2))
    points[:, : len(best)] = vectors[:, best] * np.sqrt(np.maximum(values[best], 0))
    # The sign of an eigenvector is anybody's: the farthest topic lies to the right and above.
    points *= np.where(points[np.abs(points).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    return points / max(float(np.abs(points).max(initial=0.0)), TINY)


def _jensen_shannon(chances: Floats) -> Floats:
    count = len(chances)
    found = np.zeros((count, count))
    entropies = _entropy(chances)
    for row in range(count):
        middle = _entropy((chances[row] + chances[row:]) / 2)
        found[row, row:] = found[row:, row] = middle - (entropies[row] + entropies[row:]) / 2
    return np.sqrt(np.maximum(found, 0))


def _entropy(chances: Floats) -> Floats:
    return -np.sum(np.where(chances > 0, chances * np.log(np.maximum(chances, TINY)), 0.0), axis=-1)
