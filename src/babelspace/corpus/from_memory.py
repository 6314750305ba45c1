"""Corpora of what is in memory: tuples, dicts, data frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from babelspace.corpus.aligned import AlignedCorpus
from babelspace.corpus.readers.json_rows import unfolded
from babelspace.corpus.readers.options import ReadingOptions
from babelspace.corpus.readers.tables import Table, TableRow, as_text, plain
from babelspace.errors import CorpusError, ParameterError


def from_pairs(
    pairs: Iterable[Sequence[Any]], languages: Sequence[str], ids: Sequence[str] | None, name: str
) -> AlignedCorpus:
    """See `AlignedCorpus.from_pairs`."""
    rows = []
    for number, row in enumerate(pairs, start=1):
        if isinstance(row, (str, bytes)) or len(row) != len(languages):
            count = "a string" if isinstance(row, (str, bytes)) else f"{len(row)} texts"
            raise CorpusError(
                f"row {number} of {name} is {count}, not {len(languages)} texts ({', '.join(languages)})",
                hint="give a tuple a row, with None where a text is missing",
            )
        rows.append(row)
    texts = {code: [_text_or_hole(row[place]) for row in rows] for place, code in enumerate(languages)}
    return AlignedCorpus(ids or [str(number) for number in range(1, len(rows) + 1)], texts, name=name)


def from_dicts(rows: Iterable[Mapping[str, Any]], name: str, settings: Mapping[str, Any]) -> AlignedCorpus:
    """See `AlignedCorpus.from_dicts`."""
    table = Table(Path(name), ReadingOptions(**settings), None)
    named = (TableRow(number, unfolded(_checked(row, number, name))) for number, row in enumerate(rows, start=1))
    return AlignedCorpus.from_documents(table.documents(named), source=name)


def from_frame(
    frame: Any, columns: Mapping[str, str] | None, id: str | None, metadata: Sequence[str] | None, name: str
) -> AlignedCorpus:
    """See `AlignedCorpus.from_frame`."""
    names = [str(column) for column in getattr(frame, "column_names", None) or list(frame.columns)]
    texts = None if columns is None else _by_column(columns, names)
    kept = None if metadata is None else {*metadata, *(texts or ()), id or "id"}
    missing = [column for column in metadata or () if column not in names]
    if missing:
        raise ParameterError(f"no column {missing[0]!r}; there are: {', '.join(names)}. Name columns of the frame.")
    table = Table(Path(name), ReadingOptions(columns=texts, id=id), None)
    rows = _rows(frame, [column for column in names if kept is None or column in kept])
    return AlignedCorpus.from_documents(table.documents(rows, names), source=name)


def _by_column(columns: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """Column -> language, whichever way it was given."""
    if all(column in names for column in columns.values()):
        return {column: language for language, column in columns.items()}
    return dict(columns)


def _rows(frame: Any, names: Sequence[str]) -> Iterator[TableRow]:
    cells = [_listed(frame[name]) for name in names]
    for number, row in enumerate(zip(*cells, strict=True), start=1):
        yield TableRow(number, dict(zip(names, row, strict=True)))


def _listed(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _text_or_hole(value: Any) -> str | None:
    return None if plain(value) is None else as_text(value)


def _checked(row: Any, number: int, name: str) -> Mapping[str, Any]:
    if not isinstance(row, Mapping):
        raise CorpusError(f"row {number} of {name} is a {type(row).__name__}, not a dict", hint="give a dict a row")
    return row
