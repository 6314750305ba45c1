"""Catch the second use of an id while the line is still known."""

from __future__ import annotations

from pathlib import Path

from babelspace.corpus.aligned import duplicate
from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import source_name


class UniqueIds:
    """Every (id, language) seen in one input."""

    def __init__(self, path: Path) -> None:
        self._source = source_name(path)
        self._seen: set[tuple[str, str]] = set()

    def check(self, document: Document, line: int) -> Document:
        """The same document, if it is the first with its id and language."""
        key = (document.id, document.language)
        if key in self._seen:
            raise duplicate(document, self._source, line)
        self._seen.add(key)
        return document
