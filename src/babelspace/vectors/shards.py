"""Vectors in shards on disk: one file of float32 rows and one of ids each, read through memory maps."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.runtime import files
from babelspace.runtime.files import atomic_file

VECTORS, IDS = ".vectors.npy", ".ids.jsonl"


class ShardRow(NamedTuple):
    """Which document a row is."""

    id: str
    language: str


def write_shard(folder: Path, number: int, rows: Sequence[ShardRow], vectors: NDArray[Any]) -> None:
    """One shard; its vectors come last, and say that it is there."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    with atomic_file(folder / f"{number:06}{IDS}") as fresh:
        fresh.write_text(text, encoding="utf-8", errors="surrogatepass", newline="\n")
    with atomic_file(folder / f"{number:06}{VECTORS}") as fresh, fresh.open("wb") as stream:
        np.save(stream, np.ascontiguousarray(vectors, np.float32))


def has_shard(folder: Path, number: int) -> bool:
    """Whether a shard is there."""
    return (folder / f"{number:06}{VECTORS}").exists()


class VectorShards:
    """All shards of a folder as one array of rows, of which nothing is held but what is asked for.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> write_shard(folder, 0, [ShardRow("a", "en"), ShardRow("b", "en")], np.eye(2))
    >>> write_shard(folder, 1, [ShardRow("a", "es")], np.ones((1, 2)))
    >>> shards = VectorShards(folder)
    >>> shards.shape, shards.take([2, 0]).tolist(), shards.names([2])
    ((3, 2), [[1.0, 1.0], [1.0, 0.0]], [ShardRow(id='a', language='es')])
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._arrays = [files.system.map(path) for path in sorted(self.folder.glob(f"*{VECTORS}"))]
        if not self._arrays:
            raise ParameterError(
                f"{folder}: no shards of vectors there (*{VECTORS})", hint="embed documents into this folder first"
            )
        self._ends = np.cumsum([len(array) for array in self._arrays]).tolist()
        self.shape = (int(self._ends[-1]), int(self._arrays[0].shape[1]))

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[NDArray[np.float32]]:
        """The rows of each shard."""
        return iter(self._arrays)

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float32]:
        """Some rows, in the order asked for."""
        out = np.empty((len(rows), self.shape[1]), np.float32)
        for place, row in enumerate(rows):
            shard, inside = self._place(int(row))
            out[place] = self._arrays[shard][inside]
        return out

    def names(self, rows: Sequence[int] | NDArray[np.int64]) -> list[ShardRow]:
        """Which documents some rows are; only the shards that they are in are read."""
        places = [self._place(int(row)) for row in rows]
        lines = {shard: self._lines(shard) for shard in {shard for shard, _ in places}}
        return [ShardRow(*json.loads(lines[shard][inside])) for shard, inside in places]

    @cached_property
    def _id_files(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{IDS}"))

    def _lines(self, shard: int) -> list[str]:
        return self._id_files[shard].read_text(encoding="utf-8", errors="surrogatepass").split("\n")

    def _place(self, row: int) -> tuple[int, int]:
        shard = bisect_right(self._ends, row)
        return shard, row - (self._ends[shard - 1] if shard else 0)
