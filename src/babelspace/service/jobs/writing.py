"""Files that jobs write; each appears whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from babelspace.runtime.files import atomic_text as text_file
from babelspace.service.answers import plain

__all__ = ["text_file", "write_json", "write_records"]

ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def write_records(records: Sequence[Mapping[str, Any]], path: Path) -> None:
    """JSON lines where the name says so, else a table with tabs."""
    with text_file(path) as stream:
        if ".jsonl" in path.name:
            stream.writelines(json.dumps(plain(dict(record)), ensure_ascii=False) + "\n" for record in records)
        elif records:
            stream.write("\t".join(records[0]) + "\n")
            stream.writelines("\t".join(map(_cell, record.values())) + "\n" for record in records)


def write_json(value: Any, path: Path) -> None:
    """One JSON value."""
    with text_file(path) as stream:
        json.dump(plain(value), stream, ensure_ascii=False, indent=1)
        stream.write("\n")


def _cell(value: Any) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(value).translate(ESCAPES)
