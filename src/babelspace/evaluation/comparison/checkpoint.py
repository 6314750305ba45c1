"""Finished pieces of a long computation in a file, so that a killed one goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from babelspace.errors import ArtifactError, ParameterError
from babelspace.runtime import files
from babelspace.runtime.artifact import card_digest

T = TypeVar("T")


class Journal:
    """JSON lines `{"key", "result", "sha256"}`; without a path it remembers as long as it lives.

    A line that a crash has cut off is skipped, and its result computed again; a whole line that is not as it was
    written is an `ArtifactError`.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._found: dict[str, Any] = self._read() if self._path and self._path.exists() else {}

    def get(self, key: str, read: Callable[[Any], T]) -> T | None:
        """What was finished under this key as `read` makes it of JSON, or None."""
        if key not in self._found:
            return None
        try:
            return read(self._found[key])
        except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as problem:
            raise self._damaged(f"a result of another shape: {problem!r}") from problem

    def put(self, key: str, result: Any) -> None:
        """Append one line at once."""
        self._found[key] = result
        if self._path is None:
            return
        # As it will be read: numbers that are keys become texts.
        record = json.loads(json.dumps({"key": key, "result": result}))
        line = json.dumps(record | {"sha256": card_digest(record)}, ensure_ascii=False)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as stream:
            start = "" if files.ends_whole(stream.fileno()) else "\n"
            files.system.append(stream, f"{start}{line}\n".encode())

    def _read(self) -> dict[str, Any]:
        assert self._path is not None
        lines = self._path.read_bytes().split(b"\n")
        records = {number: record for number, line in enumerate(lines, 1) if (record := _parsed(line)) is not None}
        if not records and any(line.strip() for line in lines):
            raise ParameterError(
                f"{self._path} is no file of unfinished results; it is left alone", hint="give a new name to {resume}"
            )
        for number, record in records.items():
            if not isinstance(record["key"], str) or record["sha256"] != card_digest(record):
                raise self._damaged(f"line {number} is not as it was written")
        return {record["key"]: record["result"] for record in records.values()}

    def _damaged(self, problem: str) -> ArtifactError:
        return ArtifactError(
            f"{self._path}: damaged ({problem})", hint="delete this file, and start again, or give {resume} a new name"
        )


def key_of(settings: Mapping[str, Any]) -> str:
    """A short name for exactly these settings."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()[:32]


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and record.keys() == {"key", "result", "sha256"} else None
