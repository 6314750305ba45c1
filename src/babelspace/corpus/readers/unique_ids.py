"""Catch the second use of an id while the line is still known."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from pathlib import Path

import numpy as np

from babelspace.corpus.aligned import duplicate
from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import source_name

# Hashes in a set, at some 70 bytes each, before they are laid off into a sorted array of 8 bytes each.
MOST_IN_SET = 1 << 20


class HashSet:
    """64-bit hashes: the latest in a set, all before them sorted, so that tens of millions fit into memory.

    >>> seen = HashSet()
    >>> seen.add("a"), seen.add("b"), seen.add("a")
    (True, True, False)
    """

    def __init__(self) -> None:
        self._latest: set[int] = set()
        self._sorted = array("q")

    def add(self, name: str) -> bool:
        """Whether it is new."""
        key = hash(name)
        if key in self._latest or self._in_sorted(key):
            return False
        self._latest.add(key)
        if len(self._latest) >= MOST_IN_SET:
            self._lay_off()
        return True

    def _in_sorted(self, key: int) -> bool:
        place = bisect_left(self._sorted, key) if self._sorted else 0
        return place < len(self._sorted) and self._sorted[place] == key

    def _lay_off(self) -> None:
        merged = np.concatenate([np.frombuffer(self._sorted, np.int64), np.fromiter(self._latest, np.int64)])
        merged.sort(kind="stable")
        self._sorted = array("q", merged.tobytes())
        self._latest = set()


class UniqueIds:
    """Every id and language seen in one input."""

    def __init__(self, path: Path) -> None:
        self._source = source_name(path)
        self._seen: dict[str, HashSet] = {}

    def check(self, document: Document, line: int) -> Document:
        """The same document, if it is the first with its id and language."""
        self.check_row(document.id, document.language, line)
        return document

    def check_row(self, id: str, language: str, line: int) -> None:
        """As `check`; of a row with several languages one will do."""
        if language not in self._seen:
            self._seen[language] = HashSet()
        if not self._seen[language].add(id):
            raise duplicate(Document(id, language, ""), self._source, line)
