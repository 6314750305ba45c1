"""The class of each row of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from babelspace.corpus import AlignedCorpus
from babelspace.errors import CorpusError


def class_labels(corpus: AlignedCorpus, field: str | None = None) -> list[str | None]:
    """One class a row, None where there is none.

    Parameters
    ----------
    field : the field of the metadata that is the class; by default `label`

    Examples
    --------
    >>> from babelspace.corpus import AlignedCorpus
    >>> known = {"1": {"label": "Natural", "region": "Africa"}, "2": {"label": "Mixed"}}
    >>> corpus = AlignedCorpus(["1", "2", "3"], {"en": ["a", "b", "c"]}, known)
    >>> class_labels(corpus), class_labels(corpus, "region")
    (['Natural', 'Mixed', None], ['Africa', None, None])
    """
    name = "label" if field is None else field
    if name not in corpus.fields:
        raise _no_labels(corpus, name)
    pairs = zip(corpus.ids, corpus.field(name), strict=True)
    return [_class(id, values, corpus.name) for id, values in pairs]


def without_rare(labels: Sequence[str | None], fewest: int) -> list[str | None]:
    """The labels without classes that have fewer rows."""
    counts = Counter(labels)
    return [label if counts[label] >= fewest else None for label in labels]


def _class(id: str, candidates: Sequence[str], name: str) -> str | None:
    if len(candidates) > 1:
        raise CorpusError(
            f"row {id!r} of {name} has {len(candidates)} labels ({', '.join(candidates[:5])}); one is its class",
            hint="keep one label a row, or make a corpus for each class and its opposite",
        )
    return candidates[0] if candidates else None


def _no_labels(corpus: AlignedCorpus, field: str) -> CorpusError:
    if corpus.fields:
        return CorpusError(
            f"no row of {corpus.name} has a field {field!r} that could be its class",
            hint=f"use one of: {', '.join(corpus.fields)}" + f' (for example {{field="{corpus.fields[0]}"}})',
        )
    return CorpusError(
        f"{corpus.name} has no labels",
        hint='add labels.jsonl with lines {"id": "1", "label": "sports"} to the folder, or "label" to its lines',
    )
