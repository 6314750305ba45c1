"""JSON arrays, and JSON lines with a text in several languages each: `{"en": …, "es": …}`, `{"translation": {…}}`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from babelspace.corpus.document import Document
from babelspace.corpus.readers import limits
from babelspace.corpus.readers.json_records import DECODER, NotJson, Record, checked_object, flattened
from babelspace.corpus.readers.opening import (
    BYTE_ORDER_MARK,
    binary,
    decoded,
    has_suffix,
    next_chunk,
    open_binary,
    source_name,
)
from babelspace.corpus.readers.options import TABLE, ReadingOptions, Selection
from babelspace.corpus.readers.tables import Table, TableRow
from babelspace.errors import CorpusError

SETTINGS = TABLE
matches = has_suffix(".json")
CHUNK = 1 << 16
# Where Hugging Face's datasets of translations have their texts.
TRANSLATION = "translation"
BLANK, COMMAS = re.compile(r"[ \t\r\n]*"), re.compile(r"[ \t\r\n,]*")


def documents(path: Path, wanted: Selection) -> Iterator[Document]:
    """Object by object of an array."""
    rows = (TableRow(line, unfolded(fields)) for line, fields in objects(path))
    return Table(path, wanted).documents(rows)


def from_records(found: Iterator[Record], path: Path, wanted: Selection) -> Iterator[Document]:
    """The same of JSON lines."""
    rows = (TableRow(record.line, unfolded(record.fields)) for record in found)
    return Table(path, wanted).documents(rows)


def from_dicts(rows: Iterable[Mapping[str, Any]], name: str, settings: Mapping[str, Any]) -> Iterator[Document]:
    """The same of dicts, in a corpus of this name."""

    def checked(row: Any, number: int) -> Mapping[str, Any]:
        if not isinstance(row, Mapping):
            raise CorpusError(f"row {number} of {name} is a {type(row).__name__}, not a dict", hint="give a dict a row")
        return row

    named = (TableRow(number, unfolded(checked(row, number))) for number, row in enumerate(rows, start=1))
    return Table(Path(name), Selection(options=ReadingOptions(**settings))).documents(named)


def unfolded(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a row as columns: texts of `translation` under their languages, other objects with dots."""
    told = fields.get(TRANSLATION)
    if not isinstance(told, dict):
        return dict(flattened(fields, holes=True))
    rest = {name: value for name, value in fields.items() if name != TRANSLATION}
    return {**told, **dict(flattened(rest, holes=True))}


def objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every object of an array with the line it begins on; only one is in memory at a time."""
    source = _Source(path)
    if source.skip() != "[":
        raise source.error("this is no JSON array", 'a .json file is a list of objects: [{"en": "…", "es": "…"}, …]')
    source.take(1)
    while True:
        sign = source.skip(",")
        if sign == "]":
            source.take(1)
            break
        if sign != "{":
            raise source.error("broken JSON: no object here" if sign else "broken JSON: it ends too early", "")
        line = source.line
        yield line, checked_object(source.value(), path, line)
    if source.skip():
        raise source.error("broken JSON: something follows the array", "a .json file is one list of objects")


class _Source:
    """Text of a file as far as it was needed."""

    def __init__(self, path: Path) -> None:
        self.path, self.line, self._most = path, 1, limits.current().line
        self._text, self._place = "", 0
        self._chunks = _chunks(path)

    def skip(self, others: str = "") -> str:
        """The next sign that is not blank; it stays where it is."""
        while True:
            blank = (COMMAS if others else BLANK).match(self._text, self._place)
            self.take(blank.end() - self._place if blank else 0)
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._more():
                return ""

    def take(self, count: int) -> None:
        self.line += self._text.count("\n", self._place, self._place + count)
        self._place += count

    def value(self) -> Any:
        """The value that begins here; more is read, twice as much each time, until it is whole."""
        wanted = 2 * CHUNK
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._place)
            except NotJson as error:
                raise self.error(f"broken JSON: {error}", "mend it there") from None
            except json.JSONDecodeError as error:
                if len(self._text) - self._place > self._most:
                    hint = f"cut it up; {limits.raised('line', 4 * self._most)}"
                    raise self.error(f"an object of more than {limits.told(self._most)}", hint) from error
                if not self._more(wanted):
                    line = self.line + self._text.count("\n", self._place, error.pos)
                    raise CorpusError(
                        f"broken JSON: {error.msg}", path=source_name(self.path), line=line, hint="mend it there"
                    ) from error
                wanted *= 2
            except (RecursionError, ValueError):
                raise self.error("broken JSON: nested too deeply, or a number with thousands of digits", "") from None
            else:
                self.take(end - self._place)
                return value

    def error(self, problem: str, hint: str) -> CorpusError:
        return CorpusError(problem, path=source_name(self.path), line=self.line, hint=hint)

    def _more(self, wanted: int = 1) -> bool:
        parts, size = [self._text[self._place :]], 0
        for chunk in self._chunks:
            parts.append(chunk)
            size += len(chunk)
            if size >= wanted:
                break
        self._text, self._place = "".join(parts), 0
        return size > 0


def _chunks(path: Path) -> Iterator[str]:
    """Text in pieces that end with a line or, in a long one, with a whole character."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    with open_binary(path) as stream:
        first = True
        while chunk := next_chunk(stream, CHUNK, line):
            if b"\0" in chunk:
                raise binary(path, line + chunk[: chunk.index(b"\0")].count(b"\n"))
            chunk, first = (chunk.removeprefix(BYTE_ORDER_MARK), False) if first else (chunk, False)
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as error:
                line += chunk.count(b"\n", 0, max(0, error.start))
                decoded(chunk[max(0, error.start) :][:100] or b"\xff", path, line)
                raise
            line += text.count("\n")
            yield text
        try:
            yield decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            raise CorpusError("not UTF-8: it ends within a character", path=source_name(path), line=line) from error
