"""What a store does: one protocol, and the values that pass through it.

A store knows no model: it is given documents with their words and vectors. Every write is one transaction over
documents, words and vectors, so that they are never out of step. A document that is written again gets a new row; rows
are never used twice, and what a row holds never changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import Document

Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]
Key = tuple[str, str]  # id, language
Filters = Mapping[str, Sequence[str]]  # a field of the metadata, or ID -> the values that will do
# Filters take a document's own id like a field.
ID = "id"

_AS_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode

# BM25 as SQLite's FTS5 has it; PostgreSQL is made to agree.
BM25_K1, BM25_B = 1.2, 0.75


@dataclass(frozen=True)
class Settings:
    """What never changes in the life of an index."""

    dimensions: int
    similarity: str


@dataclass(frozen=True)
class EncodedDocument:
    """A document with its words and its vector, which is None where the model knows none of the words."""

    document: Document
    words: Sequence[str] = ()
    vector: Any = None

    @property
    def key(self) -> Key:
        """What the document is known by."""
        return self.document.id, self.document.language

    @property
    def language(self) -> str:
        """The language of the document."""
        return self.document.language

    @cached_property
    def digest(self) -> str:
        """Tells whether a stored document is still the same."""
        # A list as JSON has it; strings alone are written faster than what stands in a list.
        content = f"[{_AS_JSON(self.document.text)}, {_AS_JSON(dict(self.document.metadata))}]"
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def having(self, words: Sequence[str], vector: Any) -> EncodedDocument:
        """The same document with its words and its vector."""
        made = replace(self, words=words, vector=vector)
        if "digest" in vars(self):
            vars(made)["digest"] = self.digest
        return made

    def facets(self) -> list[tuple[str, str]]:
        """Fields and values to filter by; a list counts with each of its values."""
        return [(name, value) for name in self.document.metadata for value in self.document.values(name)]


@dataclass(frozen=True)
class ScoredRows:
    """Rows and their scores, higher is better."""

    rows: Rows
    scores: NDArray[np.float64]

    @classmethod
    def nothing(cls) -> ScoredRows:
        """No rows."""
        return cls(np.zeros(0, np.int64), np.zeros(0))

    def among(self, rows: Rows) -> ScoredRows:
        """Those of these that are among some rows; both are in order."""
        if not len(self.rows):
            return self
        places = np.minimum(self.rows.searchsorted(rows), len(self.rows) - 1)
        kept = places[self.rows[places] == rows]
        return ScoredRows(self.rows[kept], self.scores[kept])

    def above_nothing(self) -> ScoredRows:
        """Those that have a score."""
        held = self.scores > 0
        return ScoredRows(self.rows[held], self.scores[held])

    def at(self, rows: Rows) -> ScoredRows:
        """All of some rows, in order; those that are not among these have nothing."""
        if not len(self.rows):
            return ScoredRows(rows, np.zeros(len(rows)))
        places = np.minimum(self.rows.searchsorted(rows), len(self.rows) - 1)
        return ScoredRows(rows, np.where(self.rows[places] == rows, self.scores[places], 0.0))


class SearchableStore(Protocol):
    """Documents, their words and their vectors, as a search needs them."""

    settings: Settings

    def snapshot(self) -> AbstractContextManager[None]:
        """What this thread reads inside is of one moment, whatever others write meanwhile."""

    def generation(self) -> int:
        """A number that grows with every write."""

    def counts(self) -> dict[str, int]:
        """Documents of each language."""

    def rows(self, language: str) -> Rows:
        """The rows of a language that have a vector, in order."""

    def selected(self, filters: Filters) -> Rows:
        """The rows that pass all filters, in order."""

    def fields(self) -> list[str]:
        """The fields of the metadata, in order."""

    def values(self, field: str) -> list[str]:
        """The values of a field, in order."""

    def vectors(self, rows: Rows) -> Vectors:
        """The vectors of rows, in the order asked for; rows that have none, or are gone, are zeros."""

    def nearest(self, vector: NDArray[Any], language: str, k: int, within: Rows | None = None) -> ScoredRows:
        """The best rows of a language by the similarity of the settings, among `within` if that is given."""

    def frequencies(self, language: str, words: Sequence[str]) -> dict[str, int]:
        """In how many documents of a language each word occurs; words that do not are left out."""

    def lexical(self, language: str, word: str, within: Rows | None = None) -> ScoredRows:
        """BM25 of one word in units of its rarity for the documents that have it; in order of row, as `within` is."""

    def documents(self, rows: Rows) -> dict[int, Document]:
        """Documents by row, in the order asked for; rows that are gone are left out."""

    def translations(self, source: str, target: str, words: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """What words of one language become in another, the most probable first."""


class Store(SearchableStore, Protocol):
    """A store that outlives a process."""

    def close(self) -> None:
        """Let go of files and connections."""

    def note(self, name: str) -> str | None:
        """A remark kept with the documents."""

    def set_note(self, name: str, value: str) -> None:
        """Keep a remark."""

    def ids(self, language: str) -> list[str]:
        """The ids of a language's documents."""

    def digests(self, keys: Sequence[Key]) -> dict[Key, str]:
        """The digests of those of these documents that are stored."""

    def write(self, documents: Sequence[EncodedDocument]) -> None:
        """Store all of these or none; each takes the place of the one with its id and language."""

    def delete(self, keys: Sequence[Key]) -> int:
        """Take documents out, all in one transaction; gives how many there were."""

    def finish(self) -> None:
        """Make searching fast after much writing; nothing is lost where this never happens."""

    def faults(self) -> list[str]:
        """What the database finds wrong with its tables, and cannot be told from anything else again."""

    def miscounted(self) -> list[str]:
        """Numbers of documents and words, and fields, that are not those of the documents."""

    def bad_rows(self) -> Rows:
        """Documents whose words or vector are not as they were written."""

    def recount(self) -> None:
        """Count documents and words again, and write fields anew."""

    def bad_copies(self, remove: bool) -> list[str]:
        """Copies (of vectors of a language, …) that are not of this database or not whole; `remove` deletes them."""

    def add_translations(self, source: str, target: str, table: Sequence[tuple[str, str, float]]) -> None:
        """Keep P(target word | source word) of two languages, in place of what was known of them."""


@contextmanager
def kept_only_whole(connection: Any) -> Iterator[None]:
    """Close a connection if what it was opened for fails."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def bm25(count: Any, length: Any, mean_length: float) -> Any:
    """BM25 of one word in units of its rarity: count in the document, and the document's length."""
    return count * (BM25_K1 + 1) / (count + BM25_K1 * (1 - BM25_B + BM25_B / mean_length * length))
