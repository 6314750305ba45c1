"""Which rows are learned from, which are held out, and whether a model has seen them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus, position
from babelspace.errors import CorpusError, ParameterError
from babelspace.spaces import Encoder
from babelspace.workflows.stages import advise

# A score over fewer rows says too little to give up rows for it unasked.
FEWEST_HELD_OUT = 20
USUAL_HOLDOUT = 0.1


def by_id(corpus: AlignedCorpus) -> AlignedCorpus:
    """The rows in order of their ids: what is learned must not depend on the order of lines in a file."""
    return corpus.select(sorted(range(len(corpus)), key=corpus.ids.__getitem__))


def paired(corpus: AlignedCorpus) -> AlignedCorpus:
    """The rows that have two or more languages, in order of their ids: others pair nothing."""
    filled = np.sum([corpus.present(language) for language in corpus.languages], axis=0)
    if not (filled >= 2).any():
        have = ", ".join(f"{language} {count:,}" for language, count in corpus.counts().items())
        raise CorpusError(
            f"no aligned rows: no id of {corpus.name} has text in two languages (have: {have})",
            hint="the same id must name the same document in every language",
        )
    return by_id(corpus.select(filled >= 2))


def divide(corpus: AlignedCorpus, holdout: float | None) -> tuple[AlignedCorpus, AlignedCorpus | None, float]:
    """Rows to learn from, rows to score, and the share that the latter are.

    None is the usual share where that leaves enough rows to say something, and otherwise none.
    """
    if holdout is not None and not 0 <= holdout < 1:
        raise ParameterError(f"holdout is a share from 0 up to but not 1, got {holdout}", hint="use {holdout=0.1}")
    share = USUAL_HOLDOUT if holdout is None else holdout
    apart = kept_apart(corpus.ids, share)
    if holdout is None and apart.sum() < FEWEST_HELD_OUT:
        advise(f"{len(corpus):,} rows are too few to hold some out and score the model; it learns from all")
        share = 0.0
    if share == 0:
        return corpus, None, share
    _check_parts(corpus, apart, share)
    return corpus.select(~apart), corpus.select(apart), share


def _check_parts(corpus: AlignedCorpus, apart: NDArray[np.bool_], share: float) -> None:
    if not apart.any() or apart.all():
        part = "all" if apart.all() else "none"
        raise CorpusError(
            f"{part} of the {len(corpus):,} rows of {corpus.name} would be held out with a share of {share:g}",
            hint="use more rows, another share, or {holdout=0} to go without",
        )


def kept_apart(ids: Sequence[str], share: float) -> NDArray[np.bool_]:
    """The rows with the lowest hashes of their ids: those below the share, so that adding documents moves none.

    A part of a corpus that was split by the same hash may have no such rows: then as many as the share asks for, from
    the lowest that it has.
    """
    places = np.array([position(id) for id in ids])
    apart = places < share
    asked = round(share * len(ids))
    if 2 * apart.sum() < asked:
        apart = places <= np.sort(places)[asked - 1]
    return apart


def held_out_rows(corpus: AlignedCorpus, holdout: float | None) -> AlignedCorpus:
    """The rows that a fit with this share keeps apart; all without a share."""
    if holdout is None:
        return corpus
    apart = kept_apart(corpus.ids, holdout)
    _check_parts(corpus, apart, holdout)
    return corpus.select(apart)


def first_rows(corpus: AlignedCorpus, most: int | None) -> AlignedCorpus:
    """At most so many rows, by hash of their id: the same ones whatever the order of the corpus."""
    if most is None or len(corpus) <= most:
        return corpus
    order = sorted(range(len(corpus)), key=[position(id) for id in corpus.ids].__getitem__)
    return corpus.select(sorted(order[:most]))


def has_learned_from(encoder: Encoder, corpus: AlignedCorpus, holdout: float | None) -> bool:
    """Whether the model has learned from rows of this corpus that the share `holdout` (None: all rows) keeps.

    It has if it knows the very documents of a language of this corpus, or all of it, and held out less.
    """
    learned = encoder.card_["corpus"]
    if holdout is not None and holdout <= learned.get("holdout", 0.0):
        return False
    known = learned.get("languages", {})
    seen = any(known.get(name) == value for name, value in language_fingerprints(corpus).items())
    return seen or corpus.fingerprint() == learned["fingerprint"]


def language_fingerprints(corpus: AlignedCorpus) -> dict[str, str]:
    """A name for each language's documents that other languages and the order of rows do not change."""
    order = sorted(range(len(corpus)), key=corpus.ids.__getitem__)
    prints = {}
    for language in corpus.languages:
        present = corpus.present(language)
        prints[language] = corpus.select([row for row in order if present[row]], [language]).fingerprint()
    return prints
