"""Means of neighbourhoods from vectors: both directions at once."""

from __future__ import annotations

from babelspace.vectors.hubness import neighbour_means
from babelspace.vectors.neighbours import nearest
from babelspace.vectors.similarity import prepare


def local_means(queries, documents, k=10, similarity="cosine"):
    """Mean score of each query to its k nearest documents, and of each document to its k nearest queries."""
    asked, known = prepare(queries, similarity), prepare(documents, similarity)
    return (
        neighbour_means(nearest(asked, known, k), asked, known),
        neighbour_means(nearest(known, asked, k), known, asked),
    )
