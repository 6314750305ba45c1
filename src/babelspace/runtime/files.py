"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast


@contextmanager
def atomic_text(path: str | Path) -> Iterator[IO[str]]:
    """A text file (packed by its suffix .gz or .xz) that replaces `path` only when the body has finished."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as raw:
            packed = _packed(raw, path.suffix)
            text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
            yield text
            text.flush()
            text.detach()
            if packed is not raw:
                packed.close()
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """A fresh file with the same suffix for others to write, which replaces `path` only when the body has finished."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
    os.close(handle)
    try:
        yield Path(name)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _packed(raw: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        # mtime=0: the same content gives the same bytes.
        return cast(IO[bytes], gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0))
    return lzma.open(raw, "wb") if suffix == ".xz" else raw


@contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """A folder that replaces `path` only when the body has finished; an older one is kept until then."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        yield fresh
        fresh.chmod(0o755)
        old = fresh.with_name(fresh.name + ".old")
        if path.exists():
            path.replace(old)
        try:
            fresh.replace(path)
        except BaseException:
            if old.exists():
                old.replace(path)
            raise
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
