"""Models, corpora and piles of documents that commands are given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli.output import note
from babelspace.errors import CorpusError, UnknownLanguage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from babelspace.corpus import AlignedCorpus, Document
    from babelspace.spaces import Encoder


def one_standard_input(**files: str | None) -> None:
    """Standard input can be read only once."""
    named = [name.upper() for name, path in files.items() if path == "-"]
    if len(named) > 1:
        raise click.UsageError(f"only one of {' and '.join(named)} can be standard input.")


def load_model(folder: Path) -> Encoder:
    """The saved encoder."""
    from babelspace.runtime import artifact, progress

    # The card first: a wrong path is told at once, not after the slow imports.
    artifact.read_card(folder, artifact.ENCODER)
    with progress.task(f"loading {folder.name}"):
        from babelspace.spaces import Encoder

        return Encoder.load(folder)


def load_corpus(path: str, corpus_format: str | None = None, languages: Sequence[str] | None = None) -> AlignedCorpus:
    """`read_corpus` with a sign of life."""
    from babelspace.corpus import read_corpus
    from babelspace.runtime import progress

    with progress.task(f"reading {Path(path).name}"):
        return read_corpus(path, format=corpus_format, languages=languages)


def by_id(corpus: AlignedCorpus) -> AlignedCorpus:
    """The rows in order of their ids: what is learned must not depend on the order of lines in a file."""
    return corpus.select(sorted(range(len(corpus)), key=corpus.ids.__getitem__))


def load_documents(path: str, language: str | None) -> list[Document]:
    """The documents of one language."""
    from babelspace.corpus import one_language, read_documents
    from babelspace.runtime import progress

    with progress.task(f"reading {Path(path).name}"):
        return list(one_language(read_documents(path, language), path))


def each_document(path: str, language: str | None) -> Iterator[Document]:
    """`load_documents` one by one."""
    from babelspace.corpus import one_language, stream_documents

    return one_language(stream_documents(path, language), path)


def load_piles(paths: Sequence[str], known: Sequence[str], wanted: Sequence[str] | None) -> dict[str, list[Document]]:
    """Documents by language, of corpora and of piles in one language, in the languages that are wanted and known."""
    from babelspace.corpus import stream_documents
    from babelspace.corpus.readers.documents import told_by_name
    from babelspace.runtime import progress

    piles: dict[str, list[Document]] = {}
    for language in wanted or ():
        if language not in known:
            raise UnknownLanguage(language, tuple(known))
    only = wanted[0] if wanted and len(wanted) == 1 else None
    for path in paths:
        with progress.task(f"reading {Path(path).name}"):
            for document in stream_documents(path, None if told_by_name(Path(path)) else only):
                piles.setdefault(document.language, []).append(document)
    kept = {language: pile for language, pile in piles.items() if language in (wanted or known)}
    if not kept:
        raise CorpusError(
            f"no documents in {', '.join(wanted or known)}: these have {', '.join(piles)}",
            path=", ".join(paths),
            hint="give documents in a language of the model",
        )
    return kept


def report_empty(documents: Sequence[Document], filled: NDArray[np.bool_], what: str) -> None:
    """Say how many documents have a zero vector, and why."""
    blank = sum(document.blank for document in documents)
    unknown = len(documents) - int(filled.sum()) - blank
    reasons = [f"{blank:,} blank"] * (blank > 0) + [f"{unknown:,} without a word that the model knows"] * (unknown > 0)
    if reasons:
        note(f"{what}: {' and '.join(reasons)} of {len(documents):,} documents")


def filled_rows(vectors: Any) -> NDArray[np.bool_]:
    """Which rows are not all zero."""
    import numpy as np
    from scipy.sparse import issparse

    return np.asarray(abs(vectors).sum(axis=1)).ravel() > 0 if issparse(vectors) else np.any(vectors, axis=1)
