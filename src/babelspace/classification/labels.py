"""The class of each row of a corpus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from babelspace.corpus import AlignedCorpus
from babelspace.errors import CorpusError

# Readers give other fields of a label file as "field:value".
FIELD = re.compile(r"(\w+):(?=\S)")


def class_labels(corpus: AlignedCorpus, field: str | None = None) -> list[str | None]:
    """One class a row, None where there is none.

    Parameters
    ----------
    field : the field of `labels.jsonl` that names the class; by default `label`

    Examples
    --------
    >>> from babelspace.corpus import AlignedCorpus
    >>> labels = {"1": ("Natural", "region:Africa"), "2": ("Mixed",)}
    >>> corpus = AlignedCorpus(["1", "2", "3"], {"en": ["a", "b", "c"]}, labels)
    >>> class_labels(corpus), class_labels(corpus, "region")
    (['Natural', 'Mixed', None], ['Africa', None, None])
    """
    found = [_class(id, _candidates(corpus.labels.get(id, ()), field), corpus.name) for id in corpus.ids]
    if not any(found):
        raise _no_labels(corpus, field)
    return found


def without_rare(labels: Sequence[str | None], fewest: int) -> list[str | None]:
    """The labels without classes that have fewer rows."""
    counts = Counter(labels)
    return [label if counts[label] >= fewest else None for label in labels]


def _candidates(labels: Sequence[str], field: str | None) -> list[str]:
    if field is None:
        return [label for label in labels if not FIELD.match(label)]
    return [label.removeprefix(f"{field}:") for label in labels if label.startswith(f"{field}:")]


def _class(id: str, candidates: list[str], name: str) -> str | None:
    if len(candidates) > 1:
        raise CorpusError(
            f"row {id!r} of {name} has {len(candidates)} labels ({', '.join(candidates[:5])}); one is its class",
            hint="keep one label a row, or make a corpus for each class and its opposite",
        )
    return candidates[0] if candidates else None


def _no_labels(corpus: AlignedCorpus, field: str | None) -> CorpusError:
    every = [label for labels in corpus.labels.values() for label in labels]
    fields = sorted({match[1] for label in every if (match := FIELD.match(label))})
    known = ["label"] * bool(_candidates(every, None)) + fields
    asked = "label" if field is None else field
    if known:
        hint = f"use one of: {', '.join(known)}" + (f' (for example {{field="{fields[0]}"}})' if fields else "")
        return CorpusError(f"no row of {corpus.name} has a field {asked!r} that could be its class", hint=hint)
    return CorpusError(
        f"{corpus.name} has no labels",
        hint='add labels.jsonl with lines {"id": "1", "label": "sports"} to the folder, or "label" to its lines',
    )
