"""How much each of several similarities counts, so that mates stand out: a conditional logit (McFadden 1974)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.vectors.similarity import pairwise

# More rows of two languages tell nothing more about a few numbers.
MOST_ROWS = 500
# A cosine over a temperature of one hundredth: where mates are always first, weights would grow without end.
LARGEST = 100.0
# So small that it moves no weight that matters, and takes those to 0 that change nothing.
RIDGE = 1e-4

Vectors = Mapping[str, Any]
Cosines = NDArray[np.float64]  # parts x queries x documents; the mate of each query stands at its own place


def mate_weights(parts: Sequence[Vectors], present: Mapping[str, NDArray[np.bool_]]) -> NDArray[np.float64]:
    """Weights of the parts' cosines, adding up to 1, from the vectors of rows that no part has learned from.

    .. math::
        \\max_{w \\ge 0} \\sum_{(x, y)} \\log
        \\frac{e^{\\sum_k w_k \\cos_k(x, y)}}{\\sum_{y'} e^{\\sum_k w_k \\cos_k(x, y')}}

    over both directions of each language and the next; the sum is concave, so there is one answer. Equal weights where
    no part tells mates from others.

    Examples
    --------
    >>> import numpy as np
    >>> from babelspace.spaces.similarity_weights import mate_weights
    >>> rng = np.random.default_rng(0)
    >>> told, noise = rng.standard_normal((50, 8)), {name: rng.standard_normal((50, 8)) for name in ("en", "es")}
    >>> here = {name: np.ones(50, bool) for name in noise}
    >>> mate_weights([dict.fromkeys(noise, told), noise], here).round(1)
    array([1., 0.])
    """
    names = sorted(present)
    pairs = list(zip(names, names[1:] + names[:1], strict=True))[: 1 if len(names) == 2 else None]
    tables = []
    for one, other in pairs:
        rows = np.flatnonzero(present[one] & present[other])[:MOST_ROWS]
        if len(rows) > 1:
            cosines = np.stack([_cosines(part[one][rows], part[other][rows]) for part in parts])
            tables += [cosines, cosines.transpose(0, 2, 1)]
    queries = sum(table.shape[1] for table in tables)

    # Who combines by weights that are given does not wait for it.
    from scipy.optimize import minimize

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        found = [surprise(table, weights) for table in tables]
        value = sum(value for value, _ in found) / queries + RIDGE / 2 * float(weights @ weights)
        return value, np.sum([slope for _, slope in found], axis=0) / queries + RIDGE * weights

    start = np.full(len(parts), 10.0 / len(parts))
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, LARGEST)] * len(parts)).x if tables else start
    return best / best.sum() if best.any() else np.full(len(parts), 1 / len(parts))


def surprise(cosines: Cosines, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """The summed surprise at the mates of all queries, and its gradient in the weights."""
    scores = np.tensordot(weights, cosines, axes=1)
    scores -= scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    totals = chances.sum(axis=1, keepdims=True)
    own = np.arange(len(scores))
    value = float(np.log(totals).sum() - scores[own, own].sum())
    slope = np.einsum("kqd,qd->k", cosines, chances / totals) - cosines[:, own, own].sum(axis=1)
    return value, slope


def _cosines(left: Any, right: Any) -> NDArray[np.float64]:
    """Cosines of all pairs; 0 where one has no vector."""
    scores = np.concatenate(list(pairwise(left, right))).astype(np.float64)
    return np.where(np.isfinite(scores), scores, 0.0)
