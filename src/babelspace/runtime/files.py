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
    with atomic_file(path) as fresh, fresh.open("wb") as raw:
        packed = _packed(raw, Path(path).suffix)
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()
        if packed is not raw:
            packed.close()


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """A fresh file with the same suffix for others to write, which replaces `path` only when the body has finished."""
    if Path(path).exists() and not Path(path).is_file():
        # A pipe or a device takes what comes; a file in its place would be the end of it.
        yield Path(path)
        return
    path = _resolved(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=_hidden(path.stem), suffix=path.suffix)
    os.close(handle)
    try:
        yield Path(name)
        Path(name).chmod(0o666 & ~_mask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _resolved(path: str | Path) -> Path:
    """Where links lead, so that what they point at is replaced and not they; the folder above is made."""
    place = Path(os.path.realpath(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _hidden(name: str) -> str:
    """How temporary names begin; short, because a name that is nearly too long would become too long."""
    return f".{name[:20]}."


def _mask() -> int:
    """The rights that new files do not get; temporary ones are made private and get the usual rights at the end."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _packed(raw: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        # mtime=0: the same content gives the same bytes.
        return cast(IO[bytes], gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0))
    return lzma.open(raw, "wb") if suffix == ".xz" else raw


@contextmanager
def atomic_folder(path: str | Path, replaces: bool = True) -> Iterator[Path]:
    """A folder that replaces `path` only when the body has finished; an older one is kept until then.

    Unless it `replaces`, a folder with anything in it that is there by then is an OSError.
    """
    path = _resolved(path)
    fresh = Path(tempfile.mkdtemp(dir=path.parent, prefix=_hidden(path.name)))
    try:
        yield fresh
        fresh.chmod(0o777 & ~_mask())
        old = fresh.with_name(fresh.name + ".old")
        if replaces and path.exists():
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
