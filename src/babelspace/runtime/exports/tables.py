"""Columns as text (TSV, CSV, JSON) and as Parquet or Arrow."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from babelspace.runtime.exports.formats import Exportable
from babelspace.runtime.extras import need

# Rows that are written at a time.
BATCH = 10_000
ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def plain(values: Sequence[Any]) -> list[Any]:
    """Values of Python, not of NumPy."""
    tolist = getattr(values, "tolist", None)
    return list(values) if tolist is None else list(tolist())


def rows(columns: Mapping[str, Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """Row by row, with plain values."""
    length = len(next(iter(columns.values()), ()))
    for start in range(0, length, BATCH):
        yield from zip(*(plain(values[start : start + BATCH]) for values in columns.values()), strict=True)


def cell(value: Any) -> str:
    """A value as text: nothing for None and NaN, 0 or 1 for a truth, JSON for what has parts."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    if isinstance(value, str) or hasattr(value, "as_dict"):
        return str(value)
    return _text(simple(value))


def simple(value: Any) -> Any:
    """What JSON and Arrow can hold; nine digits bring a float32 back bit by bit."""
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else None
    if hasattr(value, "as_dict"):
        value = value.as_dict()
    if isinstance(value, Mapping):
        return {str(name): simple(part) for name, part in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [simple(part) for part in value] if isinstance(value, (list, tuple)) else value


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)


def write_tsv(result: Exportable, stream: IO[str]) -> None:
    """A line of names, then a row a line; tabs and line ends inside cells are written as \\t and \\n."""
    columns = result.table()
    stream.write("\t".join(name.translate(ESCAPES) for name in columns) + "\n")
    for row in rows(columns):
        stream.write("\t".join(cell(value).translate(ESCAPES) for value in row) + "\n")


def write_csv(result: Exportable, stream: IO[str]) -> None:
    """As RFC 4180 has it, with plain line feeds; cells hold line ends as they are."""
    columns = result.table()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    # A row of one empty cell would be a blank line without its quotes, which csv knows.
    writer.writerows([cell(value) for value in row] for row in rows(columns))


def write_jsonl(result: Exportable, stream: IO[str]) -> None:
    """A JSON object a line."""
    stream.writelines(line + "\n" for line in _objects(result))


def write_json(result: Exportable, stream: IO[str]) -> None:
    """A list of JSON objects, one a line."""
    stream.write("[")
    for number, line in enumerate(_objects(result)):
        stream.write(",\n " if number else "\n ")
        stream.write(line)
    stream.write("\n]\n")


def _objects(result: Exportable) -> Iterator[str]:
    columns = result.table()
    for row in rows(columns):
        values = {name: simple(value) for name, value in zip(columns, row, strict=True)}
        yield json.dumps(values, ensure_ascii=False)


def arrow_table(columns: Mapping[str, Sequence[Any]]) -> Any:
    """A `pyarrow.Table`; what has named parts is JSON, because rows may have different ones."""
    pyarrow = need("pyarrow", extra="table")
    return pyarrow.table({name: _arrow(pyarrow, values) for name, values in columns.items()})


def _arrow(pyarrow: Any, values: Sequence[Any]) -> Any:
    if hasattr(values, "dtype"):
        return pyarrow.array(values)
    if any(isinstance(value, Mapping) or hasattr(value, "as_dict") for value in values):
        return pyarrow.array([None if value is None else _text(simple(value)) for value in values], pyarrow.string())
    return pyarrow.array(list(values), None if len(values) else pyarrow.string())


def write_parquet(result: Exportable, path: Path) -> None:
    """Parquet, packed by zstd."""
    table = arrow_table(result.table())
    need("pyarrow.parquet", extra="table").write_table(table, path, compression="zstd")


def write_arrow(result: Exportable, path: Path) -> None:
    """Arrow's file format, also known as Feather."""
    table = arrow_table(result.table())
    ipc = need("pyarrow.ipc", extra="table")
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
