"""Vectors as points in the plane, near ones near each other."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.runtime import progress
from babelspace.runtime.extras import need
from babelspace.runtime.threads import limit
from babelspace.vectors.similarity import Vectors, prepare

Layout = Literal["tsne", "opentsne", "pca"]
LAYOUTS = ("tsne", "opentsne", "pca")
# Principal components that t-SNE starts from: with more, neighbours are the same and distances take longer.
KEPT = 50
PERPLEXITY = 30.0
# Below so many points there are no neighbourhoods to keep.
FEWEST = 5
# Below so many one thread is enough.
FEW = 3_000


def plane(
    vectors: Vectors, layout: Layout = "tsne", *, similarity: str = "cosine", seed: int = 0
) -> NDArray[np.float64]:
    """Two coordinates from -1 to 1 for each row; rows should not be zero.

    Parameters
    ----------
    layout : "tsne" (van der Maaten & Hinton 2008, by scikit-learn), "opentsne" (Poličar et al. 2024, extra `map`:
        faster beyond some thousand rows) or "pca", the two leading components

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> centres = rng.standard_normal((3, 20))
    >>> points = plane(np.repeat(centres, 30, axis=0) + 0.1 * rng.standard_normal((90, 20)))
    >>> points.shape, float(np.abs(points).max())
    ((90, 2), 1.0)
    """
    if layout not in LAYOUTS:
        raise ParameterError(f"unknown layout {layout!r}; allowed: {', '.join(LAYOUTS)}")
    rows = _components(prepare(vectors, similarity).rows, seed)
    if layout == "pca" or len(rows) < FEWEST:
        return _fitted(rows[:, :2])
    perplexity = min(PERPLEXITY, (len(rows) - 1) / 3)
    with progress.task(f"placing {len(rows):,} documents"):
        return _fitted(_tsne(rows, perplexity, seed) if layout == "tsne" else _opentsne(rows, perplexity, seed))


def _components(rows: Any, seed: int) -> NDArray[np.float64]:
    """The leading principal components, two at least."""
    from sklearn.decomposition import PCA, TruncatedSVD

    kept = max(2, min(KEPT, rows.shape[0] - 1, rows.shape[1] - 1))
    if rows.shape[0] <= 2 or rows.shape[1] <= 2:
        dense = np.zeros((rows.shape[0], 2))
        dense[:, : rows.shape[1]] = np.asarray(rows.todense() if hasattr(rows, "todense") else rows)[:, :2]
        return dense
    reducer = TruncatedSVD(kept, random_state=seed) if hasattr(rows, "todense") else PCA(kept, random_state=seed)
    return np.asarray(reducer.fit_transform(rows), np.float64)


def _tsne(rows: NDArray[np.float64], perplexity: float, seed: int) -> Any:
    from sklearn.manifold import TSNE

    # Threads that meet a thousand times wait for each other longer than a few points take, above all on a busy machine.
    with limit(1) if len(rows) < FEW else nullcontext():
        return TSNE(2, perplexity=perplexity, init="pca", random_state=seed).fit_transform(rows)


def _opentsne(rows: NDArray[np.float64], perplexity: float, seed: int) -> Any:
    return np.asarray(need("openTSNE", extra="map").TSNE(2, perplexity=perplexity, random_state=seed).fit(rows))


def _fitted(points: Any) -> NDArray[np.float64]:
    """Moved and scaled, both axes alike, so that the farthest point is at 1."""
    points = np.asarray(points, np.float64)
    points = points - (points.min(axis=0) + points.max(axis=0)) / 2
    return points / max(float(np.abs(points).max(initial=0.0)), np.finfo(np.float64).tiny)
