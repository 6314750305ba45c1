"""Readers: one file a format, all streaming, all with `.gz` and `.xz`."""

from __future__ import annotations

from babelspace.corpus.readers.corpus import read_corpus
from babelspace.corpus.readers.formats import FORMATS, Format
from babelspace.corpus.readers.one_language import read_documents

__all__ = ["FORMATS", "Format", "read_corpus", "read_documents"]
