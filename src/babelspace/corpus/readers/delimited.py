"""CSV and TSV: a header, then a row a line; cells of a .csv may stand in quotes and hold line ends."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers import limits
from babelspace.corpus.readers.opening import decoded_lines, has_suffix, plain_name, source_name, told_encoding
from babelspace.corpus.readers.options import TABLE, Selection
from babelspace.corpus.readers.tables import Table, TableRow, check_distinct
from babelspace.errors import CorpusError, ParameterError

SETTINGS = TABLE | {"delimiter", "encoding", "quoting"}
matches_tsv = has_suffix(".tsv", ".tab")
DELIMITERS = (",", ";", "\t", "|")


def documents(path: Path, wanted: Selection) -> Iterator[Document]:
    """Row by row; a blank cell is a hole; without a column of ids they are row numbers from 1."""
    options = wanted.options
    lines = decoded_lines(path, options.encoding or told_encoding(path))
    first = next(lines, "")
    delimiter = options.delimiter or ("\t" if not is_csv(path) else _most_frequent(first))
    delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise ParameterError(f"delimiter={delimiter!r} is not one character. Use for example ',', ';' or a tab.")
    quoting = is_csv(path) if options.quoting is None else options.quoting
    rows = _rows(chain([first], lines), path, delimiter, quoting)
    header = [name.strip() for name in next((row for _, row in rows), [])]
    _check(header, path)
    table = Table(path, wanted)
    return table.documents(_named(rows, header, path, quoting), header)


def is_csv(path: Path) -> bool:
    """Whether this is a `.csv` file."""
    return plain_name(path).lower().endswith(".csv")


def matches_csv(path: Path) -> bool:
    """Whether this is a `.csv` file that exists."""
    return is_csv(path) and path.is_file()


def _rows(lines: Iterator[str], path: Path, delimiter: str, quoting: bool) -> Iterator[tuple[int, list[str]]]:
    """Number of its first line and cells of every row."""
    if not quoting:
        for number, line in enumerate(lines, start=1):
            yield number, line.rstrip("\r\n").split(delimiter)
        return
    # A cell may be as long as a row: documents are measured later.
    csv.field_size_limit(max(csv.field_size_limit(), limits.current().line))
    counted = _Counted(lines, path)
    reader = csv.reader(counted, delimiter=delimiter, strict=True)
    while True:
        counted.begin, counted.held = reader.line_num + 1, 0
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise CorpusError(
                f"broken row: {error}",
                path=source_name(path),
                line=counted.begin,
                hint='a cell that holds quotes stands in quotes, and each quote in it twice: "say ""yes"""; '
                "where quotes are just characters: {quoting=False}",
            ) from error
        yield counted.begin, row


class _Counted:
    """Lines, as many characters of them as one row may have: a quote that is never closed takes all that follow.

    Whoever begins a row says on which line, and that nothing is held of it.
    """

    def __init__(self, lines: Iterator[str], path: Path) -> None:
        self._lines, self._path, self._most = lines, path, limits.current().line
        self.begin, self.held = 1, 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.held += len(line)
            if self.held > self._most:
                raise CorpusError(
                    f"a row of more than {limits.told(self._most)}",
                    path=source_name(self._path),
                    line=self.begin,
                    hint=f"look for a quote that is never closed; {limits.raised('line', 4 * self._most)}",
                )
            yield line


def _named(
    rows: Iterator[tuple[int, list[str]]], header: Sequence[str], path: Path, quoting: bool
) -> Iterator[TableRow]:
    for line, cells in rows:
        if len(cells) <= 1 and not "".join(cells) and len(header) > 1:
            continue
        if len(cells) != len(header):
            raise CorpusError(
                f"{len(cells)} columns where the header has {len(header)}",
                path=source_name(path),
                line=line,
                hint=_hint(cells, quoting),
            )
        yield TableRow(line, dict(zip(header, cells, strict=True)))


def _hint(cells: Sequence[str], quoting: bool) -> str:
    if quoting:
        return "a cell that holds the delimiter stands in double quotes"
    if any(cell.startswith('"') for cell in cells):
        return "if cells stand in double quotes, say so: {quoting=True}"
    return "there is no quoting: a tab inside a text must become a space"


def _most_frequent(header: str) -> str:
    """The delimiter that a header has most of; a comma if it has none."""
    return max(DELIMITERS, key=lambda delimiter: (header.count(delimiter), -DELIMITERS.index(delimiter)))


def _check(header: Sequence[str], path: Path) -> None:
    if not any(header):
        raise CorpusError(
            "empty corpus: no header",
            path=source_name(path),
            line=1,
            hint="the first line names the columns, for example: id, en, es, title",
        )
    check_distinct(header, path)
