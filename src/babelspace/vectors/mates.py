"""Mate retrieval: where in the other language does the true mate of each document rank?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.vectors.hubness import Correction, check_correction, correct, mean_around, neighbour_means
from babelspace.vectors.neighbours import nearest
from babelspace.vectors.similarity import Prepared, Vectors, prepare, score_blocks

# Scores closer than this, relative to the length of the vectors, are ties. A float32 product may round
# copies of one document differently (1.5e-8 was the most seen at 3,000 dimensions), and a projection in batches
# leaves about 1e-7 between the vectors of equal texts; real differences are orders of magnitude larger.
TIE = 1e-6


def mate_ranks(
    source: Vectors,
    target: Vectors,
    mates: NDArray[Any] | None = None,
    similarity: str = "cosine",
    correction: Correction = "none",
    neighbourhood: int = 10,
) -> NDArray[np.int64]:
    """Rank (1 = best) of the mate of each source among all targets.

    `mates` are rows of `target`; without them row i is the mate of row i. Ties count as errors: the rank
    is 1 + the number of other targets that score at least as much as the mate. A zero vector ties with
    everything, so as query or as mate it has the worst rank, the number of targets. CSLS and margin take
    their means from the same two collections.
    """
    pair = _Pair(source, target, mates, similarity, correction, neighbourhood)
    ranks = np.full(len(pair.left), len(pair.right), np.int64)
    for part, scores in pair.blocks():
        mates = pair.mate_scores(part, scores)
        # Counted with the mate itself, which stands for the 1.
        counts = np.count_nonzero(scores >= (mates - pair.slack(part))[:, None], axis=1)
        ranks[part] = np.where(np.isfinite(mates), counts, ranks[part])
    return ranks


def mate_recall_counts(
    source: Vectors,
    target: Vectors,
    mates: NDArray[Any] | None = None,
    *,
    similarity: str = "cosine",
    correction: Correction = "none",
    neighbourhood: int = 10,
    found: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many pairs of a query and a document must be read, best first, to find `found` pairs of mates.

    Ties count as errors here too. Where so many mates are never found (zero vectors), all pairs are read.
    """
    pair = _Pair(source, target, mates, similarity, correction, neighbourhood)
    scores_of_mates, slack = np.empty(len(pair.left), np.float32), np.empty(len(pair.left), np.float32)
    for part, scores in pair.blocks():
        scores_of_mates[part], slack[part] = pair.mate_scores(part, scores), pair.slack(part)
    order = np.argsort(-scores_of_mates, kind="stable")[found - 1]
    thresholds = (scores_of_mates - slack)[order]
    counts = np.zeros(len(found), np.int64)
    for _, scores in pair.blocks():
        counts += [np.count_nonzero(scores >= threshold) for threshold in thresholds]
    return np.where(np.isfinite(thresholds), counts, len(pair.left) * len(pair.right))


def direction_ranks(
    vectors: Mapping[str, Vectors],
    present: Mapping[str, NDArray[np.bool_]] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    similarity: str = "cosine",
    correction: Correction = "none",
    neighbourhood: int = 10,
) -> dict[str, NDArray[np.int64]]:
    """Mate ranks in every direction ("en->es", "es->en", …) of row-aligned vectors.

    A row that lacks either language is neither query nor candidate of that pair.
    """
    ranks = {}
    for source, target in _directions(vectors, pairs):
        rows = _common_rows(vectors, present, source, target)
        ranks[f"{source}->{target}"] = mate_ranks(
            vectors[source][rows],
            vectors[target][rows],
            similarity=similarity,
            correction=correction,
            neighbourhood=neighbourhood,
        )
    return ranks


def _directions(vectors: Mapping[str, Vectors], pairs: Iterable[tuple[str, str]] | None) -> list[tuple[str, str]]:
    chosen = list(permutations(vectors, 2) if pairs is None else pairs)
    for language in (language for pair in chosen for language in pair):
        if language not in vectors:
            raise UnknownLanguage(language, list(vectors))
    if not chosen:
        raise ParameterError(f"mate retrieval needs two languages, got {', '.join(vectors) or 'none'}.")
    return chosen


def _common_rows(
    vectors: Mapping[str, Vectors], present: Mapping[str, NDArray[np.bool_]] | None, source: str, target: str
) -> NDArray[np.int64]:
    """Rows that have both languages."""
    sizes = np.shape(vectors[source])[0], np.shape(vectors[target])[0]
    if sizes[0] != sizes[1]:
        raise ParameterError(f"{source} has {sizes[0]} rows and {target} has {sizes[1]}; they must be aligned.")
    rows = np.arange(sizes[0])
    if present is not None:
        rows = np.flatnonzero(np.asarray(present[source], bool) & np.asarray(present[target], bool))
    if not rows.size:
        raise ParameterError(f"no row has both {source} and {target}. Leave this pair out or add documents.")
    return rows


class _Pair:
    """Two collections, the mates between them, and their corrected scores in blocks."""

    def __init__(
        self,
        source: Vectors,
        target: Vectors,
        mates: NDArray[Any] | None,
        similarity: str,
        correction: str,
        neighbourhood: int,
    ) -> None:
        check_correction(correction, similarity)
        self.left, self.right = prepare(source, similarity), prepare(target, similarity)
        self.mates = _checked(mates, self.left, self.right)
        self.correction = correction
        if correction != "none":
            forward, backward = (
                nearest(self.left, self.right, neighbourhood),
                nearest(self.right, self.left, neighbourhood),
            )
            self.means = neighbour_means(forward, self.left, self.right)
            self.other_means = neighbour_means(backward, self.right, self.left)

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """Corrected scores of some queries against all documents."""
        for part, scores in score_blocks(self.left, self.right):
            if self.correction != "none":
                scores = correct(scores, self.means[part, None], self.other_means, self.correction)
            yield part, scores

    def mate_scores(self, part: slice, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """The mates' scores, out of the block itself: a product of its own would be rounded differently."""
        return scores[np.arange(len(scores)), self.mates[part]]

    def slack(self, part: slice) -> NDArray[np.float32]:
        """How far below its mate's score a document still ties with it."""
        mates = self.mates[part]
        slack = TIE * np.maximum(self.left.norms[part], self.right.norms[mates])
        if self.correction == "csls":
            slack = 2 * slack
        elif self.correction == "margin":
            slack = slack / mean_around(self.means[part], self.other_means[mates])
        return slack.astype(np.float32)


def _checked(mates: NDArray[Any] | None, left: Prepared, right: Prepared) -> NDArray[np.int64]:
    """A row of the target for each source."""
    if mates is None:
        if len(left) != len(right):
            raise ParameterError(
                f"{len(left)} sources and {len(right)} targets are not row-aligned. Give the target row "
                "of each source as mates=..., or select the common rows."
            )
        return np.arange(len(left))
    mates = np.asarray(mates)
    if mates.shape != (len(left),) or not np.issubdtype(mates.dtype, np.integer):
        raise ParameterError(f"mates must be {len(left)} row numbers, got {mates.dtype} of shape {mates.shape}.")
    if mates.size and not (mates.min() >= 0 and mates.max() < len(right)):
        raise ParameterError(
            f"mates must be rows of the target, 0 to {len(right) - 1}; got {mates.min()} to {mates.max()}. "
            "Leave out sources that have no mate."
        )
    return mates.astype(np.int64)
