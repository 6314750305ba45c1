"""Vectors in shards on disk: one file of rows (float32 or float16) and one of ids each, read through memory maps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError, StoreError
from babelspace.runtime import files
from babelspace.runtime.artifact import open_regular, refuse_link
from babelspace.runtime.files import atomic_file

VECTORS, IDS = ".vectors.npy", ".ids.jsonl"


class ShardRow(NamedTuple):
    """Which document a row is."""

    id: str
    language: str


def write_shard(folder: Path, name: str, rows: Sequence[ShardRow], vectors: NDArray[Any]) -> None:
    """One shard; its vectors come last, and say that it is there."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    with atomic_file(folder / f"{name}{IDS}") as fresh:
        files.system.write(fresh.write_bytes, text.encode("utf-8", "surrogatepass"))
    with atomic_file(folder / f"{name}{VECTORS}") as fresh, fresh.open("wb") as stream:
        files.system.write(np.save, stream, np.ascontiguousarray(vectors))


def read_vectors(path: Path) -> NDArray[np.float32]:
    """The vectors of one shard."""
    return np.ascontiguousarray(files.system.map(path), np.float32)


def has_shard(folder: Path, name: str) -> bool:
    """Whether a shard is there."""
    return (folder / f"{name}{VECTORS}").exists()


class VectorShards:
    """All shards of a folder, by name, as one array of rows, of which nothing is held but what is asked for.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> write_shard(folder, "a", [ShardRow("a", "en"), ShardRow("b", "en")], np.eye(2, dtype=np.float32))
    >>> write_shard(folder, "b", [ShardRow("a", "es")], np.ones((1, 2), np.float32))
    >>> shards = VectorShards(folder)
    >>> shards.shape, shards.take([2, 0]).tolist(), shards.names([2])
    ((3, 2), [[1.0, 1.0], [1.0, 0.0]], [ShardRow(id='a', language='es')])
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.paths = sorted(self.folder.glob(f"*{VECTORS}"))
        if not self.paths:
            raise ParameterError(
                f"{folder}: no shards of vectors there (*{VECTORS})", hint="embed documents into this folder first"
            )
        shapes = [_shape(path) for path in self.paths]
        if len({width for _, width in shapes}) > 1:
            raise StoreError(f"{folder}: shards of different widths", hint="embed the documents into another folder")
        self._ends = np.cumsum([rows for rows, _ in shapes])
        self.shape = (int(self._ends[-1]), int(shapes[0][1]))

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """The rows of each shard."""
        return map(read_vectors, self.paths)

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float32]:
        """Some rows, in the order asked for."""
        wanted = np.asarray(rows, np.int64)
        out = np.empty((len(wanted), self.shape[1]), np.float32)
        shards, inside = self._places(wanted)
        order = np.argsort(shards, kind="stable")
        edges = np.searchsorted(shards[order], np.arange(len(self.paths) + 1))
        for shard in np.unique(shards).tolist():
            places = order[edges[shard] : edges[shard + 1]]
            # Mapped for the moment: pages of a map that stays would count as memory of this process.
            out[places] = files.system.map(self.paths[shard])[inside[places]]
        return out

    def names(self, rows: Sequence[int] | NDArray[np.int64]) -> list[ShardRow]:
        """Which documents some rows are; only the shards that they are in are read."""
        places = list(zip(*(part.tolist() for part in self._places(np.asarray(rows, np.int64))), strict=True))
        lines = {shard: self._lines(shard) for shard in {shard for shard, _ in places}}
        return [_row(self._id_file(shard), lines[shard], inside) for shard, inside in places]

    def _id_file(self, shard: int) -> Path:
        return self.folder / f"{self.paths[shard].name.removesuffix(VECTORS)}{IDS}"

    def _lines(self, shard: int) -> list[str]:
        path = self._id_file(shard)
        try:
            with open_regular(path) as stream:
                return stream.read().decode("utf-8", "surrogatepass").split("\n")
        except (OSError, ValueError) as problem:
            raise damaged_shard(path, str(problem)) from problem

    def _places(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The shard of each row, and the place in it."""
        shards = np.searchsorted(self._ends, rows, side="right")
        return shards, rows - np.concatenate([[0], self._ends])[shards]


def _shape(path: Path) -> tuple[int, int]:
    """Rows and columns of a shard, if it is one."""
    try:
        refuse_link(path, StoreError)
        found = files.system.map(path)
    except (OSError, ValueError, EOFError) as problem:
        raise damaged_shard(path, str(problem)) from problem
    if found.ndim != 2 or found.dtype.kind != "f":
        raise damaged_shard(path, f"{found.ndim} axes of {found.dtype}")
    return found.shape[0], found.shape[1]


def _row(path: Path, lines: Sequence[str], place: int) -> ShardRow:
    try:
        return ShardRow(*json.loads(lines[place]))
    except (IndexError, TypeError, ValueError, RecursionError) as problem:
        raise damaged_shard(path, f"line {place + 1}") from problem


def damaged_shard(path: Path, problem: str) -> StoreError:
    """The error for a shard that cannot be used."""
    return StoreError(f"{path}: damaged ({problem})", hint="delete both files of this shard, and embed again")
