"""Results are tables: what a class says in columns can be had as records, as a data frame, as HTML and as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from babelspace.runtime.exports.formats import write_result
from babelspace.runtime.exports.tables import arrow_table, plain
from babelspace.runtime.extras import need

# Rows that a notebook shows of a long table.
SHOWN = 20


class Result:
    """Mixin of classes whose values stand in columns of equal length; a class writes `columns`.

    Examples
    --------
    >>> class Words(Result):
    ...     def columns(self):
    ...         return {"word": ["red", "wine"], "count": [3, 1]}
    >>> len(Words()), Words().records()[1]
    (2, {'word': 'wine', 'count': 1})
    """

    # What it is to `runtime.exports`: kinds have formats of their own beside those of any table.
    kind: ClassVar[str] = "table"

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """A sequence for each column, for `pyarrow.table` and `polars.DataFrame`."""
        raise NotImplementedError

    def table(self) -> Mapping[str, Sequence[Any]]:
        """The columns of files; those of `columns` unless a class says otherwise."""
        return self.columns()

    def __len__(self) -> int:
        return len(next(iter(self.columns().values()), ()))

    def records(self) -> list[dict[str, Any]]:
        """A dict of plain values for each row, for JSON and `pyarrow.Table.from_pylist`."""
        columns = {name: plain(values) for name, values in self.columns().items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_frame(self) -> Any:
        """A `pandas.DataFrame`, where pandas is installed."""
        return need("pandas", extra="pandas").DataFrame(dict(self.columns()))

    def to_arrow(self) -> Any:
        """A `pyarrow.Table`, where pyarrow is installed; polars and DuckDB take it as it is."""
        return arrow_table(self.columns())

    def write(self, path: str | Path) -> list[Path]:
        """Write a file whose suffix decides the format (docs/exports.md); gives the files, two or more for some.

        Text may be packed as .gz, .xz, .bz2 or .zst. A file appears whole or not at all.
        """
        return write_result(self, path)

    def _repr_html_(self) -> str:
        columns = {name: plain(values[:SHOWN]) for name, values in self.columns().items()}
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        rows = [
            "<tr>" + "".join(f"<td>{escape(_shown(value))}</td>" for value in row) + "</tr>"
            for row in zip(*columns.values(), strict=True)
        ]
        rest = len(self) - len(rows)
        more = f"<caption>… and {rest:,} more rows</caption>" if rest else ""
        return f"<table>{more}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


@dataclass(frozen=True)
class ColumnTable(Result):
    """Columns that are at hand."""

    values: Mapping[str, Sequence[Any]]

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """Those given."""
        return self.values


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)
