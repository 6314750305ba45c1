"""`compare`: many spaces on one corpus, tuned on dev, reported on test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from babelspace import __version__
from babelspace.corpus import AlignedCorpus, Split
from babelspace.errors import ParameterError
from babelspace.evaluation.comparison.checkpoint import Journal
from babelspace.evaluation.comparison.fitting import Featured
from babelspace.evaluation.comparison.measuring import Reporter, marked
from babelspace.evaluation.comparison.plan import Grids, Plans, checked_by, checked_dimensions, checked_spaces
from babelspace.evaluation.comparison.table import Comparison, Curve, Row
from babelspace.evaluation.comparison.tuning import Tuner
from babelspace.evaluation.pseudo_queries import WORDS
from babelspace.evaluation.significance import PAIRED_TESTS
from babelspace.features import ViewsVectorizer
from babelspace.runtime import progress
from babelspace.text.translator import Translator
from babelspace.vectors.hubness import Correction

MEASURES = ("mrr", "top1", "top5", "top10")


def compare(
    split: Split,
    spaces: Sequence[str],
    dimensions: Sequence[int],
    *,
    vectorizers: Mapping[str, ViewsVectorizer],
    counting: Mapping[str, ViewsVectorizer] | None = None,
    grids: Grids | None = None,
    corrections: Sequence[str] = ("none",),
    by: Sequence[str] = (),
    refit: bool = True,
    measure: str = "mrr",
    queries: int = WORDS,
    test_by: str = "bootstrap",
    seed: int = 0,
    on_row: Callable[[Row], None] | None = None,
    resume: str | Path | None = None,
    translator: Translator | Mapping[str, Any] | None = None,
) -> Comparison:
    """One row a space: all settings are fitted on train and measured on dev, the best one is reported on test.

    Parameters
    ----------
    split : train, dev and test; vocabulary, weights and spaces learn from train alone while tuning
    spaces : registry names; the untranslated baseline is always a row. Names joined by + are a combination, whose parts
        are tuned by themselves before its weights are
    dimensions : each is measured on dev; a linear space is fitted once, at the largest
    vectorizers : name -> vectorizer, chosen on dev like any other setting
    counting : the same for spaces that need counts (topic models); by default `vectorizers`, with plain counts in place
        of the usual weighting
    grids : space -> parameter -> values to try; by default what the table of spaces proposes
    corrections : score corrections to try: none, csls, margin
    by : what gets rows of its own instead of being chosen on dev: parameters of vectorizers ("weighting") and spaces
        ("gamma"), "dimension", "correction", or "all" that is tried
    refit : learn again from train and dev before the report on test
    measure : what decides on dev: mrr, top1, top5 or top10
    queries : words of the pseudo queries that are measured on test, too; 0 leaves them out
    test_by : the paired test of every row against the best: bootstrap, randomisation or t
    on_row : called with each row as it is finished (its marks `best` and `p` are known only at the end)
    resume : a file of finished measurements; what is in there is not computed again
    translator : the translator of the spaces that need one; others read the texts as they are

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
    names, asked = checked_spaces(spaces, corrections), checked_dimensions(dimensions)
    _check_split(split)
    _check_choices(measure, queries, test_by)
    plans = Plans(names, vectorizers, grids, counting, Translator.of(translator))
    rows_by = checked_by(by, plans, asked, corrections)
    about = {
        **_corpus(split),
        "vectorizers": {label: vectorizer.get_params() for label, vectorizer in plans.asked.items()},
        "dimensions": list(asked),
        "corrections": list(corrections),
        "by": rows_by,
        "measure": measure,
        "queries": queries,
        "test_by": test_by,
        "refit": refit,
        "seed": seed,
        "version": __version__,
    }
    prints = about["corpus"]["fingerprints"]
    journal = Journal(resume)
    features = Featured(split.train, plans.vectorizers)
    tuner = Tuner(
        features=features,
        dev=split.dev,
        vectorizers=plans.vectorizers,
        dimensions=asked,
        corrections=cast("tuple[Correction, ...]", tuple(corrections)),
        measure=measure,
        seed=seed,
        journal=journal,
        identity={"version": __version__, "train": prints["train"], "dev": prints["dev"]},
        keep_fit=not refit,
    )
    reporter = Reporter(
        features=Featured(joined(split.train, split.dev), plans.vectorizers) if refit else features,
        dev=None if refit else split.dev,
        test=split.test,
        vectorizers=plans.vectorizers,
        dimensions=None if refit else asked,
        words=queries,
        seed=seed,
        journal=journal,
        identity={"version": __version__, "refit": refit, **prints},
    )
    rows: list[Row] = []
    curves: dict[str, Curve] = {}
    for name in progress.track(names, "comparing spaces"):
        for choice in tuner.choose(plans.settings(name, tuner), rows_by):
            rows.append(reporter.row(choice))
            curves[rows[-1].line] = choice.curve
            if on_row:
                on_row(rows[-1])
    return Comparison(marked(rows, test_by, seed), curves, about)


def joined(first: AlignedCorpus, second: AlignedCorpus) -> AlignedCorpus:
    """The rows of both; line-aligned files number their lines, so the ids of two parts may be the same."""
    ids = [f"{number}/{id}" for number, part in enumerate((first, second)) for id in part.ids]
    texts = {language: [*first.texts(language), *second.texts(language)] for language in first.languages}
    return AlignedCorpus(ids, texts, name=first.name)


def _check_split(split: Split) -> None:
    for part, needed in {"train": 1, "dev": 1, "test": 2}.items():
        corpus: AlignedCorpus = getattr(split, part)
        if len(corpus) < needed:
            raise ParameterError(
                f"the {part} part of {corpus.name} has {len(corpus)} rows; comparing needs train, dev and test",
                hint="split for example with {shares=(.8, .1, .1)}",
            )
        if part != "train" and corpus.languages != split.train.languages:
            raise ParameterError(
                f"train has the languages {', '.join(split.train.languages)} and {part} has "
                f"{', '.join(corpus.languages)}",
                hint="choose the same with {languages}",
            )


def _check_choices(measure: str, queries: int, test_by: str) -> None:
    if measure not in MEASURES:
        raise ParameterError(f"unknown measure {measure!r} to tune by. Use one of {', '.join(MEASURES)}.")
    if queries < 0:
        raise ParameterError(f"queries is a number of words, got {queries}. Use 5, or 0 for none.")
    if test_by not in PAIRED_TESTS:
        raise ParameterError(f"unknown paired test {test_by!r}. Use one of {', '.join(PAIRED_TESTS)}.")


def _corpus(split: Split) -> dict[str, Any]:
    parts = {"train": split.train, "dev": split.dev, "test": split.test}
    return {
        "corpus": {
            "name": split.train.name.removesuffix("/train"),
            "languages": list(split.train.languages),
            "rows": {part: len(corpus) for part, corpus in parts.items()},
            "fingerprints": {part: corpus.fingerprint() for part, corpus in parts.items()},
        }
    }
