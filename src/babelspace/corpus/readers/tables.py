"""Rows of any table as documents: a text in each of several columns, or a document in each row.

Columns that are headed with a language hold texts; a column `text` makes a document of each row. Every column that is
neither text, id nor language is metadata.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, NamedTuple

from babelspace.corpus.document import Document
from babelspace.corpus.readers.language_from_name import chosen_languages, column_language, language_code
from babelspace.corpus.readers.opening import binary, source_name
from babelspace.corpus.readers.options import ReadingOptions, Selection
from babelspace.corpus.readers.unique_ids import UniqueIds
from babelspace.errors import CorpusError, NoTextColumn, ParameterError

LANGUAGE_COLUMNS = ("lang", "language")


class TableRow(NamedTuple):
    """Column -> cell, and the line (or row) where it stands."""

    line: int
    cells: Mapping[str, Any]


@dataclass(frozen=True)
class TableLayout:
    """What each column is."""

    id: str | None
    text: str | None
    language: str | None
    texts: Mapping[str, str]  # column -> language
    metadata: tuple[str, ...]


class Table:
    """Makes documents of rows."""

    def __init__(self, path: Path, wanted: Selection) -> None:
        self.path, self.options, self.asked, self.language = path, wanted.options, wanted.languages, wanted.language
        self._unique = UniqueIds(path)
        self._layouts: dict[tuple[str, ...], TableLayout] = {}

    def documents(self, rows: Iterable[TableRow], header: Sequence[str] | None = None) -> Iterator[Document]:
        """Row by row; `header` is checked even if no row follows."""
        if header is not None:
            self._layout(tuple(header), 1)
        for number, row in enumerate(rows, start=1):
            layout = self._layout(tuple(row.cells), row.line)
            id = self._id(row, layout, number)
            metadata = {name: value for name in layout.metadata if (value := plain(row.cells[name])) is not None}
            if layout.text is not None:
                text, language = as_text(row.cells[layout.text]), self._language(row, layout)
                yield self._unique.check(Document(id, language, text, metadata), row.line)
                continue
            if layout.id is not None:
                self._unique.check_row(id, next(iter(layout.texts.values())), row.line)
            for column, language in layout.texts.items():
                text = as_text(row.cells[column])
                if "\0" in text:
                    raise binary(self.path, row.line)
                yield Document(id, language, text, metadata)

    def _layout(self, columns: tuple[str, ...], line: int) -> TableLayout:
        if columns not in self._layouts:
            self._layouts[columns] = self._made(columns, line)
        return self._layouts[columns]

    def _made(self, columns: tuple[str, ...], line: int) -> TableLayout:
        options = self.options
        for given in (options.id, options.text, options.language_column, *(options.columns or ())):
            if given is not None and given not in columns:
                raise self._error(
                    f"no column {given!r}; there are: {_listed(columns)}", line, "write its name as it stands there"
                )
        id = options.id or next((name for name in columns if name.strip().lower() == "id"), None)
        texts = self._texts(columns, id)
        if options.text is None and (texts or "text" not in columns):
            if not texts:
                raise self._no_texts(columns, line)
            used = {id, *self._language_columns(columns, id)}
            return TableLayout(id, None, None, texts, tuple(name for name in columns if name not in used))
        text = options.text or "text"
        named = (name for name in columns if name.strip().lower() in LANGUAGE_COLUMNS)
        language = options.language_column or next(named, None)
        if language is None and self.language is None:
            raise self._error(
                "no column tells the language of the documents",
                line,
                f'name it: {{language_column="lang"}}, or write the language before the path: en={self.path}',
            )
        return TableLayout(id, text, language, {}, tuple(name for name in columns if name not in (id, text, language)))

    def _language_columns(self, columns: Sequence[str], id: str | None) -> dict[str, str]:
        """All columns of texts -> their languages."""
        if self.options.columns is not None:
            return dict(self.options.columns)
        if self.options.text is not None or self.options.language_column is not None:
            return {}
        named = {name: column_language(name) for name in columns if name != id}
        return {name: code for name, code in named.items() if code is not None}

    def _texts(self, columns: Sequence[str], id: str | None) -> dict[str, str]:
        """The columns that are asked for."""
        found = self._language_columns(columns, id)
        codes = list(found.values())
        twice = next((code for code in codes if codes.count(code) > 1), None)
        if twice is not None:
            both = [name for name, code in found.items() if code == twice]
            raise self._error(
                f"two columns are {twice!r}: {_listed(both)}", 1, f'choose one: {{columns={{"{both[0]}": "{twice}"}}}}'
            )
        if self.asked is None or not found:
            return found
        names = {code: name for name, code in found.items()}
        return {names[code]: asked for asked, code in chosen_languages(self.asked, codes).items()}

    def _id(self, row: TableRow, layout: TableLayout, number: int) -> str:
        if layout.id is None:
            return str(number)
        value = plain(row.cells[layout.id])
        if value is None or isinstance(value, (list, bool)):
            raise self._error("the id is empty", row.line, "fill it, or leave out the id column")
        return as_text(value)

    def _language(self, row: TableRow, layout: TableLayout) -> str:
        value = None if layout.language is None else plain(row.cells[layout.language])
        if value is None and self.language is not None:
            return self.language
        code = language_code(value) if isinstance(value, str) else None
        if code is None:
            problem = f"{layout.language!r} is {value!r}, which is no language"
            raise self._error(problem, row.line, "write a code such as en, es, pt-BR")
        return code

    def _no_texts(self, columns: Sequence[str], line: int) -> CorpusError:
        if not any(columns):
            return self._error(
                "empty corpus: no header", line, "the first line names the columns, for example: id, en, es, title"
            )
        example = next((name for name in columns if name.lower() != "id"), columns[0])
        return NoTextColumn(
            f"no column is headed with a language; there are: {_listed(columns)}",
            columns,
            path=source_name(self.path),
            line=line,
            hint=f'tell which is which: {{columns={{"{example}": "en"}}}}; or, with a document in each row, which '
            f'column is its text: {{text="{example}"}}',
        )

    def _error(self, problem: str, line: int, hint: str) -> CorpusError:
        return CorpusError(problem, path=source_name(self.path), line=line, hint=hint)


def check_distinct(header: Sequence[str], path: Path, line: int = 1) -> None:
    """Raise if a header names a column twice."""
    if len(set(header)) < len(header):
        problem = f"the header names a column twice: {', '.join(header)}"
        raise CorpusError(problem, path=source_name(path), line=line, hint="give every column its own name")


def from_frame(
    frame: Any, columns: Mapping[str, str] | None, id: str | None, metadata: Sequence[str] | None, name: str
) -> Iterator[Document]:
    """Documents of a data frame, in a corpus of this name; see `AlignedCorpus.from_frame`."""
    names = [str(column) for column in getattr(frame, "column_names", None) or list(frame.columns)]
    texts = None if columns is None else dict(columns)
    if texts is not None and all(column in names for column in texts.values()):
        texts = {column: language for language, column in texts.items()}
    missing = [column for column in metadata or () if column not in names]
    if missing:
        raise ParameterError(f"no column {missing[0]!r}; there are: {', '.join(names)}. Name columns of the frame.")
    used = names if metadata is None else {*metadata, *(texts or ()), id or "id"}
    rows = _frame_rows(frame, [column for column in names if column in used])
    return Table(Path(name), Selection(options=ReadingOptions(columns=texts, id=id))).documents(rows, names)


def _frame_rows(frame: Any, names: Sequence[str]) -> Iterator[TableRow]:
    cells = [_cells(frame[name]) for name in names]
    for number, row in enumerate(zip(*cells, strict=True), start=1):
        yield TableRow(number, dict(zip(names, row, strict=True)))


def _cells(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def as_text(value: Any) -> str:
    """A cell as text; a hole is blank."""
    value = plain(value)
    if isinstance(value, list):
        return "\n".join(map(as_text, value))
    # Spreadsheets keep whole numbers as floats.
    return "" if value is None else str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def plain(value: Any) -> Any:
    """A cell as JSON has it; None for a hole: nothing, blank, NaN."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(name): part for name, item in value.items() if (part := plain(item)) is not None} or None
    if isinstance(value, bytes):
        return None
    if isinstance(value, (list, tuple, set, frozenset)) or hasattr(value, "tolist"):
        listed = value.tolist() if hasattr(value, "tolist") else value
        if not isinstance(listed, (list, tuple, set, frozenset)):
            return plain(listed) if type(listed) is not type(value) else str(value)
        return [part for item in listed if (part := plain(item)) is not None] or None
    text = str(value)
    # pandas has its own signs for what is missing.
    return None if text in ("NaT", "<NA>", "nan") else text


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(map(repr, columns[:12]))
    return shown + (f", … ({len(columns)})" if len(columns) > 12 else "") if columns else "none"
