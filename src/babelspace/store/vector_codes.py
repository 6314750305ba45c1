"""Vectors in four bits for every few dimensions (product quantisation), all of them scanned for each query.

The table of distances of one query fits into registers, so that a scan reads at the speed of memory: 63 bytes instead
of 2,000 for a vector of 500 dimensions. Codes order only roughly; whoever asks scores the candidates again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from babelspace.store.base import Vectors

# Groups of dimensions that share a code, at least where a vector has as many, and dimensions of one group at most.
GROUPS, WIDEST = 125, 4
BITS = 4
# Vectors that train the codes.
TRAINING = 20_000
# Stored vectors that try how deep their true neighbours lie among the candidates, and how many neighbours of each.
TRIED, NEIGHBOURS = 64, 10
# A query is not a document and its neighbours lie deeper: so many times, within these limits.
MARGIN, SHALLOWEST, DEEPEST = 2, 200, 4096


class VectorCodes:
    """Codes of vectors in the order in which they were added; `depth` candidates hold the nearest ones."""

    def __init__(self, index: Any, dimensions: int, depth: int = SHALLOWEST) -> None:
        self.index, self.dimensions, self.depth = index, dimensions, depth

    @classmethod
    def trained(cls, sample: Vectors, products: bool) -> Self:
        """No codes yet, but what they stand for."""
        import faiss

        library: Any = faiss  # its stubs describe its C++, not what Python passes
        dimensions = sample.shape[1]
        width = min(max(round(dimensions / GROUPS), 1), WIDEST)
        groups = -(-dimensions // width)
        metric = faiss.METRIC_INNER_PRODUCT if products else faiss.METRIC_L2
        index = library.IndexPQFastScan(groups * width, groups, BITS, metric)
        index.pq.cp.min_points_per_centroid = 1
        index.train(padded(sample, groups * width))
        return cls(index, dimensions)

    @classmethod
    def read(cls, path: Path, dimensions: int, depth: int) -> Self:
        """What `write` wrote."""
        import faiss

        return cls(faiss.read_index(str(path)), dimensions, depth)

    def write(self, path: Path) -> None:
        """As faiss has it."""
        import faiss

        faiss.write_index(self.index, str(path))

    def emptied(self) -> Self:
        """The same meaning of codes, without any."""
        import faiss

        index: Any = faiss.clone_index(self.index)
        index.reset()
        return type(self)(index, self.dimensions)

    def __len__(self) -> int:
        return int(self.index.ntotal)

    def fits(self, rows: int, dimensions: int) -> bool:
        """Whether these are codes of so many vectors."""
        return len(self) == rows and dimensions <= self.index.d < dimensions + WIDEST

    def add(self, vectors: Vectors) -> None:
        """Codes of more vectors."""
        self.index.add(padded(vectors, self.index.d))

    def nearest(self, queries: Vectors, count: int) -> NDArray[np.int64]:
        """Places of the nearest codes of each query, best first."""
        places = self.index.search(padded(queries, self.index.d), min(count, len(self)))[1]
        return np.asarray(places, np.int64)

    def measure_depth(self, vectors: Vectors, products: bool) -> None:
        """How many candidates hold the true neighbours of some of the vectors."""
        import faiss

        queries = np.ascontiguousarray(vectors[:: max(1, len(vectors) // TRIED)][:TRIED])
        metric = faiss.METRIC_INNER_PRODUCT if products else faiss.METRIC_L2
        true = faiss.knn(queries, vectors, min(NEIGHBOURS, len(vectors)), metric=metric)[1]
        found = self.nearest(queries, DEEPEST)
        deepest = max(_deepest(row, wanted) for row, wanted in zip(found, true, strict=True))
        self.depth = min(max(MARGIN * deepest, SHALLOWEST), DEEPEST)


def _deepest(found: NDArray[np.int64], wanted: NDArray[np.int64]) -> int:
    """How far one must go to have found all that is wanted; as far as there is where some are missing."""
    places = np.flatnonzero(np.isin(found, wanted))
    return int(places[-1]) + 1 if len(places) == len(wanted) else len(found)


def padded(rows: Vectors, width: int) -> Vectors:
    """Rows with zeros after them, which change no product and no distance."""
    if rows.shape[1] == width:
        return np.ascontiguousarray(rows)
    return np.ascontiguousarray(np.pad(rows, ((0, 0), (0, width - rows.shape[1]))))


def blocks(count: int, size: int = 1 << 14) -> Iterator[slice]:
    """Slices that cover so many rows."""
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
