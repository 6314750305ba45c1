"""Which space, dimension, features and correction serve a use best: tried on rows that are set aside for it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from babelspace.corpus import AlignedCorpus, position
from babelspace.errors import ParameterError
from babelspace.evaluation.mates import common_pairs
from babelspace.evaluation.measures import evaluate_mates
from babelspace.evaluation.pseudo_queries import query_scores, query_vectors
from babelspace.features import Views, ViewsVectorizer
from babelspace.runtime import progress
from babelspace.runtime.results import Result
from babelspace.spaces.base import SPARSE_TERMS, Space
from babelspace.spaces.registry import defaults, make
from babelspace.vectors.hubness import Correction
from babelspace.workflows.held_out_rows import first_rows

USES = ("match", "search", "classify", "all")
# Rows to try on: a sixth of those at hand, and not more than needed to tell spaces apart.
DEV_SHARE, MOST_DEV, FEWEST_DEV = 1 / 6, 1_000, 20
# Rows to learn from while trying; order among spaces hardly changes beyond.
MOST_TRIED = 4_000
# Words of a query, as people ask.
QUERY_WORDS = 5
DIMENSIONS = (100, 300)


@dataclass(frozen=True)
class SpaceTrial:
    """One thing to try, and what came of it: scores by use, seconds, the better correction for whole documents."""

    space: str
    features: str = "words"
    max_terms: int | None = 10_000
    dimension: int | None = None
    scores: dict[str, float] = field(default_factory=dict)
    correction: str = "none"
    seconds: float = 0.0

    def vectorizer(self) -> ViewsVectorizer:
        """The features of the trial."""
        return ViewsVectorizer(features=self.features, max_terms=self.max_terms)

    def make(self, seed: int) -> Space:
        """The space, not fitted."""
        known = defaults(self.space)
        given = {"n_components": self.dimension, "random_state": seed}
        return make(self.space, **{name: value for name, value in given.items() if name in known and value is not None})


# The likeliest to win first: a budget may end before the last. Untranslated is what all have to beat.
TRIALS = (
    SpaceTrial("untranslated", "both", SPARSE_TERMS),
    SpaceTrial("opca", dimension=300),
    SpaceTrial("translation", "both", SPARSE_TERMS),
    SpaceTrial("oneta"),
    SpaceTrial("opca", "both", 20_000, 300),
    SpaceTrial("translation", "words", SPARSE_TERMS),
    SpaceTrial("cca", dimension=300),
    SpaceTrial("s2net", dimension=100),
    SpaceTrial("opca", dimension=100),
    SpaceTrial("cl-lsi", dimension=300),
    SpaceTrial("cr5", dimension=300),
)


@dataclass(frozen=True)
class SpaceChoice(Result):
    """What was tried, the best first, and what for."""

    use: str
    trials: tuple[SpaceTrial, ...]

    @property
    def best(self) -> SpaceTrial:
        """The trial that is best for the use."""
        return self.trials[0]

    def columns(self) -> dict[str, Sequence[Any]]:
        """A row for each trial."""
        named = ("space", "features", "max_terms", "dimension", "correction")
        columns: dict[str, Sequence[Any]] = {name: [getattr(one, name) for one in self.trials] for name in named}
        for use in self.best.scores:
            columns[use] = [round(one.scores[use], 4) for one in self.trials]
        return {**columns, "seconds": [round(one.seconds, 1) for one in self.trials]}


def choose_space(
    corpus: AlignedCorpus,
    use: str = "all",
    *,
    budget: float = 120.0,
    trials: Sequence[SpaceTrial] = TRIALS,
    seed: int = 0,
) -> SpaceChoice:
    """Try spaces on some rows of a corpus that the others teach, and order them by how well they serve a use.

    Parameters
    ----------
    use : "match" (whole documents find their mates: Top-1, with the better of no correction and CSLS), "search" (five
        words of a document find its mate: MRR), "classify" (MRR of whole documents, uncorrected: neighbours are alike)
        or "all" (the mean of the three)
    budget : seconds after which nothing more is tried; the first two always are

    Examples
    --------
    >>> from babelspace import planted
    >>> from babelspace.workflows.choose_space import SpaceTrial, choose_space
    >>> trials = [SpaceTrial("untranslated"), SpaceTrial("opca", dimension=20)]
    >>> choose_space(planted(rows=300), "match", trials=trials).best.space
    'opca'
    """
    if use not in USES:
        raise ParameterError(f"unknown use {use!r}; allowed: {', '.join(USES)}", hint="say {use='all'}")
    places = np.array([position(f"choosing {id}") for id in corpus.ids])
    apart = places < DEV_SHARE
    dev = first_rows(corpus.select(apart), MOST_DEV)
    if len(dev) < FEWEST_DEV:
        raise ParameterError(
            f"{len(corpus):,} rows are too few to choose a space by; {round(FEWEST_DEV / DEV_SHARE)} are needed",
            hint="name one: {space='opca'}",
        )
    train = first_rows(corpus.select(~apart), MOST_TRIED)
    tried: list[SpaceTrial] = []
    began = time.perf_counter()
    with progress.task("choosing a space", len(trials)) as advance:
        for trial in _affordable(trials, began, budget):
            tried.append(_tried(trial, train, dev, seed))
            advance(1)
    order = sorted(range(len(tried)), key=lambda place: (-tried[place].scores[use], place))
    return SpaceChoice(use, tuple(tried[place] for place in order))


def _affordable(trials: Sequence[SpaceTrial], began: float, budget: float) -> Iterator[SpaceTrial]:
    for number, trial in enumerate(trials):
        if number >= 2 and time.perf_counter() - began > budget:
            return
        yield trial


def _tried(trial: SpaceTrial, train: AlignedCorpus, dev: AlignedCorpus, seed: int) -> SpaceTrial:
    """Fit and score."""
    began = time.perf_counter()
    vectorizer = trial.vectorizer()
    space = trial.make(seed).fit(vectorizer.fit_transform(train))
    views = vectorizer.transform(dev)
    vectors = space.transform(views)
    return replace(_scored(trial, space, vectors, views, vectorizer, dev), seconds=time.perf_counter() - began)


def _scored(
    trial: SpaceTrial, space: Space, vectors: Any, views: Views, vectorizer: ViewsVectorizer, dev: AlignedCorpus
) -> SpaceTrial:
    pairs = common_pairs(views.present, dev.name)
    corrections: tuple[Correction, ...] = ("none", "csls") if space.similarity == "cosine" else ("none",)
    whole = {
        correction: evaluate_mates(vectors, views.present, pairs, similarity=space.similarity, correction=correction)
        for correction in corrections
    }
    best = max(corrections, key=lambda correction: whole[correction]["mean"].top1)
    asked = query_scores(space, query_vectors(vectorizer, dev, QUERY_WORDS), vectors, views.present, "none")
    across = [score.mrr for direction, score in asked.items() if len(set(direction.split("->"))) == 2]
    scores = {
        "match": whole[best]["mean"].top1,
        "search": float(np.mean(across)),
        "classify": whole["none"]["mean"].mrr,
    }
    return replace(trial, scores={**scores, "all": float(np.mean(list(scores.values())))}, correction=best)
