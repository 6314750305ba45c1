"""Arrays that grow block by block in files; a block is there whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

JOURNAL = "journal.jsonl"


class BlockFiles:
    """One file for each array, and a journal of how long each was after every block.

    The journal's line is written after the data have reached the disk; what lies beyond the last whole line is cut off
    on opening.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._state: dict[str, Any] = {"rows": 0, "sizes": {}, "widths": {}}
        for line in self._lines():
            self._state = line
        for name, size in self._state["sizes"].items():
            with self._path(name).open("r+b") as stream:
                stream.truncate(size)

    @property
    def rows(self) -> int:
        """Rows that are safe."""
        return int(self._state["rows"])

    def width(self, name: str) -> int:
        """Columns of an array of two axes; 0 if there is none of this name."""
        return int(self._state["widths"].get(name, 0))

    def append(self, rows: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Add a block to all arrays."""
        sizes, widths = dict(self._state["sizes"]), dict(self._state["widths"])
        for name, array in arrays.items():
            sizes[name] = self._add(name, sizes.get(name, 0), array)
            widths[name] = array.shape[1] if array.ndim == 2 else 0
        state = {"rows": self.rows + rows, "sizes": sizes, "widths": widths}
        with (self._folder / JOURNAL).open("ab") as stream:
            # A line cut off by a kill must not swallow this one.
            stream.write(f"\n{json.dumps(state)}\n".encode())
            _reach_disk(stream)
        self._state = state

    def read(self, name: str, dtype: Any) -> NDArray[Any]:
        """All of an array, mapped into memory."""
        size = self._state["sizes"].get(name, 0)
        return np.memmap(self._path(name), dtype=dtype, mode="r") if size else np.zeros(0, dtype)

    def _add(self, name: str, start: int, array: NDArray[Any]) -> int:
        path = self._path(name)
        with path.open("r+b" if path.exists() else "w+b") as stream:
            # What a kill left beyond the last safe block goes first.
            stream.truncate(start)
            stream.seek(start)
            stream.write(np.ascontiguousarray(array).tobytes())
            _reach_disk(stream)
            return stream.tell()

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.bin"

    def _lines(self) -> list[dict[str, Any]]:
        path = self._folder / JOURNAL
        found = []
        for line in path.read_bytes().split(b"\n") if path.exists() else []:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found


def _reach_disk(stream: Any) -> None:
    stream.flush()
    os.fsync(stream.fileno())
