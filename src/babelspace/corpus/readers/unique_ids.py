"""Catch the second use of an id while the line is still known."""

from __future__ import annotations

from pathlib import Path

from babelspace.corpus.aligned import duplicate
from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import source_name


class UniqueIds:
    """Every id and language seen in one input, by 64 bits of hash: millions of ids fit into memory."""

    def __init__(self, path: Path) -> None:
        self._source = source_name(path)
        self._seen: dict[str, set[int]] = {}

    def check(self, document: Document, line: int) -> Document:
        """The same document, if it is the first with its id and language."""
        self.check_row(document.id, document.language, line)
        return document

    def check_row(self, id: str, language: str, line: int) -> None:
        """As `check`; of a row with several languages one will do."""
        seen = self._seen.setdefault(language, set())
        key = hash(id)
        if key in seen:
            raise duplicate(Document(id, language, ""), self._source, line)
        seen.add(key)
