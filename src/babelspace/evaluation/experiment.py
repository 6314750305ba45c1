"""`compare`: many spaces on one corpus, tuned on dev, reported on test."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from babelspace import __version__
from babelspace.corpus import AlignedCorpus, Split
from babelspace.errors import ParameterError
from babelspace.evaluation.comparison import Comparison, Row
from babelspace.evaluation.evaluate import common_pairs, count_empty
from babelspace.evaluation.fitting import Featured, Fitted, dimensions_to_fit, fit_space
from babelspace.evaluation.journal import Journal, key_of
from babelspace.evaluation.measures import RetrievalScore
from babelspace.evaluation.significance import best_set, interval
from babelspace.evaluation.tuning import Choice, Setting, Trial, Tuner, grid_points
from babelspace.features import ViewsVectorizer
from babelspace.spaces.registry import card, make
from babelspace.vectors.hubness import check_correction
from babelspace.vectors.mates import direction_ranks

BASELINE = "untranslated"
MEASURES = ("mrr", "top1", "top5", "top10")

Grids = Mapping[str, Mapping[str, Sequence[Any]]]


def compare(
    split: Split,
    spaces: Sequence[str],
    dimensions: Sequence[int],
    *,
    vectorizers: Mapping[str, ViewsVectorizer],
    grids: Grids | None = None,
    corrections: Sequence[str] = ("none",),
    refit: bool = True,
    measure: str = "mrr",
    seed: int = 0,
    on_row: Callable[[Row], None] | None = None,
    resume: str | Path | None = None,
) -> Comparison:
    """One row a space: all settings are fitted on train and measured on dev, the best one is reported on test.

    Parameters
    ----------
    split : train, dev and test; vocabulary, weights and spaces learn from train alone while tuning
    spaces : registry names; the untranslated baseline is always a row
    dimensions : each is measured on dev; a linear space is fitted once, at the largest
    vectorizers : name -> vectorizer, chosen on dev like any other setting
    grids : space -> parameter -> values to try; by default what the table of spaces proposes
    corrections : score corrections to try: none, csls, margin
    refit : learn again from train and dev before the report on test
    measure : what decides on dev: mrr, top1, top5 or top10
    on_row : called with each row as it is finished (its mark `best` is known only at the end)
    resume : a file of finished measurements; what is in there is not computed again

    Examples
    --------
    >>> from babelspace.corpus import planted
    >>> from babelspace.evaluation import compare
    >>> from babelspace.features import ViewsVectorizer
    >>> words = {"words": ViewsVectorizer(drop_top=0)}
    >>> found = compare(planted(rows=300).split(), ["cl-lsi"], [10, 20], vectorizers=words)
    >>> [row.space for row in found.rows]
    ['untranslated', 'cl-lsi']
    """
    names = _checked_spaces(spaces, corrections)
    asked = _checked_dimensions(dimensions)
    _check_split(split)
    if measure not in MEASURES:
        raise ParameterError(f"unknown measure {measure!r} to tune by. Use one of {', '.join(MEASURES)}.")
    baseline = _shared(vectorizers)
    every = {**vectorizers, **baseline}
    plans = {name: _settings(name, baseline if name == BASELINE else vectorizers, grids) for name in names}
    about = _about(split, vectorizers, asked, corrections, measure, refit, seed)
    prints = about["corpus"]["fingerprints"]
    journal = Journal(resume)
    features = Featured(split.train, every)
    tuner = Tuner(
        features=features,
        dev=split.dev,
        vectorizers=every,
        dimensions=asked,
        corrections=tuple(corrections),
        measure=measure,
        seed=seed,
        journal=journal,
        identity={"version": __version__, "train": prints["train"], "dev": prints["dev"]},
        keep_fit=not refit,
    )
    report = _Report(
        features=Featured(joined(split.train, split.dev), every) if refit else features,
        test=split.test,
        vectorizers=every,
        dimensions=None if refit else asked,
        seed=seed,
        journal=journal,
        identity={"version": __version__, "refit": refit, **prints},
    )
    rows, curves = [], {}
    for name, settings in plans.items():
        choice = tuner.choose(settings)
        rows.append(report.row(choice))
        curves[name] = choice.curve
        if on_row:
            on_row(rows[-1])
    return Comparison(_marked(rows), curves, about)


@dataclass(frozen=True)
class _Report:
    """Measures the chosen settings on test."""

    features: Featured
    test: AlignedCorpus
    vectorizers: Mapping[str, ViewsVectorizer]
    dimensions: tuple[int, ...] | None  # those of the fit on train, if that is what is reported
    seed: int
    journal: Journal
    identity: Mapping[str, Any]

    def row(self, choice: Choice) -> Row:
        """The row of a space, from the journal if it was measured before."""
        key = key_of(self._key(choice))
        stored = self.journal.get(key)
        if stored is None:
            row = self._measured(choice)
            self.journal.put(key, row.stored())
            return row
        return replace(Row.from_stored(stored), vectorizer=choice.trial.setting.vectorizer)

    def _measured(self, choice: Choice) -> Row:
        trial, setting = choice.trial, choice.trial.setting
        views = self.features.of(setting.vectorizer, self.test)
        fitted = choice.fitted or self._fitted(trial)
        space = fitted.at(trial.dimension)
        start = time.perf_counter()
        vectors = space.transform(views)
        seconds = time.perf_counter() - start
        ranks = direction_ranks(
            vectors,
            views.present,
            common_pairs(views.present, self.test.name),
            similarity=space.similarity,
            correction=trial.correction,  # type: ignore[arg-type]
        )
        scores = {direction: RetrievalScore.from_ranks(found) for direction, found in ranks.items()}
        every = np.concatenate(list(ranks.values()))
        return Row(
            space=setting.space,
            parameters=setting.parameters,
            vectorizer=setting.vectorizer,
            dimension=trial.dimension,
            correction=trial.correction,
            dev=trial.score,
            test=scores | {"mean": RetrievalScore.mean(scores.values())},
            interval={"top1": interval(every == 1, seed=self.seed), "mrr": interval(1 / every, seed=self.seed)},
            seconds={"fit": fitted.seconds, "transform": seconds},
            peak_mb=fitted.peak_mb,
            empty=count_empty(vectors, views.present),
            ranks=ranks,
        )

    def _fitted(self, trial: Trial) -> Fitted:
        setting, dimension = trial.setting, trial.dimension
        if self.dimensions is not None:
            # As while tuning: where one fit serves all dimensions, the largest was fitted.
            tried = dimensions_to_fit(setting.space, self.dimensions)
            dimension = dimension if dimension in tried else tried[0]
        views = self.features.training(setting.vectorizer)
        return fit_space(setting.space, setting.parameters, dimension, self.seed, views)

    def _key(self, choice: Choice) -> dict[str, Any]:
        trial = choice.trial
        return {
            "kind": "test",
            **self.identity,
            "space": trial.setting.space,
            "parameters": trial.setting.parameters,
            "vectorizer": self.vectorizers[trial.setting.vectorizer].get_params(),
            "dimension": trial.dimension,
            "correction": trial.correction,
            "dev": trial.score.as_dict(),
            "seed": self.seed,
        }


def joined(first: AlignedCorpus, second: AlignedCorpus) -> AlignedCorpus:
    """The rows of both; line-aligned files number their lines, so the ids of two parts may be the same."""
    ids = [f"{number}/{id}" for number, part in enumerate((first, second)) for id in part.ids]
    texts = {language: [*first.texts(language), *second.texts(language)] for language in first.languages}
    return AlignedCorpus(ids, texts, name=first.name)


def _marked(rows: list[Row]) -> list[Row]:
    """The rows with the best set of the paper's test marked."""
    chosen = best_set({row.space: row.hits() for row in rows})
    return [replace(row, best=row.space in chosen) for row in rows]


def _settings(name: str, vectorizers: Mapping[str, ViewsVectorizer], grids: Grids | None) -> list[Setting]:
    """Everything to try for a space; parameters that it does not have are an error now, not after an hour."""
    grid = card(name).grid if grids is None or name not in grids else grids[name]
    if "n_components" in grid:
        raise ParameterError(f"the grid of {name} has n_components; give dimensions=[…] (--dims) instead.")
    points = grid_points(grid)
    if not points:
        raise ParameterError(f"the grid of {name} has a parameter without values: {dict(grid)}.")
    make(name, **points[0])
    return [Setting(name, label, point) for label in vectorizers for point in points]


def _shared(vectorizers: Mapping[str, ViewsVectorizer]) -> dict[str, ViewsVectorizer]:
    """Vectorizers of the baseline, which compares spellings: always with a shared vocabulary."""
    if not vectorizers:
        raise ParameterError('no vectorizer to compare with. Give for example {"words": ViewsVectorizer()}.')
    return {
        label if vectorizer.vocabulary == "shared" else f"{label}, shared": clone(vectorizer).set_params(
            vocabulary="shared"
        )
        for label, vectorizer in vectorizers.items()
    }


def _checked_spaces(spaces: Sequence[str], corrections: Sequence[str]) -> list[str]:
    """The names without repeats, the baseline first if it was not asked for."""
    names = list(dict.fromkeys(spaces))
    names = names if BASELINE in names else [BASELINE, *names]
    if not corrections:
        raise ParameterError("no score correction given. Use corrections=['none'].")
    for name in names:
        similarity = card(name).load().similarity  # type: ignore[attr-defined]
        for correction in corrections:
            check_correction(correction, similarity)
    return names


def _checked_dimensions(dimensions: Sequence[int]) -> tuple[int, ...]:
    asked = tuple(sorted(set(dimensions)))
    if not asked or asked[0] < 1:
        given = ", ".join(map(str, dimensions)) or "none"
        raise ParameterError(f"dimensions must be 1 or more, got {given}. Try 50, 100, 200.")
    return asked


def _check_split(split: Split) -> None:
    for part, needed in {"train": 1, "dev": 1, "test": 2}.items():
        corpus: AlignedCorpus = getattr(split, part)
        if len(corpus) < needed:
            raise ParameterError(
                f"the {part} part of {corpus.name} has {len(corpus)} rows; comparing needs train, dev and test. "
                "Split for example with --split .8,.1,.1 or corpus.split(0.8, 0.1, 0.1)."
            )
        if part != "train" and corpus.languages != split.train.languages:
            raise ParameterError(
                f"train has the languages {', '.join(split.train.languages)} and {part} has "
                f"{', '.join(corpus.languages)}. Choose the same with --languages."
            )


def _about(
    split: Split,
    vectorizers: Mapping[str, ViewsVectorizer],
    dimensions: tuple[int, ...],
    corrections: Sequence[str],
    measure: str,
    refit: bool,
    seed: int,
) -> dict[str, Any]:
    parts = {"train": split.train, "dev": split.dev, "test": split.test}
    return {
        "corpus": {
            "name": split.train.name.removesuffix("/train"),
            "languages": list(split.train.languages),
            "rows": {part: len(corpus) for part, corpus in parts.items()},
            "fingerprints": {part: corpus.fingerprint() for part, corpus in parts.items()},
        },
        "vectorizers": {label: vectorizer.get_params() for label, vectorizer in vectorizers.items()},
        "dimensions": list(dimensions),
        "corrections": list(corrections),
        "measure": measure,
        "refit": refit,
        "seed": seed,
        "version": __version__,
    }
