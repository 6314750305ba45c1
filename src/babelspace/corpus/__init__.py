"""Documents and their alignment: readers, writers, splits, the embedded sample and planted corpora."""

from __future__ import annotations

from babelspace.corpus.aligned import AlignedCorpus
from babelspace.corpus.document import Document
from babelspace.corpus.planted import planted, planted_words
from babelspace.corpus.readers import FORMATS, one_language, read_corpus, read_documents, stream_documents
from babelspace.corpus.sample import sample
from babelspace.corpus.split import Split, position
from babelspace.corpus.writers import write_folder

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
