"""One space tried on rows that it has not learned from; what all trials share is read and counted once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.mates import common_pairs
from babelspace.features import Views, ViewsVectorizer
from babelspace.features.vectorizer import CountedTerms, spread
from babelspace.search.query_trials import QueryTrials
from babelspace.spaces.base import Space
from babelspace.spaces.lexical.dictionary_from_rows import WordCounts, dictionary_from_rows
from babelspace.spaces.registry import card, defaults, make
from babelspace.text.language_pair_sample import sampled_pairs
from babelspace.vectors.hubness import Correction
from babelspace.vectors.mates import direction_ranks
from babelspace.workflows.held_out_rows import first_rows

# Rows that are asked for by queries: enough to tell spaces apart, and weights of a search are soon learned.
MOST_ASKED = 200
# Weights of character n-grams beside translated words, which a fitted space can be given at no cost.
NGRAM_WEIGHTS = (0.3, 1.0)
# Tried with the best space, where it has dimensions.
DIMENSIONS = (100, 500)


@dataclass(frozen=True)
class SpaceTrial:
    """One thing to try, and what came of it: scores by use, seconds, the better correction for whole documents."""

    space: str
    features: str = "words"
    max_terms: int | None = 10_000
    dimension: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    drop_top: int | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    correction: str = "none"
    seconds: float = 0.0

    def vectorizer(self, base: ViewsVectorizer | None = None) -> ViewsVectorizer:
        """The features of the trial, everything else as in `base`."""
        given = {} if base is None else base.get_params(deep=False)
        own = {"features": self.features, "max_terms": self.max_terms, "drop_top": self.drop_top}
        if self.drop_top is None:
            del own["drop_top"]
        return ViewsVectorizer(**{**given, **own})

    def make(self, seed: int, most: int | None = None) -> Space:
        """The space, not fitted, with at most so many dimensions."""
        known = defaults(self.space)
        dimension = self.dimension if self.dimension is None or most is None else min(self.dimension, most)
        given = {"n_components": dimension, "random_state": seed, **self.settings}
        return make(self.space, **{name: value for name, value in given.items() if name in known and value is not None})


def variants(trial: SpaceTrial, most: int) -> Iterator[SpaceTrial]:
    """The same space with other ridges, then with other dimensions below so many."""
    usual = {**defaults(trial.space), **trial.settings}
    for name, values in card(trial.space).grid.items():
        for value in sorted((one for one in values if one != usual[name]), key=lambda one: _apart(one, usual[name])):
            yield _blank(trial, settings={**trial.settings, name: value})
    if trial.dimension is not None:
        yield from (_blank(trial, dimension=one) for one in DIMENSIONS if one != trial.dimension and one < most)


def with_frequent_terms(trial: SpaceTrial) -> SpaceTrial:
    """The same with the most frequent terms, of which texts of a few words have little else."""
    return _blank(trial, drop_top=0)


def _apart(value: Any, usual: Any) -> float:
    """How far a value is from the usual one, which neighbours of are tried first."""
    numbers = all(isinstance(one, (int, float)) and one > 0 for one in (value, usual))
    return abs(np.log(value / usual)) if numbers else 0.0


def _blank(trial: SpaceTrial, **changes: Any) -> SpaceTrial:
    return replace(trial, scores={}, correction="none", seconds=0.0, **changes)


@dataclass(frozen=True)
class TrialViews:
    """One vectorizer's weighted rows: to learn from, to try on, and of queries and the documents that they ask for."""

    vectorizer: ViewsVectorizer
    train: Views
    dev: Views
    documents: Mapping[str, Any]
    queries: Mapping[str, Any]


class TrialRows:
    """Rows to learn from and to try on; texts are read once for each kind of features."""

    def __init__(self, train: AlignedCorpus, dev: AlignedCorpus, base: ViewsVectorizer, seed: int) -> None:
        self.train, self.dev, self.base, self.seed = train, dev, base, seed
        self._counted: dict[str, CountedTerms] = {}
        self._views: dict[tuple[str, int | None, int | None], TrialViews] = {}

    def tried(self, trial: SpaceTrial, use: str) -> SpaceTrial:
        """Fit and score; settings that need no new fit are chosen for the use."""
        began = time.process_time()
        views = self.views_of(trial)
        space = trial.make(self.seed, most=min(views.train.shape) - 1).fit(views.train)
        found = self._scored(trial, space, views)
        for weight in NGRAM_WEIGHTS if "ngrams" in trial.settings else ():
            if weight != trial.settings["ngrams"]:
                other = replace(trial, settings={**trial.settings, "ngrams": weight})
                scored = self._scored(other, space.set_params(ngrams=weight), views)
                found = max(found, scored, key=lambda one: one.scores[use])
        return replace(found, seconds=time.process_time() - began)

    @cached_property
    def asking(self) -> QueryTrials:
        """The same queries for every trial, and what words alone find."""
        words = SpaceTrial("untranslated").vectorizer(self.base)
        counted = self._counts(words)
        words.fit_transform(self.train, counted=counted)
        rows = {name: spread(matrix, self.train.present(name)) for name, (matrix, _) in counted.items()}
        dictionary = dictionary_from_rows({name: WordCounts(rows[name], counted[name][1]) for name in counted})
        return QueryTrials.of(first_rows(self.dev, MOST_ASKED), words, dictionary)

    def _counts(self, vectorizer: ViewsVectorizer) -> CountedTerms:
        if vectorizer.features not in self._counted:
            self._counted[vectorizer.features] = vectorizer.count_corpus(self.train)
        return self._counted[vectorizer.features]

    def views_of(self, trial: SpaceTrial) -> TrialViews:
        """The rows as the vectorizer of the trial weighs them."""
        key = trial.features, trial.max_terms, trial.drop_top
        if key not in self._views:
            vectorizer = trial.vectorizer(self.base)
            train = vectorizer.fit_transform(self.train, counted=self._counts(vectorizer))
            asking = self.asking
            self._views[key] = TrialViews(
                vectorizer,
                train,
                vectorizer.transform(self.dev),
                {name: vectorizer.transform_texts(texts, name) for name, texts in asking.documents.items()},
                {name: vectorizer.transform_texts(asked.texts, name) for name, asked in asking.asked.items()},
            )
        return self._views[key]

    def _scored(self, trial: SpaceTrial, space: Space, views: TrialViews) -> SpaceTrial:
        found = self.outcomes(space, views)
        best = "csls" if "csls" in found and found["csls"].mean() > found["none"].mean() else "none"
        scores = {
            "match": float(found[best].mean()),
            "search": float(found["search"].mean()),
            "classify": float(found["classify"].mean()),
        }
        return replace(trial, scores={**scores, "all": float(np.mean(list(scores.values())))}, correction=best)

    def outcomes(self, space: Space, views: TrialViews) -> dict[str, NDArray[np.float64]]:
        """Of each query: whether the mate is first under each correction, nDCG of short queries, reciprocal ranks."""
        vectors, present = space.transform(views.dev), views.dev.present
        among = set(sampled_pairs(self.dev.counts()))
        pairs = [pair for pair in common_pairs(present, self.dev.name) if pair in among or pair[::-1] in among]
        corrections: tuple[Correction, ...] = ("none", "csls") if space.similarity == "cosine" else ("none",)
        ranks = {}
        for correction in corrections:
            found = direction_ranks(vectors, present, pairs, similarity=space.similarity, correction=correction)
            ranks[correction] = np.concatenate(list(found.values()))
        documents = {name: space.transform(rows, name) for name, rows in views.documents.items()}
        queries = {name: space.transform(rows, name) for name, rows in views.queries.items()}
        return {
            **{correction: (found == 1).astype(np.float64) for correction, found in ranks.items()},
            "search": self.asking.gains(documents, queries, space.similarity),
            "classify": 1 / ranks["none"],
        }
