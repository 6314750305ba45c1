"""Copies that make searches fast: files written whole, tied to what they are copies of, mapped into memory."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import BabelspaceError, StoreError
from babelspace.runtime import files
from babelspace.runtime.artifact import ATTEMPTS, check_files, checked_card, folder_identity, is_plain_name, write_card
from babelspace.runtime.files import atomic_folder

T = TypeVar("T")
STAMP = "stamp.json"
FORMAT = 4
# What reading a damaged copy may raise: it is no loss, since everything comes from the database again.
DAMAGE = (BabelspaceError, OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError)


@contextmanager
def written(folder: Path, facts: dict[str, Any]) -> Iterator[Path]:
    """A folder to write files into, which takes its place whole, with a stamp that holds the facts and their SHA-256.

    Facts may be added in the body.
    """
    with atomic_folder(folder) as fresh:
        yield fresh
        names = sorted(path.name for path in fresh.iterdir())
        seen = {name: _seen(fresh / name) for name in names}
        write_card(fresh / STAMP, {"format": FORMAT, **facts, "seen": seen}, names)


def read(
    folder: Path, expected: Mapping[str, Any], arrays: Callable[[dict[str, Any]], T], *, thorough: bool
) -> tuple[T, int]:
    """The arrays of files that are of this database and the generation that they show, or an error of `DAMAGE`.

    Another process may put newer files in their place meanwhile: what is read of both fits nothing, and is read again.
    """
    for _ in range(ATTEMPTS):
        before = folder_identity(folder)
        try:
            stamp = _checked(folder, expected, thorough)
            found = arrays(stamp), int(stamp["generation"])
        except DAMAGE:
            if folder_identity(folder) == before:
                raise
        else:
            if folder_identity(folder) == before:
                return found
    raise StoreError(f"{folder}: replaced again and again while it was read")


def _checked(folder: Path, expected: Mapping[str, Any], thorough: bool) -> dict[str, Any]:
    """The stamp of files that are of this database and as they were written.

    Files that look as they did then (size and time) are not read, unless `thorough`; others must have their SHA-256.
    """
    stamp = checked_card(folder / STAMP, FORMAT, StoreError, "copy", "", "")
    if any(stamp[name] != value for name, value in expected.items()):
        raise StoreError(f"{folder}: a copy of something else")
    if stamp["seen"].keys() != stamp["files"].keys() or not all(map(is_plain_name, stamp["files"])):
        raise StoreError(f"{folder}: names of other files")
    # All of them: a link, or a pipe, could look as any file does.
    seen = {name: _seen(folder / name) for name in stamp["files"]}
    if thorough or seen != stamp["seen"]:
        check_files(folder, stamp["files"])
    return stamp


def mapped(path: Path, kind: Any, axes: int = 1) -> NDArray[Any]:
    """An array in a file, of which only what is used is read."""
    array = np.asarray(files.system.map(path))
    if array.dtype != kind or array.ndim != axes:
        raise StoreError(f"{path}: {array.ndim} axes of {array.dtype}")
    return array


def _seen(path: Path) -> list[int]:
    """What changes when somebody writes to a file; a link could lead anywhere, and a pipe never end."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"{path}: no regular file")
    return [status.st_size, status.st_mtime_ns]
