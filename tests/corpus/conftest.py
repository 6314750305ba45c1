"""Write small files, compressed by the ending of their name."""

from __future__ import annotations

import gzip
import io
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Save = Callable[[str, str | bytes], Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = content.encode() if isinstance(content, str) else content
        packed = {".gz": gzip.compress, ".xz": lzma.compress}.get(path.suffix, bytes)(raw)
        path.write_bytes(packed)
        return path

    return write


@pytest.fixture(params=["", ".gz", ".xz"], ids=["plain", "gz", "xz"])
def ending(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def standard_input(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def feed(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return feed
