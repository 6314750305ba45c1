"""Results are tables: what a class says in columns can be had as records, as a data frame and as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

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

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """A sequence for each column, for `pyarrow.table` and `polars.DataFrame`."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(next(iter(self.columns().values()), ()))

    def records(self) -> list[dict[str, Any]]:
        """A dict of plain values for each row, for JSON and `pyarrow.Table.from_pylist`."""
        columns = {name: _plain(values) for name, values in self.columns().items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_frame(self) -> Any:
        """A `pandas.DataFrame`, where pandas is installed."""
        return need("pandas", extra="pandas").DataFrame(dict(self.columns()))

    def _repr_html_(self) -> str:
        columns = {name: _plain(values[:SHOWN]) for name, values in self.columns().items()}
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        rows = [
            "<tr>" + "".join(f"<td>{escape(_shown(value))}</td>" for value in row) + "</tr>"
            for row in zip(*columns.values(), strict=True)
        ]
        rest = len(self) - len(rows)
        more = f"<caption>… and {rest:,} more rows</caption>" if rest else ""
        return f"<table>{more}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _plain(values: Sequence[Any]) -> list[Any]:
    """Values of Python, not of NumPy."""
    tolist = getattr(values, "tolist", None)
    return list(values) if tolist is None else list(tolist())


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)
