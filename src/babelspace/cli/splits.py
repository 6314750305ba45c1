"""Train, dev and test: from one corpus, or from a folder that has them apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from babelspace.cli.output import note
from babelspace.cli.reading import by_id, load_corpus

if TYPE_CHECKING:
    from babelspace.corpus import AlignedCorpus, Split

PARTS = ("train", "dev", "test")


def is_split(path: str) -> bool:
    """Whether this is a folder of train, dev and test."""
    return all((Path(path) / part).is_dir() for part in PARTS)


def load_split(
    path: str, corpus_format: str | None, languages: Sequence[str] | None, shares: Sequence[float], head: int | None
) -> Split:
    """The three parts; with two languages only their common rows, with more also rows that have holes."""
    from babelspace.corpus import Split

    if not is_split(path):
        corpus = prepared(load_corpus(path, corpus_format, languages), head)
        return corpus.split(*shares)
    parts = {}
    for part in PARTS:
        parts[part] = load_corpus(str(Path(path) / part), corpus_format, languages)
        languages = parts[part].languages
        parts[part].name = f"{Path(path).resolve().name}/{part}"
    return Split(**{part: prepared(corpus, head) for part, corpus in parts.items()})


def prepared(corpus: AlignedCorpus, head: int | None) -> AlignedCorpus:
    """Texts cut to their first words; rows without a mate left out, and counted."""
    if head is not None:
        corpus = corpus.head(head)
    kept = corpus.aligned() if len(corpus.languages) == 2 else corpus
    if len(kept) < len(corpus):
        pair = " and ".join(corpus.languages)
        note(f"{corpus.name}: {len(corpus) - len(kept):,} of {len(corpus):,} rows lack {pair} and are left out")
    return by_id(kept)


def first_rows(corpus: AlignedCorpus, most: int | None) -> AlignedCorpus:
    """At most so many rows, by hash of their id: the same ones whatever the order of the corpus."""
    if most is None or len(corpus) <= most:
        return corpus
    from babelspace.corpus import position

    order = sorted(range(len(corpus)), key=[position(id) for id in corpus.ids].__getitem__)
    return corpus.select(sorted(order[:most]))
