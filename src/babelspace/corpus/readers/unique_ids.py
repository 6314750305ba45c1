"""Catch ids that cannot be right while the line is still known: used twice, spelled in two ways, no text."""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left
from collections import defaultdict
from pathlib import Path

import numpy as np

from babelspace.corpus.aligned import duplicate
from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import binary, source_name
from babelspace.errors import CorpusError

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

    def __contains__(self, name: str) -> bool:
        return hash(name) in self._latest or self._in_sorted(hash(name))

    def _in_sorted(self, key: int) -> bool:
        place = bisect_left(self._sorted, key) if self._sorted else 0
        return place < len(self._sorted) and self._sorted[place] == key

    def _lay_off(self) -> None:
        merged = np.concatenate([np.frombuffer(self._sorted, np.int64), np.fromiter(self._latest, np.int64)])
        merged.sort(kind="stable")
        self._sorted = array("q", merged.tobytes())
        self._latest = set()


class Spellings:
    """How each id is spelled: `é` is one character or two, which look alike and would be two ids.

    Examples
    --------
    >>> spellings = Spellings()
    >>> [spellings.other("caf\u00e9"), spellings.other("cafe\u0301")]
    [None, 'caf\u00e9']
    """

    def __init__(self) -> None:
        # Ids in Unicode's form NFC are the rule and may be millions; the others are kept as they are.
        self._composed, self._others = HashSet(), dict[str, str]()

    def other(self, id: str) -> str | None:
        """Another spelling of the same id that was seen before."""
        if id.isascii():
            return None
        composed = unicodedata.normalize("NFC", id)
        if id == composed:
            self._composed.add(id)
            return self._others.get(id)
        known = self._others.setdefault(composed, id)
        return known if known != id else composed if composed in self._composed else None


class UniqueIds:
    """Every id and language seen in one input."""

    def __init__(self, path: Path, spellings: Spellings | None = None) -> None:
        self._source, self._path = source_name(path), path
        self._seen: defaultdict[str, HashSet] = defaultdict(HashSet)
        self._spellings = spellings or Spellings()

    def check(self, document: Document, line: int) -> Document:
        """The same document, if it is text, in a language, and the first with its id."""
        self.check_row(document.id, document.language, line)
        if "\0" in document.text:
            raise binary(self._path, line)
        return document

    def check_row(self, id: str, language: str, line: int) -> None:
        """As `check`; of a row with several languages one will do."""
        if "\0" in id:
            raise binary(self._path, line)
        other = self._spellings.other(id)
        if other is not None:
            raise twins(id, other, self._source, line)
        if not self._seen[language].add(id):
            raise duplicate(Document(id, language, ""), self._source, line)


def twins(id: str, other: str, source: str | Path, line: int | None = None) -> CorpusError:
    """The error for one id in two spellings."""
    return CorpusError(
        f"the id {id!r} is spelled with other characters before ({other!a}, here {id!a}), and looks the same",
        path=source,
        line=line,
        hint="write it the same way everywhere, for example in Unicode's form NFC",
    )
