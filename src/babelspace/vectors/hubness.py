"""Score corrections against hubs: documents that are near to everything.

Conneau et al. 2018, "Word translation without parallel data" (CSLS); Artetxe and Schwenk 2019, "Margin-based
parallel corpus mining with multilingual sentence embeddings" (ratio, distance and absolute margin).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.vectors.neighbours import Neighbours
from babelspace.vectors.similarity import Prepared

Correction = Literal["none", "csls", "margin"]
CORRECTIONS = ("none", "csls", "margin")
MARGINS = ("ratio", "distance", "absolute")

# Below this a neighbourhood is as good as empty, and a ratio to it says nothing.
SMALLEST_MEAN = 1e-6


def neighbour_means(found: Neighbours, queries: Prepared, documents: Prepared) -> NDArray[np.float32]:
    """Mean score of each list; a zero vector, which has no neighbours, gets 0.

    Sparse lists leave out documents that share nothing with the query; here they count with the score they
    have, so that sparse and dense vectors have the same means.
    """
    width = min(found.scores.shape[1], int(documents.valid.sum()))
    if not width:
        return np.zeros(len(queries), np.float32)
    scores = np.where(found.indices >= 0, found.scores, np.float32(0))[:, :width]
    means = scores.mean(axis=1, dtype=np.float64).astype(np.float32)
    return np.where(queries.valid, means, np.float32(0))


def csls(scores: NDArray[Any], query_means: NDArray[Any], document_means: NDArray[Any]) -> NDArray[Any]:
    """2 s - r(query) - r(document)."""
    return 2 * scores - query_means - document_means


def margin(
    scores: NDArray[Any], query_means: NDArray[Any], document_means: NDArray[Any], kind: str = "ratio"
) -> NDArray[Any]:
    """The score against the mean of both neighbourhoods: their ratio, their difference or the score alone."""
    if kind == "absolute":
        return scores
    if kind not in MARGINS:
        raise ParameterError(f"unknown margin {kind!r}. Use one of {', '.join(MARGINS)}.")
    if kind == "distance":
        return scores - (query_means + document_means) / 2
    return scores / mean_around(query_means, document_means)


def mean_around(query_means: NDArray[Any], document_means: NDArray[Any]) -> NDArray[Any]:
    """The divisor of the ratio margin: the mean of both neighbourhoods, kept positive."""
    return np.maximum((query_means + document_means) / 2, np.float32(SMALLEST_MEAN))


def correct(
    scores: NDArray[Any], query_means: NDArray[Any], document_means: NDArray[Any], correction: str
) -> NDArray[Any]:
    """Corrected scores of a block (means as column and row) or of a list of pairs (means pair by pair)."""
    if correction == "csls":
        return csls(scores, query_means, document_means)
    return margin(scores, query_means, document_means) if correction == "margin" else scores


def check_correction(correction: str, similarity: str) -> None:
    """The correction exists and makes sense for the similarity."""
    if correction not in CORRECTIONS:
        raise ParameterError(f"unknown correction {correction!r}. Use one of {', '.join(CORRECTIONS)}.")
    if correction == "margin" and similarity != "cosine":
        raise ParameterError(
            f"the margin is a ratio of similarities and means nothing for {similarity}, a distance. "
            "Use correction='csls' or similarity='cosine'."
        )
