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
from babelspace.runtime.engine import map_write, open_engine, read_arrays
from babelspace.runtime.files import atomic_file, discard
from babelspace.vectors.neighbours import Neighbours
from babelspace.vectors.shards import VectorShards, read_vectors

FILE = "compressed.faiss"
# Vectors that train one cell, and 256 centres of each part of a vector; more change little and take long.
TRAINING, LEAST_TRAINING = 40, 256 * 40
# Of the cells, how many a query looks at, and how many times k are scored again.
PROBED, AGAIN = 32, 10
# Queries whose candidates are read together.
TOGETHER = 256


def compress(
    shards: VectorShards,
    *,
    cells: int | None = None,
    code_bytes: int | None = None,
    seed: int = 0,
    engine: Any = None,
) -> Path:
    """Write the compressed copy of shards beside them; rows are compared by inner product, so they have one length.

    Codes are made shard by shard; a killed call goes on from those that are there.

    Parameters
    ----------
    cells : None is the root of the rows, as a power of two
    code_bytes : of each vector; None is a byte for four to eight dimensions
    engine : where codes are made: "processes://4", "dask://scheduler:8786", a Client of Dask; None is here
    """
    import faiss

    rows, dimensions = shards.shape
    cells = cells or max(1, 1 << round(np.log2(np.sqrt(rows))))
    parts = code_bytes or _parts(dimensions)
    if dimensions % parts:
        raise ParameterError(
            f"{dimensions} dimensions cannot be cut into {parts} parts; use a divisor of {dimensions}."
        )
    work = shards.folder / f"compressing-{rows}-{cells}-{parts}-{seed}"
    work.mkdir(exist_ok=True)
    trained = work / "trained.faiss"
    if not trained.exists():
        _write(_trained(shards, cells, parts, seed), trained)
    codes = [work / f"{path.name}.codes" for path in shards.paths]
    with open_engine(engine) as opened:
        map_write(_codes, shards.paths, codes, opened, trained, title="compressing")
    index = faiss.read_index(str(trained))
    for path in codes:
        index.add_sa_codes(read_arrays(path)["codes"])
    path = shards.folder / FILE
    _write(index, path)
    discard(work)
    return path


def _trained(shards: VectorShards, cells: int, parts: int, seed: int) -> Any:
    """An empty index with the centres of cells and of parts of vectors."""
    import faiss

    rows, dimensions = shards.shape
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
    return index


def _codes(path: Path, trained: Path) -> dict[str, NDArray[Any]]:
    """Cell and code of each row of a shard."""
    import faiss

    return {"codes": faiss.read_index(str(trained)).sa_encode(read_vectors(path))}


def _write(index: Any, path: Path) -> None:
    import faiss

    with atomic_file(path) as fresh:
        faiss.write_index(index, str(fresh))


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
        for start in range(0, len(queries), TOGETHER):
            known = np.unique(found[start : start + TOGETHER])
            known = known[known >= 0]
            vectors = self.shards.take(known)
            for number, candidates in enumerate(found[start : start + TOGETHER], start):
                own = np.sort(candidates[candidates >= 0])
                exact = vectors[np.searchsorted(known, own)] @ queries[number]
                best = np.lexsort((own, -exact))[:k]
                scores[number, : len(best)], rows[number, : len(best)] = exact[best], own[best]
        return Neighbours(rows, scores)
