"""Arrays that grow block by block in files; a block is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ArtifactError
from babelspace.runtime import files
from babelspace.runtime.artifact import card_digest

JOURNAL = "journal.jsonl"


class BlockFiles:
    """One file for each array, and a journal of how long each was after every block.

    The journal's line is written after the data have reached the disk; what lies beyond the last whole line is cut off
    on opening. A line has the SHA-256 of the block's data, of the line before and of itself, all of which are checked
    on opening: what was safe once and has changed since is an `ArtifactError`.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._state: dict[str, Any] = {"rows": 0, "sizes": {}, "widths": {}, "sha256": ""}
        for line in self._lines():
            self._check(line)
            self._state = line
        for name, size in self._state["sizes"].items():
            with self._path(name).open("r+b") as stream:
                stream.truncate(size)

    @classmethod
    def check(cls, folder: Path) -> None:
        """An error unless every safe block is as it was written; nothing is changed."""
        seen = cls.__new__(cls)
        seen._folder, seen._state = folder, {"rows": 0, "sizes": {}, "widths": {}, "sha256": ""}
        for line in seen._lines():
            seen._check(line)
            seen._state = line

    @property
    def rows(self) -> int:
        """Rows that are safe."""
        return int(self._state["rows"])

    def width(self, name: str) -> int:
        """Columns of an array of two axes; 0 if there is none of this name."""
        return int(self._state["widths"].get(name, 0))

    def append(self, rows: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Add a block to all arrays."""
        sizes, widths, digests = dict(self._state["sizes"]), dict(self._state["widths"]), {}
        for name, array in arrays.items():
            data = np.ascontiguousarray(array).tobytes()
            digests[name] = hashlib.sha256(data).hexdigest()
            sizes[name] = self._add(name, sizes.get(name, 0), data)
            widths[name] = array.shape[1] if array.ndim == 2 else 0
        state = {"rows": self.rows + rows, "sizes": sizes, "widths": widths, "digests": digests}
        state["before"] = self._state["sha256"]
        state["sha256"] = card_digest(state)
        with (self._folder / JOURNAL).open("ab") as stream:
            # A line cut off by a kill must not swallow this one.
            files.system.append(stream, f"\n{json.dumps(state)}\n".encode())
        self._state = state

    def read(self, name: str, dtype: Any) -> NDArray[Any]:
        """All of an array, mapped into memory."""
        size = self._state["sizes"].get(name, 0)
        return files.system.map(self._path(name), dtype) if size else np.zeros(0, dtype)

    def _add(self, name: str, start: int, data: bytes) -> int:
        path = self._path(name)
        with path.open("r+b" if path.exists() else "w+b") as stream:
            # What a kill left beyond the last safe block goes first.
            stream.truncate(start)
            stream.seek(start)
            files.system.append(stream, data)
            return stream.tell()

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.bin"

    def _lines(self) -> list[dict[str, Any]]:
        path = self._folder / JOURNAL
        found = []
        for line in path.read_bytes().split(b"\n") if path.exists() else []:
            with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
                # A line that was cut off by a kill does not fit its own checksum.
                state = json.loads(line)
                if state["sha256"] == card_digest(state):
                    found.append(state)
        return found

    def _check(self, line: dict[str, Any]) -> None:
        """Whether a line follows the last one, and its data are what was written."""
        if line["before"] != self._state["sha256"]:
            raise self.damaged(f"{JOURNAL} lacks a line")
        for name, digest in line["digests"].items():
            start, end = self._state["sizes"].get(name, 0), line["sizes"][name]
            try:
                with self._path(name).open("rb") as stream:
                    stream.seek(start)
                    data = stream.read(end - start)
            except OSError as problem:
                raise self.damaged(f"{name}.bin: {problem.strerror or problem}") from problem
            if hashlib.sha256(data).hexdigest() != digest:
                raise self.damaged(f"{name}.bin is not as it was written")

    def damaged(self, problem: str) -> ArtifactError:
        """The error for data that are not as they were written."""
        return ArtifactError(f"{self._folder}: damaged ({problem})", hint="delete this folder and start again")
