"""Documents in memory, to be searched as those of an index are; vectors may be sparse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import Document
from babelspace.store.base import ID, EncodedDocument, Filters, Rows, ScoredRows, Settings, Vectors, bm25
from babelspace.vectors.similarity import as_dense, is_sparse


class MemoryStore:
    """Reads like any other store; nothing can be written to it."""

    def __init__(self, settings: Settings, documents: Iterable[EncodedDocument]) -> None:
        self.settings = settings
        self._documents = list(documents)
        self._of: dict[str, list[int]] = {}
        for row, document in enumerate(self._documents):
            self._of.setdefault(document.language, []).append(row)
        self._matrices = {language: self._stacked(language) for language in self._of}
        self._words: dict[str, dict[str, tuple[list[int], list[int]]]] = {}
        self._lengths: dict[str, NDArray[np.int64]] = {}

    def snapshot(self) -> AbstractContextManager[None]:
        return nullcontext()

    def generation(self) -> int:
        return 0

    def counts(self) -> dict[str, int]:
        return {language: len(rows) for language, rows in sorted(self._of.items())}

    def rows(self, language: str) -> Rows:
        return np.array(
            [row for row in self._of.get(language, ()) if self._documents[row].vector is not None], np.int64
        )

    def selected(self, filters: Filters) -> Rows:
        kept = [
            row
            for row, encoded in enumerate(self._documents)
            if all(_values(encoded.document, name) & set(values) for name, values in filters.items())
        ]
        return np.array(kept, np.int64)

    def fields(self) -> list[str]:
        return sorted({name for encoded in self._documents for name in encoded.document.metadata})

    def values(self, field: str) -> list[str]:
        return sorted({value for encoded in self._documents for value in encoded.document.values(field)})

    def vectors(self, rows: Rows) -> Vectors:
        found = np.zeros((len(rows), self.settings.dimensions), np.float32)
        for place, row in enumerate(rows.tolist()):
            if 0 <= row < len(self._documents) and self._documents[row].vector is not None:
                found[place] = as_dense(self._documents[row].vector).ravel()
        return found

    def nearest(self, vector: NDArray[Any], language: str, k: int, within: Rows | None = None) -> ScoredRows:
        if language not in self._matrices:
            return ScoredRows.nothing()
        rows, matrix = self._matrices[language]
        if within is not None:
            allowed = np.isin(rows, within)
            rows, matrix = rows[allowed], matrix[allowed]
        scores = _scores(self.settings.similarity, vector, matrix)
        if is_sparse(matrix) and self.settings.similarity == "cosine":
            # Sparse vectors that share no dimension have nothing to do with one another.
            rows, scores = rows[scores > 0], scores[scores > 0]
        best = np.lexsort((rows, -scores))[:k]
        return ScoredRows(rows[best], scores[best])

    def frequencies(self, language: str, words: Sequence[str]) -> dict[str, int]:
        known = self._postings(language)
        return {word: len(known[word][0]) for word in words if word in known}

    def lexical(self, language: str, word: str, within: Rows | None = None) -> ScoredRows:
        places, counts = self._postings(language).get(word, ((), ()))
        if not places:
            return ScoredRows.nothing()
        rows, lengths = np.array(self._of[language], np.int64), self._lengths[language]
        scores = bm25(np.array(counts), lengths[places], float(lengths.mean()))
        found = ScoredRows(rows[places], scores)
        return found if within is None else found.among(within)

    def documents(self, rows: Rows) -> dict[int, Document]:
        return {row: self._documents[row].document for row in rows.tolist() if 0 <= row < len(self._documents)}

    def translations(self, source: str, target: str, words: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """None: only an index keeps a dictionary."""
        return {}

    def _stacked(self, language: str) -> tuple[Rows, Any]:
        rows = self.rows(language)
        vectors = [self._documents[row].vector for row in rows.tolist()]
        if vectors and is_sparse(vectors[0]):
            from scipy.sparse import csr_array, vstack

            return rows, csr_array(vstack(vectors, format="csr"))
        return rows, np.array(vectors, np.float32).reshape(len(rows), self.settings.dimensions)

    def _postings(self, language: str) -> dict[str, tuple[list[int], list[int]]]:
        """Which documents of a language (by place among them) have each word, and how often; made when first asked."""
        if language not in self._words:
            found: dict[str, tuple[list[int], list[int]]] = {}
            listed = [self._documents[row].words for row in self._of.get(language, ())]
            for place, words in enumerate(listed):
                for word, count in Counter(words).items():
                    places, counts = found.setdefault(word, ([], []))
                    places.append(place)
                    counts.append(count)
            self._words[language] = found
            self._lengths[language] = np.array([len(words) for words in listed])
        return self._words[language]


def _values(document: Document, name: str) -> set[str]:
    """What a filter on this name looks at."""
    return {document.id} if name == ID else set(document.values(name))


def _scores(similarity: str, vector: NDArray[Any], matrix: Any) -> NDArray[np.float64]:
    """As `compared`, over a matrix that may be sparse."""
    asked = np.asarray(vector, np.float64)
    if similarity == "cosine":
        return np.asarray(matrix.astype(np.float64) @ asked)
    order = 1 if similarity == "l1" else 2
    rows = [as_dense(matrix[row : row + 1])[0] for row in range(matrix.shape[0])]
    return np.array([-np.linalg.norm(row - asked, ord=order) for row in rows], np.float64)
