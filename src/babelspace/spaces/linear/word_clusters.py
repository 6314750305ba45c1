"""Slices of a vocabulary in which words and their translations stay together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.spaces.linear.cl_lsi import joint_matrix, truncated_svd

Columns = NDArray[np.int64]
# Dimensions in which words are compared, and rounds of moving the centres of the slices.
PROFILE_RANK, ROUNDS = 100, 20


def vocabulary_slices(views: Views, largest: int, rng: np.random.Generator) -> list[Columns]:
    """Slices of at most so many columns: the most frequent ones, then others that occur in the same rows.

    Noise that words of two slices have in common is seen by neither, and frequent words have most of it.
    """
    documents = sum(np.bincount(matrix.indices, minlength=views.shape[1]) for _, matrix in views.items())
    order = np.argsort(-np.asarray(documents), kind="stable")
    first, others = np.sort(order[:largest]), np.sort(order[largest:])
    if not len(others):
        return [first]
    part = Views({name: matrix[:, others] for name, matrix in views.items()}, views.present)
    return [first, *(others[columns] for columns in co_occurrence_slices(part, largest, rng))]


def co_occurrence_slices(views: Views, largest: int, rng: np.random.Generator) -> list[Columns]:
    """Slices of at most so many columns, each of words that occur in the same rows, whatever their language.

    A column is described by its loadings on the leading singular vectors of the concatenated rows, where a word and
    its translation are near each other; spherical k-means with slices of one size cuts there. At random they would
    mostly fall into different slices, and a slice alone would see their difference as noise.
    """
    columns = views.shape[1]
    count = -(-columns // largest)
    if count == 1:
        return [np.arange(columns)]
    joint = joint_matrix(views)
    values, vectors = truncated_svd(joint, min(PROFILE_RANK, *joint.shape), rng, 0.2)
    profiles = vectors * values.astype(np.float32)
    norms = np.linalg.norm(profiles, axis=1, keepdims=True)
    profiles /= np.where(norms > 0, norms, 1)
    weights = np.sqrt(np.asarray(joint.power(2).sum(axis=0), np.float32)).ravel()
    return balanced_clusters(profiles, weights, count, rng)


def balanced_clusters(
    rows: NDArray[np.float32], weights: NDArray[np.float32], count: int, rng: np.random.Generator
) -> list[Columns]:
    """Spherical k-means whose clusters are as large as each other: who has most to lose chooses first."""
    centres = _spread_out(rows, weights, count, rng)
    room = -(-len(rows) // count)
    chosen = np.full(len(rows), -1)
    for _ in range(ROUNDS):
        before, chosen = chosen, _assigned(rows @ centres.T, room)
        if np.array_equal(before, chosen):
            break
        sums = np.array([weights[chosen == number] @ rows[chosen == number] for number in range(count)])
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return [np.flatnonzero(chosen == number) for number in range(count)]


def _spread_out(
    rows: NDArray[np.float32], weights: NDArray[np.float32], count: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Centres to start from: each next one is drawn by how far words are from those before, heavy words sooner."""
    centres = [rows[rng.choice(len(rows), p=weights / weights.sum())]]
    for _ in range(count - 1):
        distance = np.clip(1 - (rows @ np.array(centres).T).max(axis=1), 0, None) * weights
        total = float(distance.sum())
        centres.append(rows[rng.choice(len(rows), p=distance / total) if total > 0 else rng.integers(len(rows))])
    return np.array(centres)


def _assigned(similarity: NDArray[np.float32], room: int) -> NDArray[np.int64]:
    """The most similar centre that has room left, in the order of what another one would cost."""
    ranked = np.argsort(-similarity, axis=1, kind="stable")
    best = np.take_along_axis(similarity, ranked[:, :2], axis=1)
    left = np.full(similarity.shape[1], room)
    chosen = np.empty(len(similarity), np.int64)
    for row in np.argsort(best[:, 1] - best[:, 0], kind="stable"):
        number = next(number for number in ranked[row] if left[number])
        chosen[row] = number
        left[number] -= 1
    return chosen
