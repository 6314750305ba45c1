"""Tens of millions of vectors in a few bytes each: cells and product quantisation by faiss, read through a memory map.

At the start nothing is read but the centres; a search reads the cells that it probes, and scores the best of them again
with the vectors themselves, of which only those rows are read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError, StoreError
from babelspace.runtime import progress
from babelspace.runtime.files import atomic_file
from babelspace.vectors.neighbours import Neighbours
from babelspace.vectors.shards import VectorShards

FILE = "compressed.faiss"
# Vectors that train one cell, and 256 centres of each part of a vector; more change little and take long.
TRAINING, LEAST_TRAINING = 40, 256 * 40
# Of the cells, how many a query looks at, and how many times k are scored again.
PROBED, AGAIN = 32, 10


def compress(shards: VectorShards, *, cells: int | None = None, code_bytes: int | None = None, seed: int = 0) -> Path:
    """Write the compressed copy of shards beside them; rows are compared by inner product, so they have one length.

    Parameters
    ----------
    cells : None is four times the root of the rows, as a power of two
    code_bytes : of each vector; None is a byte for four to eight dimensions
    """
    import faiss

    rows, dimensions = shards.shape
    cells = cells or max(1, 1 << round(np.log2(4 * np.sqrt(rows))))
    parts = code_bytes or _parts(dimensions)
    if dimensions % parts:
        raise ParameterError(
            f"{dimensions} dimensions cannot be cut into {parts} parts; use a divisor of {dimensions}."
        )
    needed = max(cells * TRAINING, LEAST_TRAINING)
    cells = max(1, min(cells, rows // TRAINING))
    sample = np.sort(np.random.default_rng(seed).permutation(rows)[: min(needed, rows)])
    centres = faiss.IndexFlatIP(dimensions)
    index = faiss.IndexIVFPQ(centres, dimensions, cells, parts, 8, faiss.METRIC_INNER_PRODUCT)
    index.cp.seed = index.pq.cp.seed = seed + 1
    # Small samples are all there is: faiss would print that it wants more.
    index.cp.min_points_per_centroid = index.pq.cp.min_points_per_centroid = 1
    with progress.task(f"training {cells:,} cells on {len(sample):,} vectors"):
        index.train(shards.take(sample))
    with progress.task("compressing", rows) as advance:
        for array in shards:
            index.add(np.ascontiguousarray(array))
            advance(len(array))
    path = shards.folder / FILE
    with atomic_file(path) as fresh:
        faiss.write_index(index, str(fresh))
    return path


def _parts(dimensions: int) -> int:
    """Between an eighth and a quarter of the dimensions, as large as divides them."""
    whole = [parts for parts in range(1, dimensions + 1) if dimensions % parts == 0 and 4 * parts <= max(dimensions, 4)]
    return max(whole)


class CompressedVectors:
    """The nearest rows of shards, found in their compressed copy."""

    def __init__(self, shards: VectorShards) -> None:
        import faiss

        self.shards = shards
        path = shards.folder / FILE
        try:
            self._index: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY)
        except RuntimeError as problem:
            raise StoreError(f"{path}: cannot be read ({str(problem)[:80]})", hint="make it again") from problem
        if self._index.ntotal != len(shards) or self._index.d != shards.shape[1]:
            raise StoreError(f"{path} is not of these shards", hint="make it again")

    def nearest(self, queries: NDArray[Any], k: int, *, probes: int = PROBED) -> Neighbours:
        """The k best rows of each query by inner product, best first; scores are exact, the choice of rows is not."""
        queries = np.ascontiguousarray(queries, np.float32)
        self._index.nprobe = min(probes, self._index.nlist)
        _, found = self._index.search(queries, min(AGAIN * k, len(self.shards)))
        scores = np.full((len(queries), k), -np.inf, np.float32)
        rows = np.full((len(queries), k), -1, np.int64)
        for number, candidates in enumerate(found):
            known = np.sort(candidates[candidates >= 0])
            exact = self.shards.take(known) @ queries[number]
            best = np.lexsort((known, -exact))[:k]
            scores[number, : len(best)], rows[number, : len(best)] = exact[best], known[best]
        return Neighbours(rows, scores)
