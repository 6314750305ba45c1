"""Which documents have each term, and how often: an inverted file as three arrays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import StoreError
from babelspace.runtime import files
from babelspace.runtime.derived_copies import mapped
from babelspace.store.base import Rows
from babelspace.store.tailed_copy import Places

ROWS, LENGTHS, STARTS, PLACES, COUNTS = "rows.npy", "lengths.npy", "starts.npy", "places.npy", "counts.npy"


class TermCounts(NamedTuple):
    """The distinct terms of one document by number, and how often each occurs; bytes of 32-bit integers."""

    terms: bytes
    counts: bytes


class Postings:
    """Documents in order of row with their lengths; those of term t stand in `places[starts[t]:starts[t + 1]]`."""

    def __init__(
        self,
        rows: Rows,
        lengths: NDArray[np.int32],
        starts: NDArray[np.int64],
        places: NDArray[np.int32],
        counts: NDArray[np.int32],
    ) -> None:
        self.rows, self.lengths = rows, lengths
        self.starts, self.places, self.counts = starts, places, counts
        self._checked: set[int] = set()

    @classmethod
    def of(cls, rows: Rows, documents: Sequence[TermCounts], width: int) -> Self:
        """From the terms of each document, whose numbers are below `width`."""
        from scipy.sparse import csr_array

        terms = np.frombuffer(b"".join(document.terms for document in documents), "<i4")
        counts = np.frombuffer(b"".join(document.counts for document in documents), "<i4")
        borders = np.cumsum([0, *(len(document.terms) // 4 for document in documents)])
        if len(terms) != len(counts) or not _within(terms, 0, width) or not _within(counts, 1, 1 << 31):
            raise ValueError("words that are no terms or not counted")
        return cls._of_matrix(rows, csr_array((counts, terms, borders), shape=(len(rows), width)))

    @classmethod
    def empty(cls) -> Self:
        """No documents."""
        return cls.of(np.zeros(0, np.int64), [], 0)

    @classmethod
    def _of_matrix(cls, rows: Rows, matrix: Any) -> Self:
        """From counts of terms (columns) in documents (rows)."""
        columns = matrix.tocsc()
        lengths = np.asarray(matrix.sum(axis=1, dtype=np.int64)).ravel().astype(np.int32)
        return cls(rows, lengths, columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)

    def _matrix(self, width: int) -> Any:
        from scipy.sparse import csc_array

        if not _within(self.places, 0, len(self.rows)) or (np.diff(self.starts) < 0).any():
            raise ValueError("documents of words that do not exist")
        starts = np.append(self.starts, np.full(width + 1 - len(self.starts), self.starts[-1]))
        return csc_array((self.counts, self.places, starts), shape=(len(self.rows), width)).tocsr()

    def kept(self, places: Places) -> Self:
        """Only the documents at these places."""
        part = self._of_matrix(self.rows[places], self._matrix(len(self.starts) - 1)[places])
        part.lengths = self.lengths[places]
        return part

    def joined(self, other: Self) -> Self:
        """These documents and others after them."""
        from scipy.sparse import vstack

        width = max(len(self.starts), len(other.starts)) - 1
        both = vstack([self._matrix(width), other._matrix(width)], format="csr")
        return self._of_matrix(np.concatenate([self.rows, other.rows]), both)

    def having(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Places of the documents that have a term, in order, and how often they have it."""
        part = self._part(term)
        # Checksums do not tell what somebody wrote who knows them; once for each term is enough.
        if term not in self._checked and not _within(self.places[part], 0, len(self.rows)):
            raise StoreError(
                "damaged, the copy of its words names documents that do not exist", hint="mend it: {check(repair=True)}"
            )
        self._checked.add(term)
        return self.places[part], self.counts[part]

    def frequency(self, term: int) -> int:
        """How many documents have a term; none of them is read."""
        part = self._part(term)
        return max(part.stop - part.start, 0)

    def _part(self, term: int) -> slice:
        """Where the documents of a term stand."""
        if term + 1 >= len(self.starts):
            return slice(0, 0)
        return slice(int(self.starts[term]), int(self.starts[term + 1]))

    def same(self, other: Self) -> bool:
        """Whether both say the same of the same documents."""
        width = max(len(self.starts), len(other.starts)) - 1
        return np.array_equal(self.lengths, other.lengths) and not (self._matrix(width) != other._matrix(width)).nnz

    def write(self, folder: Path) -> None:
        """A file for each array."""
        arrays: dict[str, NDArray[Any]] = {
            ROWS: self.rows,
            LENGTHS: self.lengths,
            STARTS: self.starts,
            PLACES: self.places,
            COUNTS: self.counts,
        }
        for name, array in arrays.items():
            files.system.write(np.save, folder / name, array)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """What was written, mapped into memory."""
        rows, starts = mapped(folder / ROWS, np.int64), mapped(folder / STARTS, np.int64)
        lengths, places, counts = (mapped(folder / name, np.int32) for name in (LENGTHS, PLACES, COUNTS))
        if len(rows) != len(lengths) or not len(starts) or not starts[-1] == len(places) == len(counts):
            raise StoreError(f"{folder}: files do not fit one another")
        return cls(rows, lengths, starts, places, counts)


def _within(numbers: NDArray[np.int32], low: int, above: int) -> bool:
    return not len(numbers) or (low <= int(numbers.min()) and int(numbers.max()) < above)
