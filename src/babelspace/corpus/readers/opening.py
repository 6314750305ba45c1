"""Open plain, gzip and xz text as a stream of strict UTF-8 lines; "-" is standard input."""

from __future__ import annotations

import gzip
import lzma
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from babelspace.errors import CorpusError

COMPRESSED = (".gz", ".xz")
# A language, a script, a region; anything looser takes `my-file` for a language.
LANGUAGE = re.compile(r"[a-z]{2,3}([-_]([A-Z][a-z]{3}|hans|hant|latn|cyrl|arab))?([-_]([A-Z]{2}|[a-z]{2}|[0-9]{3}))?")
# Look like three-letter language codes but are what people end file names with.
NOT_LANGUAGES = frozenset({"txt", "tsv", "tmx", "csv", "xml", "ids", "log", "zip", "tar", "md", "py", "gz", "xz"})
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)


def is_language(code: str) -> bool:
    """Whether a file or column name can be a language code: `en`, `pt-BR`, `yue`."""
    return LANGUAGE.fullmatch(code) is not None and code not in NOT_LANGUAGES


def plain_name(path: Path) -> str:
    """The file's name without `.gz` or `.xz`."""
    return path.stem if path.suffix in COMPRESSED else path.name


def source_name(path: Path) -> str:
    """What error messages call this input."""
    return "standard input" if str(path) == "-" else str(path)


@contextmanager
def open_binary(path: Path) -> Iterator[IO[bytes]]:
    """The uncompressed bytes of a file; damage becomes an error that names it."""
    try:
        if str(path) == "-":
            yield sys.stdin.buffer
            return
        with _opened(path) as stream:
            yield stream
    except DAMAGED as error:
        raise CorpusError(
            f"not a whole {path.suffix} file, it is cut short or damaged ({error})",
            path=path,
            hint=f"copy it again; if it is not compressed at all, take {path.suffix} off its name",
        ) from error
    except FileNotFoundError:
        raise CorpusError("no such file", path=path, hint="check the path") from None
    except OSError as error:
        raise CorpusError(f"cannot be read ({error.strerror or error})", path=path) from error


def _opened(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    return lzma.open(path, "rb") if path.suffix == ".xz" else path.open("rb")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Line number (from 1) and text of every line, without its end."""
    with open_binary(path) as stream:
        for number, raw in enumerate(stream, start=1):
            if number == 1:
                raw = raw.removeprefix(BYTE_ORDER_MARK)
            yield number, decoded(raw, path, number).rstrip("\r\n")


def whole_text(path: Path) -> str:
    """All of one file, as one document."""
    return "\n".join(line for _, line in numbered_lines(path))


def decoded(raw: bytes, path: Path, line: int) -> str:
    """Strict UTF-8, or an error with the line and a guess at what the file is."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"not UTF-8: byte 0x{raw[error.start]:02x} at column {error.start + 1}",
            path=source_name(path),
            line=line,
            hint=_encoding_hint(raw),
        ) from error


def _encoding_hint(raw: bytes) -> str:
    if raw.startswith(b"\x1f\x8b"):
        return "this is gzip data: let its name end in .gz"
    if raw.startswith(b"\xfd7zXZ"):
        return "this is xz data: let its name end in .xz"
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "this looks like UTF-16: convert it with `iconv -f UTF-16 -t UTF-8 OLD > NEW`"
    return "convert it, for example with `iconv -f ISO-8859-1 -t UTF-8 OLD > NEW`"
