"""How much background documents say the same, and a choice of them that repeats little."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.vectors.similarity import prepare


def semantic_overlap(views: Views) -> float:
    """The mean cosine of two different background documents, over all pairs and languages.

    .. math:: \\mathrm{overlap}(B) = \\sum_{i \\ne j} \\mathrm{sim}(b_i, b_j)

    is the paper's sum, here divided by the number of pairs. Duplicates make the Gram matrix of ONETA singular; the less
    documents overlap, the nearer explicit topics are to orthonormal before anything is learned.

    >>> import numpy as np
    >>> semantic_overlap(Views({"en": np.eye(3), "es": np.eye(3)})), semantic_overlap(Views({"en": np.ones((3, 2))}))
    (0.0, 1.0)
    """
    found = []
    for name, matrix in views.items():
        rows = prepare(matrix[views.present[name]]).rows
        total = float(np.sum(np.asarray(rows.sum(axis=0), np.float64) ** 2))
        count = rows.shape[0]
        own = float(rows.multiply(rows).sum())
        found.append((total - own) / max(count * (count - 1), 1))
    return round(float(np.mean(found)), 6)


def least_overlapping(views: Views, count: int) -> NDArray[np.int64]:
    """Rows for a background that repeats little, one by one the row with the smallest overlap with those chosen.

    The first is the one least like all others. Fit an explicit space on ``views[rows]``.

    References
    ----------
    McCrae, Cimiano & Klinger (2013), section 3: a background collection should have the least semantic overlap.

    Examples
    --------
    >>> import numpy as np
    >>> twice = np.repeat(np.eye(3), 2, axis=0)
    >>> sorted((least_overlapping(Views({"en": twice, "es": twice}), 3) // 2).tolist())
    [0, 1, 2]
    """
    if not 1 <= count <= len(views):
        raise ParameterError(f"{count} of {len(views)} rows cannot be chosen. Use a number from 1 to {len(views)}.")
    documents = [prepare(matrix).rows for _, matrix in views.items()]
    towards = np.sum([_similarities(rows, np.asarray(rows.sum(axis=0)).ravel()) for rows in documents], axis=0)
    # A row without a word is unlike everything and says nothing.
    silent = np.sum([np.diff(rows.indptr) for rows in documents], axis=0) == 0
    chosen: list[int] = []
    overlap = np.where(silent, np.inf, towards)
    for _ in range(count):
        best = int(np.argmin(overlap))
        if not chosen:
            overlap = np.where(silent, np.inf, 0.0)
        chosen.append(best)
        for rows in documents:
            overlap += _similarities(rows, rows[[best]].toarray().ravel())
        overlap[best] = np.inf
    return np.array(chosen, np.int64)


def _similarities(rows: Any, vector: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(rows @ vector, np.float64)
