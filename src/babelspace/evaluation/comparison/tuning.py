"""The search on dev: every space under every vectorizer and setting, measured at every dimension."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.comparison.checkpoint import Journal, key_of
from babelspace.evaluation.comparison.fitting import (
    Featured,
    Fitted,
    dimensions_to_fit,
    fit_space,
    free_parameters,
    stops_on_dev,
)
from babelspace.evaluation.mates import common_pairs
from babelspace.evaluation.measures import RetrievalScore, evaluate_mates
from babelspace.features import ViewsVectorizer
from babelspace.runtime import progress
from babelspace.spaces.base import LinearSpace
from babelspace.vectors.hubness import Correction

DIMENSION, CORRECTION = "dimension", "correction"


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
    correction: Correction
    score: RetrievalScore

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Trial:
        """The trial that `asdict` took apart."""
        score = RetrievalScore(**stored["score"])
        return cls(Setting(**stored["setting"]), stored["dimension"], stored["correction"], score)


@dataclass(frozen=True)
class TunedSettings:
    """The best trial of a space (or of those that agree in `by`), its curve over dimensions, and its fit if kept."""

    trial: Trial
    curve: list[tuple[int | None, float]]
    fitted: Fitted | None
    by: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Tuner:
    """Fits on one corpus, measures on another; knows of no third."""

    features: Featured
    dev: AlignedCorpus
    vectorizers: Mapping[str, ViewsVectorizer]
    dimensions: tuple[int, ...]
    corrections: tuple[Correction, ...]
    measure: str
    seed: int
    journal: Journal
    identity: Mapping[str, Any]
    keep_fit: bool
    _latest: dict[str, Fitted] = field(default_factory=dict, init=False, repr=False)

    def choose(self, settings: Sequence[Setting], by: Sequence[str] = ()) -> list[TunedSettings]:
        """The best of all trials, or of each group that agrees in `by`; among equals the smallest dimension first.

        `by` names parameters of the vectorizer or the space, "dimension" or "correction".
        """
        trials: list[Trial] = []
        kept: Fitted | None = None
        for setting in progress.track(settings, f"tuning {settings[0].space}"):
            for trial, fitted in self._trials(setting):
                trials.append(trial)
                # Fits of several rows would be too much to hold; they are made again.
                if self.keep_fit and not by and self._best(trials) is trial:
                    kept = fitted
        lines = [name for name in by if name != DIMENSION]
        curves = {key: _curve(group, self._best(group)) for key, _, group in self._groups(trials, lines)}
        return [
            TunedSettings(best := self._best(group), curves[_key(self._values(best, lines))], kept, values)
            for _, values, group in self._groups(trials, by)
        ]

    def _groups(self, trials: Sequence[Trial], by: Sequence[str]) -> list[tuple[str, dict[str, Any], list[Trial]]]:
        """Trials with the same values of `by`, in the order in which these come first."""
        groups: dict[str, tuple[dict[str, Any], list[Trial]]] = {}
        for trial in trials:
            values = self._values(trial, by)
            groups.setdefault(_key(values), (values, []))[1].append(trial)
        return [(key, values, group) for key, (values, group) in groups.items()]

    def _values(self, trial: Trial, by: Sequence[str]) -> dict[str, Any]:
        """Those of the names in `by` that the trial has."""
        setting = trial.setting
        known = {
            **self.vectorizers[setting.vectorizer].get_params(),
            **setting.parameters,
            DIMENSION: trial.dimension,
            CORRECTION: trial.correction,
        }
        if trial.dimension is None:
            del known[DIMENSION]
        return {name: known[name] for name in by if name in known}

    def _best(self, trials: Sequence[Trial]) -> Trial:
        return max(trials, key=lambda trial: (getattr(trial.score, self.measure), -(trial.dimension or 0)))

    def _trials(self, setting: Setting) -> Iterator[tuple[Trial, Fitted | None]]:
        """All dimensions and corrections of one setting, from the journal if they were measured before."""
        key = key_of(self._identity(setting))
        stored = self.journal.get(key, _read_trials)
        if stored is not None:
            # Labels of vectorizers may have changed; what they stand for is in the key.
            yield from ((replace(trial, setting=setting), None) for trial in stored)
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
        free = free_parameters(setting.space)
        for dimension in dimensions_to_fit(setting.space, self.dimensions):
            if free:
                yield self._refitted(setting, dimension, free)
            else:
                dev = self.features.of(setting.vectorizer, self.dev) if stops_on_dev(setting.space) else None
                yield fit_space(setting.space, setting.parameters, dimension, self.seed, views, dev)

    def _refitted(self, setting: Setting, dimension: int | None, free: tuple[str, ...]) -> Fitted:
        """A fit of the same with other values of the free parameters is fitted enough."""
        fixed = {name: value for name, value in setting.parameters.items() if name not in free}
        key = key_of({"of": [setting.space, setting.vectorizer, dimension], "fixed": fixed})
        if key not in self._latest:
            self._latest.clear()
            views = self.features.training(setting.vectorizer)
            self._latest[key] = fit_space(setting.space, fixed, dimension, self.seed, views)
        fitted = self._latest[key]
        given = {name: value for name, value in setting.parameters.items() if name in free}
        return replace(fitted, space=copy.copy(fitted.space).set_params(**given))

    def _measured(self, setting: Setting, fitted: Fitted) -> Iterator[Trial]:
        views = self.features.of(setting.vectorizer, self.dev)
        vectors = fitted.space.transform(views)
        pairs = common_pairs(views.present, self.dev.name)
        for dimension, correction in product(fitted.dimensions(self.dimensions), self.corrections):
            cut = vectors
            if isinstance(fitted.space, LinearSpace):
                cut = {language: rows[:, :dimension] for language, rows in vectors.items()}
            scores = evaluate_mates(cut, views.present, pairs, fitted.space.similarity, correction)
            yield Trial(setting, dimension, correction, scores["mean"])

    def _identity(self, setting: Setting) -> dict[str, Any]:
        return {
            "kind": "dev",
            **self.identity,
            "space": setting.space,
            "parameters": setting.parameters,
            "vectorizer": self.vectorizers[setting.vectorizer].get_params(),
            "dimensions": self.dimensions,
            "corrections": self.corrections,
            "seed": self.seed,
            **({"stopping": "dev"} if stops_on_dev(setting.space) else {}),
        }


def grid_points(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Every combination of the values; one empty combination for an empty grid."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def _read_trials(stored: Any) -> list[Trial]:
    if not stored:
        raise ValueError("no trials")
    return [Trial.from_dict(trial) for trial in stored]


def _key(values: Mapping[str, Any]) -> str:
    return repr(list(values.items()))


def _curve(trials: Sequence[Trial], best: Trial) -> list[tuple[int | None, float]]:
    """MRR against dimension where everything else is as in the best trial."""
    return [
        (trial.dimension, trial.score.mrr)
        for trial in trials
        if trial.setting == best.setting and trial.correction == best.correction
    ]
