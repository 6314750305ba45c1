"""Sums over rows on disk that linear spaces are solved from: Gram matrices in tiles of their rows, and column sums.

A tile is made by one worker, which reads all blocks one after the other: dense partial sums of every block would move
many times the bytes. What is added, and in which order, depends on the blocks alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.features.on_disk import ViewsOnDisk, read_views
from babelspace.kernels.linalg.sparse import add_gram_rows
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.engine import block_told, map_sum, map_write, read_arrays

Dense = NDArray[Any]  # float32
# Rows of a block as the Gram matrix is to see them: scaled, added up, or as differences of mates.
Rows = Callable[[Views, NDArray[np.float64]], Any]

# What no sum of products of real documents comes near, and what can still be squared in single precision.
LARGEST = 1e18
# Non-zeros of blocks that are multiplied together, 16 bytes each, and bytes of a tile.
TOGETHER = 1 << 23
TILE_BYTES = 256_000_000


@dataclass(frozen=True)
class Tile:
    """Some rows of a Gram matrix."""

    start: int
    stop: int


def tiles_of(columns: int) -> list[Tile]:
    """Tiles with the same number of products to the right of the diagonal, about; by the size alone."""
    count = max(1, -(-4 * columns * columns // TILE_BYTES))
    # Row j has columns - j entries, so the first s rows have a share of 1 - (1 - s / columns)².
    edges = [round(columns * (1 - np.sqrt(1 - share / count))) for share in range(count)] + [columns]
    return [Tile(start, stop) for start, stop in pairwise(edges) if stop > start]


def worth_summing(views: ViewsOnDisk) -> bool:
    """Whether products of columns are smaller than the rows themselves, or soon will be."""
    return sum(views.documents.values()) >= views.shape[1]


def gram_on_disk(views: ViewsOnDisk, name: str, rows: Rows) -> Dense:
    """The upper triangle of Σ XᵀX over all blocks, with `rows` giving X of a block; 4 · columns² bytes.

    Tiles are kept in files beside the rows, so that a killed fit does not sum them again.
    """
    columns = views.shape[1]
    tiles = tiles_of(columns)
    paths = [views.folder / "gram" / f"{name}-{tile.start:06}.tile" for tile in tiles]
    scales = np.array([1 / max(count, 1) for count in views.documents.values()])
    shared = (views.paths, views.languages, columns, rows, scales)
    map_write(_tile, tiles, paths, views.engine, *shared, title=f"products ({name})")
    out = np.zeros((columns, columns), np.float32)
    for tile, path in zip(tiles, paths, strict=True):
        with block_told(path):
            height = tile.stop - tile.start
            tiled = CheckedArrays(read_arrays(path)).floats("rows", height, columns, most=LARGEST)
            out[tile.start : tile.stop] = tiled
    return out


def _tile(
    tile: Tile, paths: tuple[Path, ...], languages: tuple[str, ...], columns: int, rows: Rows, scales: Any
) -> dict[str, NDArray[Any]]:
    out = np.zeros((tile.stop - tile.start, columns), np.float32)
    blocks = (rows(read_views(path, languages, columns), scales) for path in paths)
    for matrix in _joined(blocks):
        add_gram_rows(matrix, tile.start, out)
    return {"rows": out}


def _joined(blocks: Iterator[Any]) -> Iterator[Any]:
    """Blocks stacked until they are worth a pass over the tile."""
    waiting: list[Any] = []
    for block in blocks:
        waiting.append(block)
        if sum(part.nnz for part in waiting) >= TOGETHER:
            yield sp.vstack(waiting, format="csr")
            waiting = []
    if waiting:
        yield sp.vstack(waiting, format="csr")


def column_means_on_disk(views: ViewsOnDisk) -> dict[str, NDArray[np.float64]]:
    """The mean row of each language over the rows that have it."""
    sums = map_sum(_column_sums, views.paths, views.engine, views.languages, views.shape[1], title="means")
    return {name: total / max(views.documents[name], 1) for name, total in zip(views.languages, sums, strict=True)}


def _column_sums(path: Path, languages: tuple[str, ...], columns: int) -> NDArray[np.float64]:
    views = read_views(path, languages, columns)
    return np.array([np.asarray(matrix.sum(axis=0), np.float64).ravel() for _, matrix in views.items()])
