"""Documents and their alignment: readers, writers, splits, the embedded sample and planted corpora."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from babelspace.corpus.aligned import AlignedCorpus
from babelspace.corpus.document import Document
from babelspace.corpus.planted import planted, planted_words
from babelspace.corpus.sample import sample
from babelspace.corpus.split import Split, position

if TYPE_CHECKING:
    from babelspace.corpus.readers import FORMATS, one_language, read_corpus, read_documents, stream_documents
    from babelspace.corpus.writers import write_folder

# Imported when first asked for: a search reads no corpus, and there are readers of twenty formats.
LATER = {
    "FORMATS": "babelspace.corpus.readers",
    "one_language": "babelspace.corpus.readers",
    "read_corpus": "babelspace.corpus.readers",
    "read_documents": "babelspace.corpus.readers",
    "stream_documents": "babelspace.corpus.readers",
    "write_folder": "babelspace.corpus.writers",
}

__all__ = [
    "FORMATS",
    "AlignedCorpus",
    "Document",
    "Split",
    "one_language",
    "planted",
    "planted_words",
    "position",
    "read_corpus",
    "read_documents",
    "sample",
    "stream_documents",
    "write_folder",
]


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(LATER[name]), name)
