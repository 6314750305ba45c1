"""Vectors of one language in memory, with faiss: a base that can be saved, and a tail of what came after it.

The database is the truth and this is a copy: it is told which rows exist, forgets those that are gone and fetches those
that are new. Nothing is trained during a search; `fold` brings the tail into the base after much writing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import BabelspaceError, StoreError
from babelspace.runtime import progress
from babelspace.runtime.artifact import check_files, checked_card, write_card
from babelspace.runtime.files import atomic_folder
from babelspace.store.base import Rows, ScoredRows, Vectors
from babelspace.vectors.similarity import PRODUCTS

Fetch = Callable[[Rows], Vectors]

# Up to here every vector is compared; above, half of the cells of an inverted file. Chosen by
# benchmarks/measure/search.py: short queries lie apart from documents, and fewer cells miss some of their neighbours.
FLAT, PROBED = 50_000, 0.5
# Vectors that train one cell.
TRAINING = 64
SPARE = 32
# faiss reads bytes in groups of so many; with other widths it is several times slower.
LANES = 16
STAMP, ROWS, VECTORS = "stamp.json", "rows.npy", "vectors.faiss"
FORMAT = 2


class VectorCopy:
    """The nearest of one language's vectors."""

    def __init__(self, dimensions: int, similarity: str) -> None:
        self.dimensions, self.similarity = dimensions, similarity
        self.rows: Rows = np.zeros(0, np.int64)
        self._alive: NDArray[np.bool_] = np.zeros(0, bool)
        self._base: Any = self._flat()
        self._trained_on = 0
        self._tail_rows: Rows = np.zeros(0, np.int64)
        self._tail: Any = self._flat()
        self._tail_alive: NDArray[np.bool_] = np.zeros(0, bool)

    @property
    def approximate(self) -> bool:
        """Whether the base is searched cell by cell."""
        return self._trained_on > 0

    def __len__(self) -> int:
        return int(self._alive.sum() + self._tail_alive.sum())

    def update(self, now: Rows, fetch: Fetch) -> None:
        """Forget rows that are no longer there, fetch those that are new."""
        self._alive = np.isin(self.rows, now, assume_unique=True)
        self._tail_alive = np.isin(self._tail_rows, now, assume_unique=True)
        fresh = np.setdiff1d(now, np.concatenate([self.rows, self._tail_rows]), assume_unique=True)
        if len(fresh):
            self._tail.add(fetch(fresh))
            self._tail_rows = np.concatenate([self._tail_rows, fresh])
            self._tail_alive = np.concatenate([self._tail_alive, np.ones(len(fresh), bool)])

    def search(self, vector: NDArray[Any], k: int, within: Rows | None, fetch: Fetch) -> ScoredRows:
        """The k best living rows, scored exactly."""
        query = np.ascontiguousarray(vector, np.float32).reshape(1, -1)
        parts = [
            self._part(self._base, self.rows, self._alive, query, k, within),
            self._part(self._tail, self._tail_rows, self._tail_alive, query, k, within),
        ]
        rows = np.concatenate([part.rows for part in parts])
        scores = np.concatenate([part.scores for part in parts])
        if self.approximate and len(rows):
            scores = self.scores(query[0], fetch(rows))
        best = np.lexsort((rows, -scores))[:k]
        return ScoredRows(rows[best], scores[best])

    def scores(self, vector: NDArray[Any], rows: Vectors) -> NDArray[np.float64]:
        """The similarity of a vector to others; higher is better."""
        return compared(self.similarity, vector, rows)

    def fold(self, now: Rows, fetch: Fetch) -> bool:
        """Bring the tail into the base and drop what is gone; tells whether anything changed."""
        self.update(now, fetch)
        dead = len(self.rows) - int(self._alive.sum())
        if not len(self._tail_rows) and not dead:
            return False
        if self.approximate and len(now) <= 2 * self._trained_on and 10 * dead <= len(self.rows):
            kept = self._tail_rows[self._tail_alive]
            self._add(self._base, kept, fetch)
            self.rows = np.concatenate([self.rows, kept])
            self._alive = np.concatenate([self._alive, np.ones(len(kept), bool)])
        else:
            self._build(now, fetch)
        self._tail, self._tail_rows, self._tail_alive = self._flat(), np.zeros(0, np.int64), np.zeros(0, bool)
        return True

    def save(self, folder: Path, generation: int, database: str = "") -> None:
        """Write the base with the generation of the database it shows; the folder appears whole or not at all."""
        import faiss

        with atomic_folder(folder) as fresh:
            np.save(fresh / ROWS, self.rows)
            faiss.write_index(self._base, str(fresh / VECTORS))
            stamp = {
                "format": FORMAT,
                "generation": generation,
                "database": database,
                "dimensions": self.dimensions,
                "similarity": self.similarity,
                "trained_on": self._trained_on,
            }
            write_card(fresh / STAMP, stamp, (ROWS, VECTORS))

    @classmethod
    def load(cls, folder: Path, dimensions: int, similarity: str, database: str = "") -> tuple[VectorCopy, int]:
        """What was saved of this database and its generation; an empty one (-1) where there is nothing that fits."""
        import faiss

        fresh = cls(dimensions, similarity)
        try:
            stamp = checked_card(folder / STAMP, FORMAT, StoreError, "copy", "", "")
            wanted = [dimensions, similarity, database]
            if [stamp[name] for name in ("dimensions", "similarity", "database")] != wanted:
                return fresh, -1
            check_files(folder, stamp["files"])
            rows, base = np.load(folder / ROWS), faiss.read_index(str(folder / VECTORS))
            # A copy that is damaged is no loss: everything comes from the database again.
        except (BabelspaceError, OSError, ValueError, KeyError, RuntimeError):
            return fresh, -1
        if base.ntotal != len(rows) or not dimensions <= base.d < dimensions + LANES:
            return fresh, -1
        fresh.rows, fresh._base, fresh._trained_on = rows, base, stamp["trained_on"]
        fresh._alive = np.ones(len(rows), bool)
        return fresh, int(stamp["generation"])

    def _part(
        self, index: Any, rows: Rows, alive: NDArray[np.bool_], query: Any, k: int, within: Rows | None
    ) -> ScoredRows:
        import faiss

        allowed = alive if within is None else alive & np.isin(rows, within, assume_unique=True)
        count = int(allowed.sum())
        if not count:
            return ScoredRows.nothing()
        bits = np.packbits(allowed, bitorder="little")
        # faiss's stubs describe its C++, not what Python passes. The selector keeps no reference to the bits: both must
        # live until the search is over.
        library: Any = faiss
        chosen = None if count == len(rows) else library.IDSelectorBitmap(bits)
        inverted = index is self._base and self.approximate
        if inverted:
            # Where few are allowed, all cells are looked at: that costs no more than those few.
            cells = index.nlist if 4 * count < len(rows) else max(1, round(PROBED * index.nlist))
            parameters = library.SearchParametersIVF(sel=chosen, nprobe=cells)
        else:
            parameters = library.SearchParameters(sel=chosen)
        query = padded(query, index.d)
        # One byte a dimension orders only roughly: more are fetched, to be scored again.
        values, places = index.search(query, min(2 * k + SPARE if inverted else k, count), params=parameters)
        real = places[0] >= 0
        scores = values[0][real].astype(np.float64)
        if self.similarity == "euclidean":
            scores = np.sqrt(np.maximum(scores, 0))
        return ScoredRows(rows[places[0][real]], scores if self.similarity in PRODUCTS else -scores)

    def _build(self, now: Rows, fetch: Fetch) -> None:
        """A new base of all rows, flat or, above `FLAT`, inverted."""
        # faiss has no cells for L1 distances: those stay flat.
        inverted = len(now) > FLAT and self.similarity != "l1"
        base = self._inverted(now, fetch) if inverted else self._flat()
        self._trained_on = len(now) if inverted else 0
        self._add(base, now, fetch)
        self._base, self.rows, self._alive = base, now, np.ones(len(now), bool)

    def _add(self, index: Any, rows: Rows, fetch: Fetch) -> None:
        with progress.task("sorting vectors", len(rows)) as advance:
            for start in range(0, len(rows), 1 << 14):
                part = rows[start : start + (1 << 14)]
                index.add(padded(fetch(part), index.d))
                advance(len(part))

    def _flat(self) -> Any:
        import faiss

        metrics = {"euclidean": faiss.METRIC_L2, "l1": faiss.METRIC_L1}
        return faiss.IndexFlat(self.dimensions, metrics.get(self.similarity, faiss.METRIC_INNER_PRODUCT))

    def _inverted(self, now: Rows, fetch: Fetch) -> Any:
        """Cells around centres, their vectors in one byte a dimension; candidates are scored again exactly."""
        import faiss

        metric = faiss.METRIC_L2 if self.similarity == "euclidean" else faiss.METRIC_INNER_PRODUCT
        cells = max(1, 1 << round(np.log2(np.sqrt(len(now)) / 2)))
        sample = now[:: max(1, len(now) // (cells * TRAINING))]
        width = -(-self.dimensions // LANES) * LANES
        kind = faiss.ScalarQuantizer.QT_8bit
        index = faiss.IndexIVFScalarQuantizer(faiss.IndexFlat(width, metric), width, cells, kind, metric)
        with progress.task(f"training {cells:,} cells on {len(sample):,} vectors"):
            index.train(padded(fetch(sample), width))
        return index


def compared(similarity: str, vector: NDArray[Any], rows: Vectors) -> NDArray[np.float64]:
    """The similarity of one prepared vector to others, summed in float64; distances are negated."""
    asked, known = vector.astype(np.float64), rows.astype(np.float64)
    if similarity in PRODUCTS:
        return known @ asked
    return -np.linalg.norm(known - asked, ord=1 if similarity == "l1" else 2, axis=1)


def padded(rows: Vectors, width: int) -> Vectors:
    """Rows with zeros after them, which change no product and no distance."""
    if rows.shape[1] == width:
        return np.ascontiguousarray(rows)
    return np.ascontiguousarray(np.pad(rows, ((0, 0), (0, width - rows.shape[1]))))
