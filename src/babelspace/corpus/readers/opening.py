"""Open plain or compressed text as a stream of strictly decoded lines; "-" is standard input."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from babelspace.corpus.readers import limits
from babelspace.errors import CorpusError, ParameterError
from babelspace.runtime.extras import ZSTD, need
from babelspace.runtime.files import PACKED

# A language, a script, a region; anything looser takes `my-file` for a language.
LANGUAGE = re.compile(r"[a-z]{2,3}([-_]([A-Z][a-z]{3}|hans|hant|latn|cyrl|arab))?([-_]([A-Z]{2}|[a-z]{2}|[0-9]{3}))?")
# Look like three-letter language codes but are what people end file names with.
ENDINGS = "txt tsv tmx csv xml ids log zip tar md py gz xz tab po pot tbx xlf htm pdf doc eml ipc zst"
NOT_LANGUAGES = frozenset(ENDINGS.split())
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)
CHUNK, UNPACKED_CHUNK = 1 << 16, 1 << 18


def is_language(code: str) -> bool:
    """Whether a file or column name can be a language code: `en`, `pt-BR`, `yue`."""
    return LANGUAGE.fullmatch(code) is not None and code not in NOT_LANGUAGES


def plain_name(path: Path) -> str:
    """The file's name without the ending of its compression."""
    return path.stem if path.suffix in PACKED else path.name


def has_suffix(*suffixes: str, packed: bool = True) -> Callable[[Path], bool]:
    """Whether a path is a file with such an ending, before that of its compression if it may be packed."""
    return lambda path: (plain_name(path) if packed else path.name).lower().endswith(suffixes) and path.is_file()


def source_name(path: Path) -> str:
    """What error messages call this input."""
    return "standard input" if str(path) == "-" else str(path)


class TooMuch(Exception):
    """A compressed file unpacks into more than is allowed."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(path)
        self.path, self.most = path, most

    def told(self, line: int | None = None) -> CorpusError:
        """The same with a line, for people."""
        return CorpusError(
            f"a small file that unpacks into more than {limits.told(self.most)}",
            path=self.path,
            line=line,
            hint=limits.raised("unpacked", 4 * self.most),
        )


class _Unpacked(io.RawIOBase):
    """The bytes of a compressed file, as many as are allowed."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        super().__init__()
        self._stream, self._path, self._seen = stream, path, 0
        self._most = limits.most_unpacked(path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._stream.read(len(buffer))
        self._seen += len(part)
        if self._seen > self._most:
            raise TooMuch(self._path, self._most)
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._stream.close()
        super().close()


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
    except TooMuch as error:
        raise error.told() from None
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
    if path.suffix not in PACKED:
        return path.open("rb")
    return io.BufferedReader(_Unpacked(_unpacking(path), path), UNPACKED_CHUNK)


def _unpacking(path: Path) -> IO[bytes]:
    if path.suffix == ".zst":
        return cast(IO[bytes], need(*ZSTD).open(path, "rb"))
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    return bz2.open(path, "rb") if path.suffix == ".bz2" else lzma.open(path, "rb")


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
    number, most = 0, limits.current().line
    while raw := _next_line(stream, most, number + 1):
        number += 1
        if number == 1:
            raw = raw.removeprefix(BYTE_ORDER_MARK)
        if len(raw) > most:
            raise long_line(path, number, most)
        line = decoded(raw, path, number, encoding)
        if "\0" in line:
            raise binary(path, number)
        yield line


def _next_line(stream: IO[bytes], most: int, number: int) -> bytes:
    try:
        return stream.readline(most + 1)
    except TooMuch as error:
        raise error.told(number) from None


def next_chunk(stream: IO[bytes], size: int, line: int) -> bytes:
    """The next bytes of a stream; `line` is the one at which an error is told."""
    try:
        return stream.read(size)
    except TooMuch as error:
        raise error.told(line) from None


def long_line(path: Path, number: int, most: int) -> CorpusError:
    """The error for a line that is no line."""
    return CorpusError(
        f"a line of more than {limits.told(most)}",
        path=source_name(path),
        line=number,
        hint=f"put one document, or one row, on each line; {limits.raised('line', 4 * most)}",
    )


def binary(path: Path, line: int | None) -> CorpusError:
    """The error for what is no text."""
    return CorpusError(
        "a NUL byte: this is binary data, not text",
        path=source_name(path),
        line=line,
        hint="leave it out, or convert it to text",
    )


def _wide_lines(path: Path, encoding: str) -> Iterator[str]:
    """Lines of an encoding in which a line end is more than one byte."""
    decoder = codecs.getincrementaldecoder(encoding)()
    pending, number, most = "", 1, limits.current().line
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
                if "\0" in line:
                    raise binary(path, number)
                number += 1
                yield line + "\n"
            if len(pending) > most:
                raise long_line(path, number, most)
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
    lines: list[str] = []
    held, most = 0, limits.current().document
    for number, line in numbered_lines(path):
        lines.append(line)
        held += len(line) + 1
        if held > most + 1:
            raise too_long(path, most, number)
    return "\n".join(lines)


def too_long(path: Path, most: int, line: int | None = None, what: str = "a document") -> CorpusError:
    """The error for a text that was not cut into documents."""
    return CorpusError(
        f"{what} of more than {most:,} characters",
        path=source_name(path),
        line=line,
        hint=f"cut it into chapters or pages; {limits.raised('document', 4 * most)}",
    )


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
