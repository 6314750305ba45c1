"""How much one line, one document or one compressed file may hold, so that a small file cannot fill the memory.

A gzip of ten megabytes can unpack into ten gigabytes; what people write shrinks to a tenth or so. Limits are far above
what texts need, and may be moved: `with reading_limits(unpacked="20G")`, or in the environment `BABELSPACE_MAX_LINE`,
`BABELSPACE_MAX_DOCUMENT`, `BABELSPACE_MAX_UNPACKED`, `BABELSPACE_MAX_HELD`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from babelspace.errors import CorpusError, ParameterError

if TYPE_CHECKING:
    from babelspace.corpus.document import Document

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
# What unpacks into more than so many times its size is no text, if it is large: text and XML reach 5 to 20.
RATIO = 50
# Documents in memory take so many times the size of their file at most, if they are many: plain text takes 2 to 5.
HELD_RATIO = 40
# Bytes that a document takes in memory beside its text: id, fields, places in lists.
EACH = 250


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes, of a document in characters.

    Parameters
    ----------
    line : a line, or a unit of an XML file
    document : a text
    unpacked : what a compressed file may unpack into, or 50 times its size, whichever is more
    held : documents in memory of one path, or 40 times its size, whichever is more
    """

    line: int = 64 << 20
    document: int = 10_000_000
    unpacked: int = 512 << 20
    held: int = 800 << 20

    @classmethod
    def of_environment(cls) -> Limits:
        """Those of the environment."""
        given = {field.name: os.environ.get(f"BABELSPACE_MAX_{field.name.upper()}") for field in fields(cls)}
        return cls(**{name: as_bytes(value) for name, value in given.items() if value})


_around: ContextVar[Limits | None] = ContextVar("reading_limits", default=None)


def current() -> Limits:
    """The limits that hold here."""
    return _around.get() or Limits.of_environment()


@contextmanager
def reading_limits(**limits: int | str) -> Iterator[None]:
    """Other limits for everything that is read inside.

    Examples
    --------
    >>> with reading_limits(unpacked="20G"):
    ...     current().unpacked
    21474836480
    """
    known = {field.name for field in fields(Limits)}
    unknown = sorted(limits.keys() - known)
    if unknown:
        raise ParameterError(f"no limit {unknown[0]!r}; there are: {', '.join(sorted(known))}.")
    token = _around.set(replace(current(), **{name: as_bytes(value) for name, value in limits.items()}))
    try:
        yield
    finally:
        _around.reset(token)


def as_bytes(value: int | str) -> int:
    """A size in bytes, or like 64M, 2G.

    Examples
    --------
    >>> as_bytes("64M"), as_bytes("1.5 GB"), as_bytes(7)
    (67108864, 1610612736, 7)
    """
    found = SIZE.fullmatch(str(value).strip())
    if found is None or (size := int(float(found[1]) * UNITS[found[2].upper()])) < 1:
        raise ParameterError(f"{value!r} is no size. Write bytes, or for example 64M or 2G.")
    return size


def told(size: int) -> str:
    """A size for people."""
    unit = next(unit for unit in "TGMK" if size >= UNITS[unit] or unit == "K")
    return f"{size / UNITS[unit]:.3g} {unit}B"


def raised(name: str, value: int) -> str:
    """What to do where a file that is over a limit is right."""
    size = next((f"{value // UNITS[unit]}{unit}" for unit in "GMK" if value >= UNITS[unit]), str(value))
    return f"if this is right, allow more: BABELSPACE_MAX_{name.upper()}={size} in the environment"


def most_unpacked(packed: int) -> int:
    """What a compressed file of this size may unpack into."""
    return max(current().unpacked, RATIO * packed)


def held_in_memory(documents: Iterable[Document], path: Path) -> Iterator[Document]:
    """The same documents; an error before they take far more memory than their file has bytes."""
    held, most = 0, max(current().held, HELD_RATIO * size_of(path))
    for count, document in enumerate(documents, start=1):
        held += EACH + len(document.text)
        if held > most:
            raise CorpusError(
                f"{count:,} documents so far would take more than {told(most)} in memory, "
                f"{HELD_RATIO} times as much as the file has or more",
                path=path,
                hint=f"give it in parts, or {raised('held', 2 * most)}",
            )
        yield document


def size_of(path: Path) -> int:
    """Bytes of all files of a path; 0 of standard input."""
    return sum(file.stat().st_size for file in files_of(path))


def files_of(path: Path) -> list[Path]:
    """A file, the files of a folder, or the line-aligned files that begin so, by name."""
    found: Iterable[Path] = (path,)
    if path.is_dir():
        found = path.rglob("*")
    elif not path.exists():
        found = path.parent.glob(f"{path.name}.*") if path.name and path.parent.is_dir() else ()
    return sorted(file for file in found if file.is_file())
