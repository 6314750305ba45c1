"""Finished pieces of a long computation in a file, so that a killed one goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from babelspace.errors import ParameterError
from babelspace.runtime import files


class Journal:
    """JSON lines `{"key", "result"}`; without a path it remembers as long as it lives."""

    def __init__(self, path: str | Path | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._found: dict[str, Any] = self._read() if self._path and self._path.exists() else {}

    def get(self, key: str) -> Any:
        """What was finished under this key, or None."""
        return self._found.get(key)

    def put(self, key: str, result: Any) -> None:
        """Append one line at once; a line cut off by a crash is skipped on reading."""
        self._found[key] = result
        if self._path is None:
            return
        line = json.dumps({"key": key, "result": result}, ensure_ascii=False)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as stream:
            files.system.append(stream, (("" if _ends_whole(self._path) else "\n") + line + "\n").encode())

    def _read(self) -> dict[str, Any]:
        assert self._path is not None
        lines = self._path.read_bytes().split(b"\n")
        records = [record for record in map(_parsed, lines) if record is not None]
        if not records and any(line.strip() for line in lines):
            raise ParameterError(
                f"{self._path} is no file of unfinished results; it is left alone", hint="give a new name to {resume}"
            )
        return {record["key"]: record["result"] for record in records}


def key_of(settings: Mapping[str, Any]) -> str:
    """A short name for exactly these settings."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()[:32]


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and record.keys() == {"key", "result"} else None


def _ends_whole(path: Path) -> bool:
    if not path.stat().st_size:
        return True
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"
