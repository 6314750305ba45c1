"""How far the probabilities of matching can be trusted: told by documents whose mates are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.mining.matching import match
from babelspace.runtime.results import Result
from babelspace.spaces import Encoder
from babelspace.workflows.held_out_rows import first_rows, has_learned_from, held_out_rows, paired
from babelspace.workflows.stages import advise

# Bins of the reliability curve, rows that are matched at most, and the share of each side that loses its mate.
BINS, MOST, ALONE = 10, 2_000, 0.25


@dataclass(frozen=True, eq=False)
class MatchingQuality(Result):
    """Pairs that matching made, most probable first: their probability, and whether they are right.

    `documents` counts those of each side; every one has its mate, but for a share that was taken away on each side.
    """

    source: list[str]
    target: list[str]
    probability: NDArray[np.float64]
    right: NDArray[np.bool_]
    documents: int

    def columns(self) -> dict[str, object]:  # type: ignore[override]
        """Named columns."""
        return {name: getattr(self, name) for name in ("source", "target", "probability", "right")}

    def reliability(self, bins: int = BINS) -> list[tuple[float, float, int]]:
        """Mean probability, share of right pairs and number of pairs, for equal parts of the range from 0 to 1."""
        place = np.minimum((self.probability * bins).astype(np.int64), bins - 1)
        return [
            (float(self.probability[place == number].mean()), float(self.right[place == number].mean()), int(count))
            for number, count in enumerate(np.bincount(place, minlength=bins))
            if count
        ]


def matching_quality(encoder: Encoder, corpus: AlignedCorpus, source: str, target: str) -> MatchingQuality:
    """Match the rows of a corpus after taking mates away, and look which pairs are right.

    Where the model has learned from this corpus, only the rows that it held out are taken.

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, fit_model, planted
    >>> corpus = planted(rows=500)
    >>> encoder = fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=20, holdout=0.4)
    >>> found = matching_quality(encoder, corpus, "en", "es")
    >>> bool(found.right[found.probability > 0.9].mean() > 0.8)
    True
    """
    whole = paired(corpus.select(languages=[source, target]))
    holdout = None
    if has_learned_from(encoder, corpus, None):
        holdout = encoder.card_["corpus"].get("holdout") or None
        if holdout is None:
            advise("the model has learned from these very rows: what is told here is too good")
    rows = first_rows(held_out_rows(whole, holdout), MOST)
    ids = sorted(rows.ids)
    lonely = round(ALONE * len(ids) / (1 + ALONE))
    # Ids in order of their names: the first lose their target, the last their source.
    left = [one for one in rows.documents(source) if one.id not in set(ids[len(ids) - lonely :])]
    right = [one for one in rows.documents(target) if one.id not in set(ids[:lonely])]
    pairs = match(encoder, left, right, precision=0)
    same = np.array([one == other for one, other in zip(pairs.source, pairs.target, strict=True)], bool)
    return MatchingQuality(pairs.source, pairs.target, pairs.probability, same, len(left))
