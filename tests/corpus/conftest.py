"""Write small files, compressed by the ending of their name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from babelspace.runtime.extras import ZSTD

Save = Callable[[str, str | bytes], Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = content.encode() if isinstance(content, str) else content
        packed = COMPRESS.get(path.suffix, bytes)(raw)
        path.write_bytes(packed)
        return path

    return write


def _zstd(raw: bytes) -> bytes:
    return bytes(pytest.importorskip(ZSTD[0]).compress(raw))


COMPRESS = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, ".zst": _zstd}


@pytest.fixture(params=["", *COMPRESS], ids=["plain", "gz", "xz", "bz2", "zst"])
def ending(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def standard_input(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def feed(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return feed
