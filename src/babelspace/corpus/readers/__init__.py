"""Readers: one file a format, all streaming, all with `.gz` and `.xz`."""

from __future__ import annotations

from babelspace.corpus.readers.corpus import read_corpus
from babelspace.corpus.readers.documents import one_language, read_documents, stream_documents
from babelspace.corpus.readers.formats import FORMATS, Format

__all__ = ["FORMATS", "Format", "one_language", "read_corpus", "read_documents", "stream_documents"]
