"""Open plain or compressed text as a stream of strictly decoded lines; "-" is standard input."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from babelspace.errors import CorpusError, ParameterError
from babelspace.runtime.extras import need
from babelspace.runtime.files import PACKED

# A language, a script, a region; anything looser takes `my-file` for a language.
LANGUAGE = re.compile(r"[a-z]{2,3}([-_]([A-Z][a-z]{3}|hans|hant|latn|cyrl|arab))?([-_]([A-Z]{2}|[a-z]{2}|[0-9]{3}))?")
# Look like three-letter language codes but are what people end file names with.
ENDINGS = "txt tsv tmx csv xml ids log zip tar md py gz xz tab po pot tbx xlf htm pdf doc eml ipc zst"
NOT_LANGUAGES = frozenset(ENDINGS.split())
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)
# A longer line is no text but binary data, or a small file that unpacks into gigabytes.
MOST_BYTES = 1 << 26
CHUNK = 1 << 16


def is_language(code: str) -> bool:
    """Whether a file or column name can be a language code: `en`, `pt-BR`, `yue`."""
    return LANGUAGE.fullmatch(code) is not None and code not in NOT_LANGUAGES


def plain_name(path: Path) -> str:
    """The file's name without the ending of its compression."""
    return path.stem if path.suffix in PACKED else path.name


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
        raise _damaged(path, error) from error
    except FileNotFoundError:
        raise CorpusError("no such file", path=path, hint="check the path") from None
    except OSError as error:
        if path.suffix == ".bz2" and error.errno is None:
            raise _damaged(path, error) from error
        raise CorpusError(f"cannot be read ({error.strerror or error})", path=path) from error
    except Exception as error:
        # The package is an extra, and so is the class of its errors.
        if path.suffix == ".zst" and type(error).__name__ == "ZstdError":
            raise _damaged(path, error) from error
        raise


def _damaged(path: Path, error: Exception) -> CorpusError:
    return CorpusError(
        f"not a whole {path.suffix} file, it is cut short or damaged ({error})",
        path=path,
        hint=f"copy it again; if it is not compressed at all, take {path.suffix} off its name",
    )


def _opened(path: Path) -> IO[bytes]:
    if path.suffix == ".zst":
        return cast(IO[bytes], need("backports.zstd", extra="zstd").open(path, "rb"))
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    if path.suffix == ".bz2":
        return bz2.open(path, "rb")
    return lzma.open(path, "rb") if path.suffix == ".xz" else path.open("rb")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Line number (from 1) and text of every line, without its end."""
    for number, line in enumerate(decoded_lines(path), start=1):
        yield number, line.rstrip("\r\n")


def decoded_lines(path: Path, encoding: str = "utf-8") -> Iterator[str]:
    """Every line with its end, without a byte order mark."""
    if known_encoding(encoding).startswith(("utf-16", "utf-32")):
        yield from _wide_lines(path, encoding)
        return
    with open_binary(path) as stream:
        yield from lines_of(stream, path, encoding)


def lines_of(stream: IO[bytes], path: Path, encoding: str = "utf-8") -> Iterator[str]:
    """Every line of a stream, which errors call `path`."""
    number = 0
    while raw := stream.readline(MOST_BYTES + 1):
        number += 1
        if number == 1:
            raw = raw.removeprefix(BYTE_ORDER_MARK)
        if len(raw) > MOST_BYTES:
            raise CorpusError(
                f"a line of more than {MOST_BYTES >> 20} MB",
                path=source_name(path),
                line=number,
                hint="put one document, or one row, on each line",
            )
        yield decoded(raw, path, number, encoding)


def _wide_lines(path: Path, encoding: str) -> Iterator[str]:
    """Lines of an encoding in which a line end is more than one byte."""
    decoder = codecs.getincrementaldecoder(encoding)()
    pending, number = "", 1
    with open_binary(path) as stream:
        while True:
            chunk = stream.read(CHUNK)
            try:
                pending += decoder.decode(chunk, final=not chunk)
            except UnicodeError as error:
                raise CorpusError(
                    f"not {encoding}: {getattr(error, 'reason', error)}",
                    path=source_name(path),
                    line=number,
                    hint="check the encoding",
                ) from error
            if number == 1:
                pending = pending.removeprefix("\ufeff")
            *lines, pending = pending.split("\n")
            for line in lines:
                number += 1
                yield line + "\n"
            if not chunk:
                break
    if pending:
        yield pending


def known_encoding(name: str) -> str:
    """The name that Python has for an encoding of text."""
    try:
        info = codecs.lookup(name)
        if not info._is_text_encoding:
            raise LookupError
    except (LookupError, ValueError):
        raise ParameterError(
            f"unknown encoding {name!r}. Use for example utf-8, utf-16, cp1252 (Western), cp1251 (Cyrillic), gb18030."
        ) from None
    return info.name


def told_encoding(path: Path) -> str:
    """The encoding that a byte order mark tells, UTF-8 without one."""
    if str(path) == "-":
        return "utf-8"
    with open_binary(path) as stream:
        return "utf-16" if stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8"


def whole_text(path: Path) -> str:
    """All of one file, as one document."""
    return "\n".join(line for _, line in numbered_lines(path))


def decoded(raw: bytes, path: Path, line: int, encoding: str = "utf-8") -> str:
    """Strictly decoded, or an error with the line and a guess at what the file is."""
    try:
        return raw.decode(encoding)
    except UnicodeError as error:
        if not isinstance(error, UnicodeDecodeError):  # what encodings of names and the like say
            raise CorpusError(f"not {encoding.upper()}: {error}", path=source_name(path), line=line) from error
        raise CorpusError(
            f"not {encoding.upper()}: byte 0x{raw[error.start]:02x} at column {error.start + 1}",
            path=source_name(path),
            line=line,
            hint=_encoding_hint(raw),
        ) from error


def _encoding_hint(raw: bytes) -> str:
    if raw.startswith(b"\x1f\x8b"):
        return "this is gzip data: let its name end in .gz"
    if raw.startswith(b"\xfd7zXZ"):
        return "this is xz data: let its name end in .xz"
    if raw.startswith(b"BZh"):
        return "this is bzip2 data: let its name end in .bz2"
    if raw.startswith(b"\x28\xb5\x2f\xfd"):
        return "this is zstd data: let its name end in .zst"
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "this looks like UTF-16: convert it with `iconv -f UTF-16 -t UTF-8 OLD > NEW`"
    return "convert it, for example with `iconv -f ISO-8859-1 -t UTF-8 OLD > NEW`"
