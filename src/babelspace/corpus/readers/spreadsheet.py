"""Workbooks (.xlsx): a sheet is a table, read row by row."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import has_suffix, source_name
from babelspace.corpus.readers.options import TABLE, Selection
from babelspace.corpus.readers.tables import Table, TableRow, check_distinct
from babelspace.corpus.readers.zip_safety import broken, check_office
from babelspace.errors import CorpusError
from babelspace.runtime.extras import need

SETTINGS = TABLE | {"sheet"}
matches = has_suffix(".xlsx", ".xlsm", packed=False)


def documents(path: Path, wanted: Selection) -> Iterator[Document]:
    """The first row that is not empty names the columns; formulas count with the value they had when saved."""
    rows = _rows(path, wanted.options.sheet)
    line, first = next(((line, row) for line, row in rows if any(map(_filled, row))), (1, ()))
    header = [("" if name is None else str(name)).strip() for name in first]
    named = [(place, name) for place, name in enumerate(header) if name]
    check_distinct([name for _, name in named], path, line)
    filled = ((line, row) for line, row in rows if any(_filled(_cell(row, place)) for place, _ in named))
    cells = (TableRow(line, {name: _cell(row, place) for place, name in named}) for line, row in filled)
    return Table(path, wanted).documents(cells, [name for _, name in named])


def _rows(path: Path, sheet: str | None) -> Iterator[tuple[int, Sequence[Any]]]:
    openpyxl = need("openpyxl", extra="table")
    check_office(path)
    try:
        with warnings.catch_warnings():
            # It warns of styles and extensions, which are no text.
            warnings.simplefilter("ignore")
            with closing(openpyxl.load_workbook(path, read_only=True, data_only=True)) as book:
                chosen = _sheet(book, sheet, path)
                # What a file says of its size is believed: a million rows of sixteen thousand cells, if it likes.
                chosen.reset_dimensions()
                yield from enumerate(chosen.iter_rows(values_only=True), start=1)
    except CorpusError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, ParseError, SyntaxError, OSError) as error:
        # What openpyxl makes of a file that has the ending but not the parts of a workbook.
        raise broken(path, error) from error


def _sheet(book: Any, name: str | None, path: Path) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if (name is not None and name not in sheets) or not sheets:
        raise CorpusError(
            f"no sheet {name!r}; there are: {', '.join(sheets) or 'none'}",
            path=source_name(path),
            hint="write its name as it stands there",
        )
    return sheets[name] if name is not None else next(iter(sheets.values()))


def _filled(value: Any) -> bool:
    return value is not None and (not isinstance(value, str) or bool(value.strip()))


def _cell(row: Sequence[Any], place: int) -> Any:
    return row[place] if place < len(row) else None
