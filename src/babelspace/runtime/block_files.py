"""Arrays that grow block by block in files; a block is there whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ArtifactError
from babelspace.runtime import files
from babelspace.runtime.artifact import card_digest, is_plain_name, open_regular, refuse_link

JOURNAL, SUFFIX = "journal.jsonl", ".bin"


class BlockFiles:
    """One file for each array, and a journal of how long each was after every block.

    The journal's line is written after the data have reached the disk; what lies beyond the last whole line is cut off
    on opening. A line has the SHA-256 of the block's data, of the line before and of itself, all of which are checked
    on opening: what was safe once and has changed since is an `ArtifactError`. So is a line that names anything but
    plain files of this folder; no link is followed.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._open(folder)
        for name, size in self._state["sizes"].items():
            with self._changed(name) as stream:
                files.system.truncate(stream, size)

    @classmethod
    def check(cls, folder: Path) -> None:
        """An error unless every safe block is as it was written; nothing is changed."""
        cls.__new__(cls)._open(folder)

    def _open(self, folder: Path) -> None:
        refuse_link(folder, ArtifactError)
        self._folder = folder
        self._state: dict[str, Any] = {"rows": 0, "sizes": {}, "widths": {}, "sha256": ""}
        for line in self._lines():
            self._check(line)
            self._state = line

    @property
    def rows(self) -> int:
        """Rows that are safe."""
        return int(self._state["rows"])

    def width(self, name: str) -> int:
        """Columns of an array of two axes; 0 if there is none of this name."""
        return int(self._state["widths"].get(name, 0))

    def append(self, rows: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Add a block to all arrays, which have the same names in every block."""
        sizes, widths, digests = {}, {}, {}
        for name, array in arrays.items():
            data = np.ascontiguousarray(array).tobytes()
            digests[name] = hashlib.sha256(data).hexdigest()
            sizes[name] = self._add(name, self._state["sizes"].get(name, 0), data)
            widths[name] = array.shape[1] if array.ndim == 2 else 0
        state = {"rows": self.rows + rows, "sizes": sizes, "widths": widths, "digests": digests}
        state["before"] = self._state["sha256"]
        state["sha256"] = card_digest(state)
        with open_regular(self._folder / JOURNAL, "r+b") as stream:
            stream.seek(0, os.SEEK_END)
            # A line cut off by a kill must not swallow this one.
            files.system.append(stream, f"\n{json.dumps(state)}\n".encode())
        self._state = state

    def read(self, name: str, dtype: Any) -> NDArray[Any]:
        """All of an array, mapped into memory."""
        size = self._state["sizes"].get(name, 0)
        return files.system.map(self._path(name), dtype) if size else np.zeros(0, dtype)

    def _add(self, name: str, start: int, data: bytes) -> int:
        with self._changed(name) as stream:
            # What a kill left beyond the last safe block goes first.
            files.system.truncate(stream, start)
            stream.seek(start)
            files.system.append(stream, data)
            return stream.tell()

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{SUFFIX}"

    def _changed(self, name: str) -> IO[bytes]:
        return open_regular(self._path(name), "r+b")

    def _lines(self) -> list[dict[str, Any]]:
        try:
            with open_regular(self._folder / JOURNAL) as stream:
                lines = stream.read().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise self.damaged(f"{JOURNAL}: {problem.strerror or problem}") from problem
        return [state for state in map(_sealed, lines) if state is not None]

    def _check(self, line: dict[str, Any]) -> None:
        """Whether a line follows the last one, and its data are what was written."""
        if not _is_state(line) or line["rows"] < self.rows:
            raise self.damaged(f"{JOURNAL} holds a line that is none of a block")
        if line["before"] != self._state["sha256"]:
            raise self.damaged(f"{JOURNAL} lacks a line")
        for name, digest in line["digests"].items():
            if self._digest(name, self._state["sizes"].get(name, 0), line["sizes"][name]) != digest:
                raise self.damaged(f"{name}{SUFFIX} is not as it was written")

    def _digest(self, name: str, start: int, end: int) -> str:
        """SHA-256 of a part of a file; of none where the file is shorter."""
        try:
            with open_regular(self._path(name)) as stream:
                if not start <= end <= os.fstat(stream.fileno()).st_size:
                    return ""
                stream.seek(start)
                return hashlib.sha256(stream.read(end - start)).hexdigest()
        except OSError as problem:
            raise self.damaged(f"{name}{SUFFIX}: {problem.strerror or problem}") from problem

    def damaged(self, problem: str) -> ArtifactError:
        """The error for data that are not as they were written."""
        return ArtifactError(f"{self._folder}: damaged ({problem})", hint="delete this folder and start again")


def _sealed(line: bytes) -> dict[str, Any] | None:
    """What a line says, or None: one that was cut off by a kill does not fit its own checksum."""
    with suppress(ValueError, RecursionError):
        state = json.loads(line)
        if isinstance(state, dict) and state.get("sha256") == card_digest(state):
            return state
    return None


def _is_state(line: dict[str, Any]) -> bool:
    """Whether a line says of the same plain names how long, how wide and what they are."""
    sizes, widths, digests = (line.get(part) for part in ("sizes", "widths", "digests"))
    if not (isinstance(sizes, dict) and isinstance(widths, dict) and isinstance(digests, dict) and digests):
        return False
    counts = [line.get("rows"), *sizes.values(), *widths.values()]
    return (
        sizes.keys() == widths.keys() == digests.keys()
        and all(is_plain_name(f"{name}{SUFFIX}") for name in sizes)
        and all(type(count) is int and count >= 0 for count in counts)
        and isinstance(line.get("before"), str)
    )
