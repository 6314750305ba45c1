"""PDF files that come from elsewhere: none is opened whose packed streams unpack into more than a document can hold."""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from babelspace.corpus.readers import limits
from babelspace.corpus.readers.opening import source_name
from babelspace.errors import CorpusError

STREAM = re.compile(rb"stream\r?\n")
# What streams may unpack into, or so many times the file: all of a page is held, several times over.
LARGEST, RATIO = 128 << 20, 20
# Bytes that are fed and taken at a time, and how often a stream may be packed again.
PIECE, LARGEST_PIECE, LAYERS = 1 << 16, 1 << 20, 8


def check_pdf(path: Path) -> None:
    """Unpack every stream, keeping nothing, and refuse the file once there is more than its limit."""
    size = path.stat().st_size
    most, total = min(limits.most_unpacked(size), max(LARGEST, RATIO * size)), 0
    if not size:
        return
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for found in STREAM.finditer(data):
            for piece in _unpacked(_pieces(data, found.end()), LAYERS):
                total += len(piece)
                if total > most:
                    raise CorpusError(
                        f"its streams unpack into more than {limits.told(most)}",
                        path=source_name(path),
                        hint=f"give its text; {limits.raised('unpacked', 2 * most)}",
                    )


def _pieces(data: mmap.mmap, start: int) -> Iterator[bytes]:
    for at in range(start, len(data), PIECE):
        yield data[at : at + PIECE]


def _unpacked(packed: Iterator[bytes], layers: int) -> Iterator[bytes]:
    """What zlib makes of a stream, as far as it is one; what is packed several times is unpacked as often."""
    first = next(packed, b"")
    if layers == 0 or not _is_zlib(first):
        return
    unpacking = zlib.decompressobj()

    def layer() -> Iterator[bytes]:
        waiting = first
        while not unpacking.eof:
            try:
                yield unpacking.decompress(waiting, LARGEST_PIECE)
            except zlib.error:
                return
            waiting = unpacking.unconsumed_tail or next(packed, b"")
            if not waiting:
                return

    whole = layer()
    start = next(whole, b"")
    yield start
    if _is_zlib(start):
        yield from _unpacked(chain([start], whole), layers - 1)
    else:
        yield from whole


def _is_zlib(start: bytes) -> bool:
    """The two bytes that such a stream begins with."""
    return len(start) > 1 and start[0] & 0x0F == 8 and (start[0] << 8 | start[1]) % 31 == 0
