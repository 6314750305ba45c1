"""Models, corpora and piles of documents that commands are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli.output import note
from babelspace.errors import CorpusError, UnknownLanguage, settings_named

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


def load_documents(path: str, language: str | None, setting: str = "language") -> list[Document]:
    """The documents of one language; `setting` is what names it where the path does not."""
    from babelspace.corpus import read_documents
    from babelspace.runtime import progress

    with progress.task(f"reading {Path(path).name}"), settings_named(language=setting):
        return read_documents(path, language)


def stream_documents(path: str, language: str | None, setting: str) -> Iterator[Document]:
    """`load_documents` one by one."""
    from babelspace.corpus.readers.one_language import stream_documents as stream

    with settings_named(language=setting):
        yield from stream(path, language)


def load_piles(paths: Sequence[str], known: Sequence[str], wanted: Sequence[str] | None) -> dict[str, list[Document]]:
    """Documents by language, of corpora and of piles in one language, in the languages that are wanted and known."""
    piles: dict[str, list[Document]] = {}
    for language in wanted or ():
        if language not in known:
            raise UnknownLanguage(language, tuple(known))
    only = wanted[0] if wanted and len(wanted) == 1 else None
    for path in paths:
        for language, documents in _piles(path, only).items():
            piles.setdefault(language, []).extend(documents)
    kept = {language: pile for language, pile in piles.items() if language in (wanted or known)}
    if not kept:
        raise CorpusError(
            f"no documents in {', '.join(wanted or known)}: these have {', '.join(piles)}",
            path=", ".join(paths),
            hint="give documents in a language of the model",
        )
    return kept


def _piles(path: str, only: str | None) -> Mapping[str, list[Document]]:
    from babelspace.corpus.readers import FORMATS
    from babelspace.corpus.readers.corpus import SAMPLE
    from babelspace.corpus.readers.opening import is_language, plain_name

    code, equals, rest = path.partition("=")
    if equals and is_language(code) and not Path(path).exists():
        return {code: load_documents(rest, code)}
    where = Path(path)
    if path.startswith(SAMPLE) or any(known.matches(where) for known in FORMATS.values()):
        try:
            corpus = load_corpus(path)
            return {language: corpus.documents(language, blank=True) for language in corpus.languages}
        except CorpusError:
            # JSON lines without a language are a corpus only in looks; any other fault shows again.
            if not plain_name(where).endswith(".jsonl"):
                raise
    documents = load_documents(path, None if _tells_language(where) else only, "in")
    return {documents[0].language: documents}


def _tells_language(path: Path) -> bool:
    """Whether the name is like `en.jsonl.gz`, `news.en` or `en`."""
    from babelspace.corpus.readers.opening import is_language, plain_name

    parts = plain_name(path).split(".")
    return is_language(parts[0]) or is_language(parts[-1])


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
