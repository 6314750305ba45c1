"""Rows to learn classes from, rows that tell what to expect, and whether the space has seen them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from babelspace.cli.output import note
from babelspace.errors import CorpusError

if TYPE_CHECKING:
    from babelspace.corpus import AlignedCorpus
    from babelspace.spaces import Encoder

# Held-out documents below which the labelled documents judge each other instead.
FEWEST_HELD_OUT = 20


def divide(corpus: AlignedCorpus, language: str, holdout: float) -> tuple[AlignedCorpus, AlignedCorpus | None]:
    """Rows to learn from, and rows that tell what to expect."""
    import numpy as np

    from babelspace.corpus import position

    apart = np.array([position(id) < holdout for id in corpus.ids])
    if not holdout or (apart & corpus.present(language)).sum() < FEWEST_HELD_OUT:
        if holdout:
            note("too few rows to hold some out; the labelled documents judge each other")
        return corpus, None
    return corpus.select(~apart), corpus.select(apart)


def rare_classes(
    whole: AlignedCorpus, lesson: AlignedCorpus, language: str, field: str | None, fewest: int
) -> set[str]:
    """The classes with fewer documents in this language to learn from."""
    from babelspace.classification import class_labels, without_rare

    known = {label for label in class_labels(whole, field) if label}
    pairs = zip(class_labels(lesson, field), lesson.present(language), strict=True)
    rare = known - set(without_rare([label if here else None for label, here in pairs], fewest))
    if rare == known:
        raise CorpusError(
            f"no class of {lesson.name} has {fewest} documents in {language}", hint="lower --min-documents"
        )
    if rare:
        note(f"left out, having fewer than {fewest} documents: {', '.join(sorted(rare))}")
    return rare


def without_classes(corpus: AlignedCorpus, field: str | None, classes: set[str]) -> AlignedCorpus:
    """The rows of other classes."""
    import numpy as np

    from babelspace.classification import class_labels

    if not classes or (field or "label") not in corpus.fields:
        return corpus
    return corpus.select(np.array([label not in classes for label in class_labels(corpus, field)]))


def unlabelled(corpus: AlignedCorpus) -> AlignedCorpus:
    """Pairs alone: their labels may mean something else."""
    from babelspace.corpus import AlignedCorpus as Corpus

    return Corpus(corpus.ids, {name: corpus.texts(name) for name in corpus.languages}, name=corpus.name)


def warn_if_seen(encoder: Encoder, corpus: AlignedCorpus, holdout: float | None) -> None:
    """Say so if the space was learned from these very texts; without `holdout` they are other pairs, judged whole."""
    from babelspace.workflows.rows import has_learned_from

    apart = encoder.card_["corpus"].get("holdout", 0.0)
    common = corpus.select(languages=[name for name in corpus.languages if name in encoder.languages_])
    if not has_learned_from(encoder, common, holdout):
        return
    if holdout is None:
        cure = "give --pairs that it has not seen"
    else:
        cure = f"use --holdout {apart:g}" if apart else "fit the model with --holdout 0.1 first"
    note(f"the space has learned from rows of {corpus.name} that are judged here: figures may be too good; {cure}")
