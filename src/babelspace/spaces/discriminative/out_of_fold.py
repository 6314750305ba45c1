"""Vectors of training rows from spaces that have not seen them.

A space tells its own training pairs apart nearly without an error; what is learned from those vectors is learned from
the few accidents that are left, and harms on unseen rows. Here the rows are parted into folds, each fold gets its
vectors from a space that was fitted on the others, and these are turned onto the space that was fitted on all. Of many
rows one fold or two are enough to learn from, and each costs a fit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.runtime import progress
from babelspace.spaces.base import Dense, ProjectionSpace

# Rows whose vectors are worth a fit without them; a space of 300 dimensions learns little more from others.
ENOUGH = 10_000


def content_order(views: Views) -> NDArray[np.int64]:
    """Row numbers in an order that depends on nothing but what stands in each row.

    Folds, batches and held-out rows follow it, so that neither the order of the rows nor that of the languages matters.
    """
    keys = [0] * len(views)
    for _, matrix in views.items():
        for row in range(len(views)):
            part = slice(matrix.indptr[row], matrix.indptr[row + 1])
            raw = matrix.indices[part].astype(np.int64).tobytes() + matrix.data[part].tobytes()
            keys[row] += int.from_bytes(hashlib.blake2b(raw, digest_size=7).digest(), "big")
    return np.argsort(np.array([key % 2**56 for key in keys], np.int64), kind="stable")


def folds_to_fit(rows: int, folds: int, enough: int = ENOUGH) -> int:
    """How many of the folds give enough rows.

    >>> folds_to_fit(12_000, 3), folds_to_fit(40_000, 3)
    (3, 1)
    """
    return min(folds, -(-enough * folds // rows))


def out_of_fold_vectors(
    views: Views,
    whole: ProjectionSpace,
    fit: Callable[[Views], ProjectionSpace],
    folds: int,
    order: NDArray[np.int64],
    fitted: int | None = None,
) -> dict[str, Dense]:
    """For each language the vectors of all rows, each from a space that was fitted without its fold.

    Rows beyond the first `fitted` folds have zeros.
    """
    fold = np.empty(len(views), np.int64)
    fold[order] = np.arange(len(views)) % folds
    vectors = {name: np.zeros((len(views), whole.n_components_), np.float32) for name in views.languages}
    for number in progress.track(range(fitted or folds), "spaces without a fold"):
        seen, unseen = fold != number, fold == number
        space = fit(views[seen])
        turn = rotation(space.transform(views[seen]), whole.transform(views[seen]))
        for name, rows in space.transform(views[unseen]).items():
            vectors[name][unseen] = rows @ turn
    return vectors


def rotation(source: dict[str, Dense], target: dict[str, Dense]) -> Dense:
    """The orthogonal map that brings the source vectors closest to the target's (Schönemann 1966)."""
    products = sum(source[name].astype(np.float64).T @ target[name] for name in sorted(source))
    left, _, right = np.linalg.svd(products, full_matrices=False)
    return (left @ right).astype(np.float32)
