"""Models, corpora and documents by their paths, with a sign of life while they are read.

What is slow to import is imported when it is needed: that a path is wrong is told at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from babelspace.corpus.readers.language_from_name import language_code as language_code
from babelspace.corpus.readers.options import reading_with as reading_with
from babelspace.errors import CorpusError
from babelspace.runtime import artifact, progress
from babelspace.runtime.artifact import refuse_foreign as refuse_foreign
from babelspace.text.language_codes import known_language, same_language

if TYPE_CHECKING:
    from babelspace.classification import CrossLanguageClassifier
    from babelspace.corpus import AlignedCorpus, Document
    from babelspace.spaces import Encoder


def load_model(folder: str | Path) -> Encoder:
    """The saved encoder."""
    artifact.read_card(folder, artifact.ENCODER)
    with progress.task(f"loading {Path(folder).name}"):
        from babelspace.spaces import Encoder

        return Encoder.load(folder)


def load_classifier(folder: str | Path) -> CrossLanguageClassifier:
    """The saved classifier."""
    artifact.read_card(folder)
    with progress.task(f"loading {Path(folder).name}"):
        from babelspace.classification import CrossLanguageClassifier

        return CrossLanguageClassifier.load(folder)


def load_corpus(
    path: str | Path, corpus_format: str | None = None, languages: Sequence[str] | None = None
) -> AlignedCorpus:
    """`read_corpus` with a sign of life."""
    from babelspace.corpus import read_corpus

    with progress.task(f"reading {Path(path).name}"):
        return read_corpus(path, format=corpus_format, languages=languages)


def load_documents(path: str | Path, language: str | None = None) -> list[Document]:
    """The documents of one language."""
    from babelspace.corpus import one_language, read_documents

    with progress.task(f"reading {Path(path).name}"):
        return list(one_language(read_documents(path, language), path))


def stream_one_language(path: str | Path, language: str | None = None) -> Iterator[Document]:
    """`load_documents` one by one."""
    from babelspace.corpus import one_language, stream_documents

    return one_language(stream_documents(path, language), path)


def load_by_language(
    paths: Sequence[str], known: Sequence[str], wanted: Sequence[str] | None
) -> dict[str, list[Document]]:
    """Documents by language, of corpora and of files in one language, in the languages that are wanted and known."""
    from babelspace.corpus import stream_documents
    from babelspace.corpus.readers.language_from_name import told_by_name

    by_language: dict[str, list[Document]] = {}
    wanted = [known_language(language, known) for language in wanted or ()]
    only = wanted[0] if wanted and len(wanted) == 1 else None
    for path in paths:
        with progress.task(f"reading {Path(path).name}"):
            for document in stream_documents(path, None if told_by_name(Path(path)) else only):
                language = same_language(document.language, known) or document.language
                by_language.setdefault(language, []).append(document)
    kept = {language: documents for language, documents in by_language.items() if language in (wanted or known)}
    if not kept:
        raise CorpusError(
            f"no documents in {', '.join(wanted or known)}: these have {', '.join(by_language)}",
            path=", ".join(paths),
            hint="give documents in a language of the model",
        )
    return kept
