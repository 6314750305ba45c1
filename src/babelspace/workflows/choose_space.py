"""Which space, dimension, ridge, features and correction serve a use best: tried on rows that are set aside for it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from babelspace.corpus import AlignedCorpus, position
from babelspace.errors import ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.runtime import progress
from babelspace.runtime.results import Result
from babelspace.spaces.base import SPARSE_TERMS
from babelspace.workflows.held_out_rows import first_rows, paired
from babelspace.workflows.space_trials import SpaceTrial, TrialRows, variants, with_frequent_terms

USES = ("match", "search", "classify", "all")
# Rows to try on: a sixth of those at hand, of few rows up to a third; not more than needed to tell spaces apart.
DEV_SHARE, MOST_SHARE, ENOUGH_DEV, MOST_DEV, FEWEST_DEV = 1 / 6, 1 / 3, 300, 600, 20
FEWEST_ROWS = round(FEWEST_DEV / DEV_SHARE)
# Rows to learn from while trying; the order among spaces hardly changes beyond (benchmarks/measure/auto.py).
MOST_TRIED = 2_000
# Languages to try on: those with the most documents.
MOST_LANGUAGES = 6
# Explicit topics have as many dimensions as rows, and dense vectors beside translated words as many as there are words:
# with more rows their vectors are too long to be kept.
MOST_WIDE = 5_000
# Where words find nearly all mates, character n-grams, which take most of the time, are tried for short queries only.
SOLVED = 0.99

# What differs most first, and what takes longest last: a budget may end before. The third is the best known choice for
# comparable documents.
TRIALS = (
    SpaceTrial("opca", dimension=300),
    SpaceTrial("translation", max_terms=SPARSE_TERMS),
    SpaceTrial("translation", "both", SPARSE_TERMS, settings={"ngrams": 1.0}),
    SpaceTrial("oneta"),
    SpaceTrial("cca", dimension=300),
    SpaceTrial("untranslated", "both", SPARSE_TERMS),
    SpaceTrial("opca", "both", 20_000, 300),
    SpaceTrial("oneta", "both", 20_000),
)
# Trained spaces take longest: tried, too, by who gives so many seconds.
PATIENCE = 120.0
TRAINED_TRIALS = (
    SpaceTrial("cca+opca", "both", 20_000, 300, settings={"weights": "learned", "scale": "unit"}),
    SpaceTrial("cr5", dimension=300),
    SpaceTrial("s2net", dimension=300),
    *(
        SpaceTrial(
            "s2net+translation",
            "both",
            dimension=100,
            settings={"reads": reads, "weights": "learned", "scale": "unit", "translation.ngrams": 1.0},
        )
        for reads in ("words:both", "both:both")
    ),
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
        named = ("space", "features", "max_terms", "drop_top", "dimension", "settings", "correction")
        columns: dict[str, Sequence[Any]] = {name: [getattr(one, name) for one in self.trials] for name in named}
        for use in self.best.scores:
            columns[use] = [round(one.scores[use], 4) for one in self.trials]
        return {**columns, "seconds": [round(one.seconds, 1) for one in self.trials]}


def choose_space(
    corpus: AlignedCorpus,
    use: str = "all",
    *,
    budget: float = 30.0,
    vectorizer: ViewsVectorizer | None = None,
    trials: Sequence[SpaceTrial] = TRIALS,
    seed: int = 0,
) -> SpaceChoice:
    """Try spaces on some rows of a corpus that the others teach, and order them by how well they serve a use.

    The best of them is then tried again with the most frequent terms, and the better of the two with other ridges and
    dimensions.

    Parameters
    ----------
    use : "match" (whole documents find their mates: Top-1, with the better of no correction and CSLS), "search" (titles
        and five words of a document find its mates by meaning and words together: nDCG@10), "classify" (MRR of whole
        documents, uncorrected: neighbours are alike) or "all" (the mean of the three)
    budget : seconds of processor time, which a busy machine does not change much, after which nothing more is tried;
        the first two always are. From 120 on the usual trials include trained spaces: Cr5, S2Net, CCA and OPCA together
        with learned weights, and, to match up to 5,000 rows, S2Net and translated words together
    vectorizer : how texts are read; features and vocabulary size are those of each trial

    Examples
    --------
    >>> from babelspace import planted
    >>> from babelspace.workflows.choose_space import choose_space
    >>> from babelspace.workflows.space_trials import SpaceTrial
    >>> trials = [SpaceTrial("untranslated"), SpaceTrial("opca", dimension=20)]
    >>> choose_space(planted(rows=300), "match", trials=trials).best.space
    'opca'
    """
    if use not in USES:
        raise ParameterError(f"unknown use {use!r}; allowed: {', '.join(USES)}", hint="say {use='all'}")
    if not can_choose(corpus):
        raise ParameterError(
            f"{len(corpus):,} rows are too few to choose a space by; {FEWEST_ROWS} are needed",
            hint="name one: {space='opca'}",
        )
    train, dev = _set_apart(corpus)
    rows = TrialRows(train, dev, vectorizer or ViewsVectorizer(), seed)
    clock = _Clock(budget)
    tried: list[SpaceTrial] = []
    asked = (*trials, *TRAINED_TRIALS) if trials is TRIALS and budget >= PATIENCE else trials
    with progress.task("choosing a space") as advance:
        for trial in _worthwhile(_kept(asked, len(corpus), use), tried, use, clock):
            tried.append(rows.tried(trial, use))
            advance(1)
        for trial in _refined(tried, use, rows):
            if clock.has_run_out:
                break
            tried.append(rows.tried(trial, use))
            advance(1)
    return SpaceChoice(use, tuple(_ordered(tried, use)))


def can_choose(corpus: AlignedCorpus) -> bool:
    """Whether there are enough rows to set some aside for choosing."""
    return len(corpus) >= FEWEST_ROWS


@dataclass
class _Clock:
    budget: float

    def __post_init__(self) -> None:
        self.began = time.process_time()

    @property
    def has_run_out(self) -> bool:
        return time.process_time() - self.began > self.budget


def _set_apart(corpus: AlignedCorpus) -> tuple[AlignedCorpus, AlignedCorpus]:
    """Rows to learn from and rows to try on, by a hash of their ids that nothing else is divided by."""
    counts = corpus.counts()
    frequent = sorted(corpus.languages, key=lambda name: -counts[name])[:MOST_LANGUAGES]
    corpus = paired(corpus.select(languages=[name for name in corpus.languages if name in frequent]))
    places = np.array([position(f"choosing {id}") for id in corpus.ids])
    asked = min(MOST_DEV, max(DEV_SHARE * len(corpus), min(MOST_SHARE * len(corpus), ENOUGH_DEV)))
    apart = places <= np.sort(places)[round(asked) - 1]
    return first_rows(corpus.select(~apart), MOST_TRIED), corpus.select(apart)


def _kept(trials: Sequence[SpaceTrial], rows: int, use: str) -> list[SpaceTrial]:
    """Without those whose vectors are too long: for so many rows, or for an index that keeps them all."""
    wide = {"oneta": rows <= MOST_WIDE, "s2net+translation": rows <= MOST_WIDE and use == "match"}
    return [trial for trial in trials if wide.get(trial.space, True)]


def _worthwhile(trials: Sequence[SpaceTrial], tried: list[SpaceTrial], use: str, clock: _Clock) -> Iterator[SpaceTrial]:
    for number, trial in enumerate(trials):
        if number >= 2 and clock.has_run_out:
            return
        solved = max((min(one.scores["match"], one.scores["classify"]) for one in tried), default=0.0) >= SOLVED
        if trial.features == "words" or use in ("search", "all") or not solved:
            yield trial


def _refined(tried: Sequence[SpaceTrial], use: str, rows: TrialRows) -> Iterator[SpaceTrial]:
    """The best with the most frequent terms, then what is best by then with other ridges and dimensions."""
    if rows.base.drop_top:
        yield with_frequent_terms(_ordered(tried, use)[0])
    yield from variants(_ordered(tried, use)[0], len(rows.train))


def _ordered(tried: Sequence[SpaceTrial], use: str) -> list[SpaceTrial]:
    """The best first; among equals what was tried first."""
    order = sorted(range(len(tried)), key=lambda place: (-tried[place].scores[use], place))
    return [tried[place] for place in order]
