"""The rows of a comparison: chosen settings measured on test, and tested against each other."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.comparison.checkpoint import Journal, key_of
from babelspace.evaluation.comparison.fitting import Featured, Fitted, dimensions_to_fit, fit_space, stops_on_dev
from babelspace.evaluation.comparison.table import Row
from babelspace.evaluation.comparison.tuning import Trial, TunedSettings
from babelspace.evaluation.mates import common_pairs, count_empty
from babelspace.evaluation.measures import RetrievalScore, scores_of_ranks
from babelspace.evaluation.pseudo_queries import query_scores
from babelspace.evaluation.significance import against_best, best_set, interval
from babelspace.features import ViewsVectorizer
from babelspace.vectors.mates import direction_ranks

# Changes whenever a row holds something else, so that rows which an older version left in a journal are measured anew.
RECORD = 3


@dataclass(frozen=True)
class Reporter:
    """Measures the chosen settings on test."""

    features: Featured
    test: AlignedCorpus
    dev: AlignedCorpus | None  # unless it is among what is learned from
    vectorizers: Mapping[str, ViewsVectorizer]
    dimensions: tuple[int, ...] | None  # those of the fit on train, if that is what is reported
    words: int  # of a pseudo query; 0 for none
    seed: int
    journal: Journal
    identity: Mapping[str, Any]

    def row(self, choice: TunedSettings) -> Row:
        """The row of a space, from the journal if it was measured before."""
        key = key_of(self._key(choice))
        stored = self.journal.get(key, Row.from_stored)
        if stored is None:
            row = self._measured(choice)
            self.journal.put(key, row.stored())
            return replace(row, by=choice.by)
        return replace(stored, vectorizer=choice.trial.setting.vectorizer, by=choice.by)

    def _measured(self, choice: TunedSettings) -> Row:
        trial, setting = choice.trial, choice.trial.setting
        views = self.features.of(setting.vectorizer, self.test)
        fitted = choice.fitted or self._fitted(trial)
        space = fitted.at(trial.dimension)
        start = time.perf_counter()
        vectors = space.transform(views)
        seconds = time.perf_counter() - start
        pairs = common_pairs(views.present, self.test.name)
        ranks = direction_ranks(vectors, views.present, pairs, space.similarity, trial.correction)
        every = np.concatenate(list(ranks.values()))
        return Row(
            space=setting.space,
            parameters=setting.parameters,
            vectorizer=setting.vectorizer,
            dimension=trial.dimension,
            correction=trial.correction,
            dev=trial.score,
            test=scores_of_ranks(ranks),
            interval={"top1": interval(every == 1, seed=self.seed), "mrr": interval(1 / every, seed=self.seed)},
            seconds={"fit": fitted.seconds, "cpu": fitted.cpu_seconds, "transform": seconds},
            peak_mb=fitted.peak_mb,
            empty=count_empty(vectors, views.present),
            ranks=ranks,
            queries=self._queries(trial, space, vectors),
            dropped=getattr(space, "dropped_", None),
        )

    def _queries(self, trial: Trial, space: Any, vectors: Mapping[str, Any]) -> dict[str, RetrievalScore]:
        if not self.words:
            return {}
        label = trial.setting.vectorizer
        queries = self.features.queries(label, self.test, self.words)
        return query_scores(space, queries, vectors, self.features.of(label, self.test).present, trial.correction)

    def _fitted(self, trial: Trial) -> Fitted:
        setting, dimension = trial.setting, trial.dimension
        if self.dimensions is not None:
            # As while tuning: where one fit serves all dimensions, the largest was fitted.
            tried = dimensions_to_fit(setting.space, self.dimensions)
            dimension = dimension if dimension in tried else tried[0]
        views = self.features.training(setting.vectorizer)
        dev = None
        if self.dev is not None and stops_on_dev(setting.space):
            dev = self.features.of(setting.vectorizer, self.dev)
        return fit_space(setting.space, setting.parameters, dimension, self.seed, views, dev)

    def _key(self, choice: TunedSettings) -> dict[str, Any]:
        trial = choice.trial
        return {
            "kind": "test",
            "record": RECORD,
            **self.identity,
            "space": trial.setting.space,
            "parameters": trial.setting.parameters,
            "vectorizer": self.vectorizers[trial.setting.vectorizer].get_params(),
            "dimension": trial.dimension,
            "correction": trial.correction,
            "dev": trial.score.as_dict(),
            "queries": self.words,
            "seed": self.seed,
        }


def marked(rows: Sequence[Row], test: str = "bootstrap", seed: int = 0) -> list[Row]:
    """The rows with p-values against the best row, and with the best set of the paper's test marked.

    The paper's test knows nothing of pairs of queries; a row that the paired test rejects is not marked.
    """
    hits = [row.hits() for row in rows]
    chosen = best_set({str(place): sample for place, sample in enumerate(hits)})
    p_values = against_best(hits, test, seed)
    return [
        replace(row, best=str(place) in chosen and not rejected(p_values[place]), p=p_values[place])
        for place, row in enumerate(rows)
    ]


def rejected(p: float | None, level: float = 0.05) -> bool:
    """Whether the paired test tells a row from the best one, which has no p-value."""
    return p is not None and p < level
