"""The search on dev: every space under every vectorizer and setting, measured at every dimension."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.evaluate import common_pairs
from babelspace.evaluation.fitting import Featured, Fitted, dimensions_to_fit, fit_space
from babelspace.evaluation.journal import Journal, key_of
from babelspace.evaluation.measures import RetrievalScore, evaluate_mates
from babelspace.features import ViewsVectorizer
from babelspace.runtime import progress
from babelspace.spaces.base import LinearSpace


@dataclass(frozen=True)
class Setting:
    """One thing to fit: a space, its parameters and a vectorizer."""

    space: str
    vectorizer: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """What a setting reached on dev with so many dimensions (None: it has none) and a score correction."""

    setting: Setting
    dimension: int | None
    correction: str
    score: RetrievalScore

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Trial:
        """The trial that `asdict` took apart."""
        score = RetrievalScore(**stored["score"])
        return cls(Setting(**stored["setting"]), stored["dimension"], stored["correction"], score)


@dataclass(frozen=True)
class Choice:
    """The best trial of a space, its curve over dimensions, and its fit if that was to be kept."""

    trial: Trial
    curve: list[tuple[int | None, float]]
    fitted: Fitted | None


@dataclass(frozen=True)
class Tuner:
    """Fits on one corpus, measures on another; knows of no third."""

    features: Featured
    dev: AlignedCorpus
    vectorizers: Mapping[str, ViewsVectorizer]
    dimensions: tuple[int, ...]
    corrections: tuple[str, ...]
    measure: str
    seed: int
    journal: Journal
    identity: Mapping[str, Any]
    keep_fit: bool

    def choose(self, settings: Sequence[Setting]) -> Choice:
        """The best of all trials; among equals the smallest dimension, then the first."""
        trials: list[Trial] = []
        kept: Fitted | None = None
        for setting in progress.track(settings, f"tuning {settings[0].space}"):
            for trial, fitted in self._trials(setting):
                trials.append(trial)
                if self.keep_fit and self._best(trials) is trial:
                    kept = fitted
        best = self._best(trials)
        return Choice(best, _curve(trials, best), kept)

    def _best(self, trials: Sequence[Trial]) -> Trial:
        return max(trials, key=lambda trial: (getattr(trial.score, self.measure), -(trial.dimension or 0)))

    def _trials(self, setting: Setting) -> Iterator[tuple[Trial, Fitted | None]]:
        """All dimensions and corrections of one setting, from the journal if they were measured before."""
        key = key_of(self._key(setting))
        stored = self.journal.get(key)
        if stored is not None:
            # Labels of vectorizers may have changed; what they stand for is in the key.
            yield from ((replace(Trial.from_dict(trial), setting=setting), None) for trial in stored)
            return
        found = [
            (trial, fitted if self.keep_fit else None)
            for fitted in self._fits(setting)
            for trial in self._measured(setting, fitted)
        ]
        self.journal.put(key, [asdict(trial) for trial, _ in found])
        yield from found

    def _fits(self, setting: Setting) -> Iterator[Fitted]:
        views = self.features.training(setting.vectorizer)
        for dimension in dimensions_to_fit(setting.space, self.dimensions):
            yield fit_space(setting.space, setting.parameters, dimension, self.seed, views)

    def _measured(self, setting: Setting, fitted: Fitted) -> Iterator[Trial]:
        views = self.features.of(setting.vectorizer, self.dev)
        vectors = fitted.space.transform(views)
        pairs = common_pairs(views.present, self.dev.name)
        for dimension, correction in product(fitted.dimensions(self.dimensions), self.corrections):
            cut = vectors
            if isinstance(fitted.space, LinearSpace):
                cut = {language: rows[:, :dimension] for language, rows in vectors.items()}
            scores = evaluate_mates(
                cut,
                views.present,
                pairs,
                similarity=fitted.space.similarity,
                correction=correction,  # type: ignore[arg-type]
            )
            yield Trial(setting, dimension, correction, scores["mean"])

    def _key(self, setting: Setting) -> dict[str, Any]:
        return {
            "kind": "dev",
            **self.identity,
            "space": setting.space,
            "parameters": setting.parameters,
            "vectorizer": self.vectorizers[setting.vectorizer].get_params(),
            "dimensions": self.dimensions,
            "corrections": self.corrections,
            "seed": self.seed,
        }


def grid_points(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Every combination of the values; one empty combination for an empty grid."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def _curve(trials: Sequence[Trial], best: Trial) -> list[tuple[int | None, float]]:
    """MRR against dimension where everything else is as in the best trial."""
    return [
        (trial.dimension, trial.score.mrr)
        for trial in trials
        if trial.setting == best.setting and trial.correction == best.correction
    ]
