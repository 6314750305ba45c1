"""Tens of millions of vectors in a few bytes each: cells and product quantisation by faiss, in files that are mapped.

At the start nothing is read but the centres; a search reads the cells that it probes, and scores the best of them again
with the vectors themselves, of which only those rows are read. The files hold arrays, not an index of faiss, which it
would believe whatever it says; they are tied by SHA-256 to a card that tells which shards they are of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import BabelspaceError, ParameterError, StoreError
from babelspace.runtime import derived_copies, files, progress
from babelspace.runtime.artifact import refuse_link
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.derived_copies import mapped
from babelspace.runtime.engine import block_told, map_write, open_engine, read_arrays
from babelspace.runtime.engines.local import ThisProcess
from babelspace.runtime.files import discard, sweep
from babelspace.runtime.work_folder import refuse_strange
from babelspace.vectors.neighbours import Neighbours
from babelspace.vectors.shards import VectorShards, read_vectors

FOLDER = "compressed"
CENTRES, PARTS, SIZES, LISTS = "centres.npy", "parts.npy", "sizes.npy", "lists.bin"
# Centres of each part of a vector.
BITS = 8
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
    rows, dimensions = shards.shape
    cells = cells or max(1, 1 << round(np.log2(np.sqrt(rows))))
    parts = code_bytes or _parts(dimensions)
    if dimensions % parts:
        raise ParameterError(
            f"{dimensions} dimensions cannot be cut into {parts} parts; use a divisor of {dimensions}."
        )
    if rows < 1 << BITS:
        raise ParameterError(
            f"{rows:,} vectors are too few to compress: {1 << BITS} or more are needed", hint="leave {compress} out"
        )
    work = shards.folder / f"compressing-{rows}-{cells}-{parts}-{seed}"
    refuse_strange(work)
    sweep(work)
    work.mkdir(exist_ok=True)
    trained = work / "trained"
    codes = [work / f"{path.name}.codes" for path in shards.paths]
    with open_engine(engine) as opened:
        map_write(_trained, [shards.folder], [trained], ThisProcess(), cells, parts, seed)
        map_write(_codes, shards.paths, codes, opened, trained, parts, title="compressing")
    place = shards.folder / FOLDER
    with derived_copies.written(place, {**_identity(shards), "generation": 0, "parts": parts}) as fresh:
        learned = read_arrays(trained)
        files.system.write(np.save, fresh / CENTRES, learned["centres"])
        files.system.write(np.save, fresh / PARTS, learned["parts"])
        sizes = _write_lists(fresh / LISTS, codes, len(learned["centres"]), parts)
        files.system.write(np.save, fresh / SIZES, sizes)
    discard(work)
    return place


def _identity(shards: VectorShards) -> dict[str, Any]:
    """Which shards a copy is of."""
    named = [[path.name, path.stat().st_size] for path in shards.paths]
    return {"rows": len(shards), "dimensions": shards.shape[1], "shards": named}


def _trained(folder: Path, cells: int, parts: int, seed: int) -> dict[str, NDArray[Any]]:
    """The centres of cells and of parts of vectors."""
    import faiss

    shards = VectorShards(folder)
    rows, dimensions = shards.shape
    needed = max(cells * TRAINING, LEAST_TRAINING)
    cells = max(1, min(cells, rows // TRAINING))
    sample = np.sort(np.random.default_rng(seed).permutation(rows)[: min(needed, rows)])
    index, centres = _empty(dimensions, cells, parts)
    index.cp.seed = index.pq.cp.seed = seed + 1
    # Small samples are all there is: faiss would print that it wants more.
    index.cp.min_points_per_centroid = index.pq.cp.min_points_per_centroid = 1
    with progress.task(f"training {cells:,} cells on {len(sample):,} vectors"):
        index.train(shards.take(sample))
    library: Any = faiss
    return {
        "centres": centres.reconstruct_n(0, cells),
        "parts": library.vector_to_array(index.pq.centroids),
    }


def _empty(dimensions: int, cells: int, parts: int) -> tuple[Any, Any]:
    """An index without centres, and where those of its cells go."""
    import faiss

    centres = faiss.IndexFlatIP(dimensions)
    return faiss.IndexIVFPQ(centres, dimensions, cells, parts, BITS, faiss.METRIC_INNER_PRODUCT), centres


def _learned(centres: NDArray[Any], of_parts: NDArray[Any], parts: int) -> Any:
    """An index without rows, whose centres are known and are such as can be."""
    import faiss

    if not len(centres) or of_parts.shape != ((1 << BITS) * centres.shape[1],) or centres.shape[1] % parts:
        raise ValueError("centres of other vectors")
    if not np.isfinite(centres).all() or not np.isfinite(of_parts).all():
        raise ValueError("centres that are no numbers")
    library: Any = faiss
    index, cells = _empty(centres.shape[1], len(centres), parts)
    cells.add(np.ascontiguousarray(centres, np.float32))
    library.copy_array_to_vector(np.array(of_parts, np.float32), index.pq.centroids)
    index.is_trained = True
    return index


def _codes(path: Path, trained: Path, parts: int) -> dict[str, NDArray[Any]]:
    """Cell and code of each row of a shard."""
    arrays = read_arrays(trained)
    with block_told(trained):
        index = _learned(arrays["centres"], arrays["parts"], parts)
    vectors = read_vectors(path)
    cells = index.quantizer.search(vectors, 1)[1][:, 0]
    codes = index.pq.compute_codes(vectors - arrays["centres"][cells])
    return {"cells": cells.astype(np.int32), "codes": codes}


def _write_lists(path: Path, paths: Sequence[Path], cells: int, parts: int) -> NDArray[np.int64]:
    """The codes and then the numbers of the rows of each cell, cell after cell; gives how many each has."""
    blocks = []
    for block in paths:
        arrays = CheckedArrays(read_arrays(block))
        with block_told(block):
            blocks.append((arrays.whole("cells", "rows", below=cells), arrays.whole("codes", "rows", parts)))
    home, codes = (np.concatenate(column) for column in zip(*blocks, strict=True))
    order = np.argsort(home, kind="stable").astype(np.int64)
    sizes = np.bincount(home, minlength=cells)
    with path.open("wb") as stream:
        for rows in np.split(order, np.cumsum(sizes)[:-1]):
            stream.write(codes[rows].astype(np.uint8, copy=False).tobytes())
            stream.write(rows.astype("<i8", copy=False).tobytes())
        files.system.write(stream.flush)
    return sizes.astype(np.int64)


def _opened(folder: Path, rows: int, stamp: Mapping[str, Any]) -> Any:
    """An index over the lists as they lie in their file, if all of it fits so many rows."""
    import faiss

    parts, library = int(stamp["parts"]), cast("Any", faiss)
    index = _learned(mapped(folder / CENTRES, np.float32, 2), mapped(folder / PARTS, np.float32), parts)
    sizes = np.array(mapped(folder / SIZES, np.int64)).astype(np.uint64)
    whole = (folder / LISTS).stat().st_size
    if len(sizes) != index.nlist or sum(sizes.tolist()) != rows or whole != rows * (parts + 8):
        raise ValueError("lists of other rows")
    lists = library.OnDiskInvertedLists(index.nlist, parts, str(folder / LISTS))
    lists.read_only, lists.totsize = True, whole
    lists.set_all_lists_sizes(library.swig_ptr(sizes))
    lists.do_mmap()
    # The index lets go of them, not Python.
    index.replace_invlists(lists, True)
    lists.this.disown()
    index.ntotal = rows
    return index


def _parts(dimensions: int) -> int:
    """Between an eighth and a quarter of the dimensions, as large as divides them."""
    whole = [parts for parts in range(1, dimensions + 1) if dimensions % parts == 0 and 4 * parts <= max(dimensions, 4)]
    return max(whole)


class CompressedVectors:
    """The nearest rows of shards, found in their compressed copy."""

    def __init__(self, shards: VectorShards) -> None:
        self.shards = shards
        folder = shards.folder / FOLDER
        try:
            refuse_link(folder, StoreError)
            found = derived_copies.read(
                folder, _identity(shards), lambda stamp: _opened(folder, len(shards), stamp), thorough=False
            )
        except derived_copies.DAMAGE as problem:
            told = problem.fact if isinstance(problem, BabelspaceError) else f"{folder}: damaged ({problem})"
            raise StoreError(told, hint="make it again: {compress}") from problem
        self._index: Any = found[0]

    def nearest(self, queries: NDArray[Any], k: int, *, probes: int = PROBED) -> Neighbours:
        """The k best rows of each query by inner product, best first; scores are exact, the choice of rows is not."""
        queries = np.ascontiguousarray(queries, np.float32)
        self._index.nprobe = min(probes, self._index.nlist)
        _, found = self._index.search(queries, min(AGAIN * k, len(self.shards)))
        # What is no row of these shards is nobody's.
        found = np.where(found < len(self.shards), found, -1)
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
