"""Vectors of one language: compared one and all where they are few, found by codes where they are many."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import StoreError
from babelspace.runtime import files, progress
from babelspace.runtime.derived_copies import mapped
from babelspace.store.base import Rows, Vectors
from babelspace.store.tailed_copy import Mask, Places
from babelspace.store.vector_codes import DEEPEST, TRAINING, VectorCodes, blocks

Fetch = Callable[[Rows], Vectors]

# Up to here every vector is compared, which takes no longer than a scan of codes with all that belongs to it.
FLAT = 5_000
# Single precision orders what is nearly equal by chance: so many more are fetched, to be scored again.
SPARE = 32
ROWS, VECTORS = "rows.npy", "vectors.npy"


class VectorBase:
    """Vectors in order of row, and their codes where there are many; `trained_on` so many the codes were learned."""

    def __init__(
        self, rows: Rows, vectors: Vectors, similarity: str, codes: VectorCodes | None = None, trained_on: int = 0
    ) -> None:
        self.rows, self.vectors, self.similarity = rows, vectors, similarity
        self.codes, self.trained_on = codes, trained_on

    @classmethod
    def empty(cls, dimensions: int, similarity: str) -> Self:
        """No vectors."""
        return cls(np.zeros(0, np.int64), np.zeros((0, dimensions), np.float32), similarity)

    def kept(self, places: Places) -> Self:
        """Only the vectors at these places, without codes."""
        return type(self)(self.rows[places], self.vectors[places], self.similarity)

    def joined(self, other: Self) -> Self:
        """These vectors and others after them, without codes."""
        rows = np.concatenate([self.rows, other.rows])
        return type(self)(rows, np.concatenate([self.vectors, other.vectors]), self.similarity)

    def same(self, other: Self) -> bool:
        """Whether both have the same vectors of the same rows."""
        return np.array_equal(self.vectors, other.vectors, equal_nan=True)

    def candidates(self, query: Vectors, k: int, allowed: Mask | None) -> Places:
        """Where the nearest stand, some more than asked for and in no order; among those allowed."""
        size = len(self.rows)
        if not size:
            return np.zeros(0, np.int64)
        count = size if allowed is None else int(np.count_nonzero(allowed))
        if self.codes is None or count <= FLAT:
            return self._compared(query, k, allowed)
        wanted = max(self.codes.depth, 2 * k)
        asked = wanted * size // count
        # What is not allowed takes places away: more are asked for, until comparing all that are allowed is cheaper.
        while asked <= max(DEEPEST, wanted):
            places = self.codes.nearest(query, asked)[0]
            kept = places if allowed is None else places[allowed[places]]
            if allowed is None or len(kept) >= wanted:
                places = kept[:wanted]
                return places[_best(self.codes.compared(query, self.vectors, places), k)]
            asked *= 2
        return self._compared(query, k, allowed)

    def _compared(self, query: Vectors, k: int, allowed: Mask | None) -> Places:
        """The nearest after a comparison with all that are allowed."""
        if allowed is not None:
            return self._nearest(query, k, np.flatnonzero(allowed))
        # Slices are looked at where they lie; places would be copied first.
        parts = [self._roughly(query, self.vectors[part]) for part in blocks(len(self.rows))]
        return _best(np.concatenate([np.zeros(0, np.float32), *parts]), k)

    def _nearest(self, query: Vectors, k: int, places: Places) -> Places:
        """Those of these places that are nearest."""
        parts = [self._roughly(query, self.vectors[places[part]]) for part in blocks(len(places))]
        return places[_best(np.concatenate([np.zeros(0, np.float32), *parts]), k)]

    def _roughly(self, query: Vectors, vectors: Vectors) -> NDArray[np.float32]:
        """Similarities in single precision; distances are negated."""
        if self.similarity == "cosine":
            return vectors @ query[0]
        import faiss

        metric = faiss.METRIC_L1 if self.similarity == "l1" else faiss.METRIC_L2
        return -faiss.pairwise_distances(query, np.ascontiguousarray(vectors), metric=metric)[0]

    def write(self, folder: Path, rows: Rows, fetch: Fetch) -> dict[str, Any]:
        """Files of these rows and facts about them; codes are learned again when there are twice as many."""
        files.system.write(np.save, folder / ROWS, rows)
        vectors = _stored(folder / VECTORS, rows, fetch, self.vectors.shape[1])
        # L1 distances are kept by no codes.
        if len(rows) <= FLAT or self.similarity == "l1":
            return {"depth": 0, "trained_on": 0}
        codes, trained_on = self._coded(vectors)
        codes.measure_depth(vectors, self.similarity == "cosine")
        codes.write(folder)
        return {"depth": codes.depth, "trained_on": trained_on}

    def _coded(self, vectors: Vectors) -> tuple[VectorCodes, int]:
        """Codes of all vectors, and how many there were when what they stand for was learned."""
        if self.codes is not None and len(vectors) <= 2 * self.trained_on:
            codes, trained_on = self.codes.emptied(), self.trained_on
        else:
            sample = np.ascontiguousarray(vectors[:: max(1, len(vectors) // TRAINING)])
            with progress.task(f"learning codes from {len(sample):,} vectors"):
                codes, trained_on = VectorCodes.trained(sample, self.similarity == "cosine"), len(vectors)
        with progress.task("coding vectors", len(vectors)) as advance:
            for part in blocks(len(vectors)):
                codes.add(vectors[part])
                advance(part.stop - part.start)
        return codes, trained_on

    @classmethod
    def read(cls, folder: Path, dimensions: int, similarity: str, depth: int, trained_on: int) -> Self:
        """What was written."""
        rows, vectors = mapped(folder / ROWS, np.int64), mapped(folder / VECTORS, np.float32, axes=2)
        if vectors.shape != (len(rows), dimensions):
            raise StoreError(f"{folder}: files do not fit one another")
        products = similarity == "cosine"
        codes = VectorCodes.read(folder, dimensions, products, len(rows), depth) if depth else None
        return cls(rows, vectors, similarity, codes, trained_on)


def _best(scores: NDArray[np.float32], k: int) -> Places:
    """Where the best stand, some more than k and in no order."""
    most = k + SPARE
    return np.argpartition(-scores, most)[:most] if len(scores) > most else np.arange(len(scores))


def _stored(path: Path, rows: Rows, fetch: Fetch, dimensions: int) -> Vectors:
    """A file of the vectors of these rows, mapped into memory."""
    stored = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(len(rows), dimensions))
    with progress.task("copying vectors", len(rows)) as advance:
        for part in blocks(len(rows)):
            stored[part] = fetch(rows[part])
            advance(part.stop - part.start)
    files.system.write(stored.flush)
    return np.asarray(stored)
