"""Vectors in four bits for every few dimensions (product quantisation), all of them scanned for each query.

The table of distances of one query fits into registers, so that a scan reads at the speed of memory: 63 bytes instead
of 2,000 for a vector of 500 dimensions. Codes order only roughly; whoever asks scores the candidates again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import StoreError
from babelspace.runtime import files
from babelspace.runtime.derived_copies import mapped
from babelspace.store.base import Vectors

# Groups of dimensions that share a code, at least where a vector has as many, and dimensions of one group at most.
GROUPS, WIDEST = 125, 4
BITS = 4
CENTROIDS, CODES = "centroids.npy", "codes.npy"
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
    def _untrained(cls, dimensions: int, products: bool) -> Self:
        import faiss

        library: Any = faiss  # its stubs describe its C++, not what Python passes
        width = min(max(round(dimensions / GROUPS), 1), WIDEST)
        groups = -(-dimensions // width)
        metric = faiss.METRIC_INNER_PRODUCT if products else faiss.METRIC_L2
        index = library.IndexPQFastScan(groups * width, groups, BITS, metric)
        index.pq.cp.min_points_per_centroid = 1
        return cls(index, dimensions)

    @classmethod
    def trained(cls, sample: Vectors, products: bool) -> Self:
        """No codes yet, but what they stand for."""
        codes = cls._untrained(sample.shape[1], products)
        codes.index.train(padded(sample, codes.index.d))
        return codes

    @classmethod
    def read(cls, folder: Path, dimensions: int, products: bool, rows: int, depth: int) -> Self:
        """What `write` wrote of so many vectors. Arrays, not a file of faiss, which would believe whatever it says."""
        import faiss

        codes = cls._untrained(dimensions, products)
        index, library = codes.index, cast("Any", faiss)
        # Codes stand in whole blocks, two in a byte.
        places = -(-rows // index.bbs) * index.bbs
        centroids, packed = mapped(folder / CENTROIDS, np.float32), mapped(folder / CODES, np.uint8)
        if len(centroids) != index.d * (1 << BITS) or not np.isfinite(centroids).all():
            raise StoreError(f"{folder / CENTROIDS}: not what codes of {dimensions} dimensions stand for")
        if len(packed) != places * index.M2 // 2:
            raise StoreError(f"{folder / CODES}: not codes of {rows} vectors")
        library.copy_array_to_vector(np.array(centroids), index.pq.centroids)
        library.copy_array_to_AlignedTable(np.array(packed), index.codes)
        index.ntotal, index.ntotal2, index.is_trained = rows, places, True
        codes.depth = depth
        return codes

    def write(self, folder: Path) -> None:
        """A file of what codes stand for, and one of them."""
        import faiss

        files.system.write(np.save, folder / CENTROIDS, faiss.vector_to_array(self.index.pq.centroids))
        files.system.write(np.save, folder / CODES, faiss.vector_to_array(self.index.codes))

    def emptied(self) -> Self:
        """The same meaning of codes, without any."""
        import faiss

        index: Any = faiss.clone_index(self.index)
        index.reset()
        return type(self)(index, self.dimensions)

    def __len__(self) -> int:
        return int(self.index.ntotal)

    def add(self, vectors: Vectors) -> None:
        """Codes of more vectors."""
        self.index.add(padded(vectors, self.index.d))

    def nearest(self, queries: Vectors, count: int) -> NDArray[np.int64]:
        """Places of the nearest codes of each query, best first."""
        places = self.index.search(padded(queries, self.index.d), min(count, len(self)))[1]
        return np.asarray(places, np.int64)

    def compared(self, query: Vectors, vectors: Vectors, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """Similarities in single precision to the vectors at places that codes gave, read where they lie."""
        import faiss

        library: Any = faiss
        products = self.index.metric_type == faiss.METRIC_INNER_PRODUCT
        compare = library.fvec_inner_products_by_idx if products else library.fvec_L2sqr_by_idx
        scores, places = np.empty(len(places), np.float32), np.ascontiguousarray(places)
        compare(*map(library.swig_ptr, (scores, query, vectors, places)), vectors.shape[1], 1, len(places))
        return scores if products else -scores

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
