"""Scores of meaning and words in one number, comparable between languages.

In standard deviations of what is typical of the documents,

    score = a · similarity + b · lexical + c

with a, b and c of the direction from the query's language to the document's (`fusion.py` learns them), told in units of
similarity. How much a query's words weigh beside its meaning differs between directions, and so does how much of a
query a good document can hold at all: in its own language its words, in another what the dictionary makes of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelspace.search.tuned_settings import SETTINGS
from babelspace.store.base import Rows, Vectors
from babelspace.store.vector_copy import compared

SMALLEST_DEVIATION = 1e-6
# Stands for the languages of a direction that were not tried.
OTHERS = "*"


@dataclass(frozen=True)
class TypicalSimilarity:
    """Mean and standard deviation of the similarity of two documents."""

    mean: float = 0.0
    deviation: float = 1.0


def typical_similarity(sample: Vectors, similarity: str) -> TypicalSimilarity:
    """What is typical of the documents of an index, from a sample of their vectors."""
    count = len(sample) * (len(sample) - 1) / 2
    if not count:
        return TypicalSimilarity()
    if similarity == "cosine":
        # Sums over all pairs from the smaller of two matrices: Σ xᵢᵀxⱼ = ‖Σ xᵢ‖², Σ (xᵢᵀxⱼ)² = ‖XXᵀ‖² = ‖XᵀX‖².
        vectors = sample.astype(np.float64)
        own = np.square(vectors).sum(axis=1)
        total = (np.square(vectors.sum(axis=0)).sum() - own.sum()) / 2
        narrow = vectors if len(vectors) > vectors.shape[1] else vectors.T
        squares = (np.square(narrow.T @ narrow).sum() - np.square(own).sum()) / 2
    else:
        scores = np.array([compared(similarity, row, sample) for row in sample])[np.triu_indices(len(sample), 1)]
        total, squares = scores.sum(), np.square(scores).sum()
    mean = float(total / count)
    return TypicalSimilarity(mean, max(float(squares / count) - mean**2, SMALLEST_DEVIATION**2) ** 0.5)


@dataclass(frozen=True)
class FusionWeights:
    """How much meaning and words count in one direction, and what every document of it is given.

    Without an offset words count against the best document of the language: who holds as many of them as any other
    loses nothing, whatever a query may find in a language.
    """

    meaning: float
    words: float
    offset: float | None = None


def usual_weights(source: str, target: str) -> FusionWeights:
    """For models that have not learned any."""
    return FusionWeights(1.0, SETTINGS.lexical_within if source == target else SETTINGS.lexical_across)


def combined(
    similarity: NDArray[np.float64], lexical: NDArray[np.float64], weights: FusionWeights, typical: TypicalSimilarity
) -> NDArray[np.float64]:
    """Scores of one language's candidates; `similarity` is NaN for documents without a vector, which are typical."""
    above = np.where(np.isnan(similarity), 0.0, similarity - typical.mean)
    offset = -weights.words * lexical.max(initial=0.0) if weights.offset is None else weights.offset
    return typical.mean + weights.meaning * above + typical.deviation * (weights.words * lexical + offset)


def sampled(rows: Rows) -> Rows:
    """Rows spread evenly over all."""
    return (
        rows if len(rows) <= SETTINGS.sample else rows[np.linspace(0, len(rows) - 1, SETTINGS.sample).astype(np.int64)]
    )
