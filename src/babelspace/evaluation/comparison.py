"""What a comparison found: rows, curves, a table, JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.evaluation.measures import RetrievalScore

Ranks = dict[str, NDArray[np.int64]]
Curve = list[tuple[int | None, float]]
WORDS = 2  # columns of words at the left of the table
LEGEND = (
    "Settings chosen on dev, scores on test, mean over directions; 95 %: bootstrap over queries; gap: documents before "
    "the mate; * the smallest set that is better than all the rest (unpaired t-test on Top-1, Bonferroni, p < .05)."
)


@dataclass(frozen=True)
class Row:
    """One space at the settings chosen on dev, measured on test."""

    space: str
    parameters: dict[str, Any]
    vectorizer: str
    dimension: int | None
    correction: str
    dev: RetrievalScore
    test: dict[str, RetrievalScore]
    interval: dict[str, tuple[float, float]]
    seconds: dict[str, float]
    peak_mb: float | None
    empty: dict[str, int]
    ranks: Ranks = field(repr=False)
    best: bool = False

    def hits(self) -> NDArray[np.float64]:
        """1 for each query of each direction whose mate came first, else 0."""
        return np.concatenate([found == 1 for found in self.ranks.values()]).astype(np.float64)

    def settings(self) -> str:
        """The chosen settings in a few words."""
        given = [
            f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in self.parameters.items()
        ]
        corrected = [] if self.correction == "none" else [self.correction]
        return ", ".join([self.vectorizer, *given, *corrected])

    def as_dict(self) -> dict[str, Any]:
        """Everything but the ranks, as JSON can hold it."""
        plain = asdict(self)
        del plain["ranks"]
        return plain | {"interval": {name: list(ends) for name, ends in self.interval.items()}}

    def stored(self) -> dict[str, Any]:
        """As `as_dict`, with the ranks."""
        return self.as_dict() | {"ranks": {name: found.tolist() for name, found in self.ranks.items()}}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Row:
        """The row that `stored` took apart."""
        parts = {
            "dev": RetrievalScore(**stored["dev"]),
            "test": {name: RetrievalScore(**score) for name, score in stored["test"].items()},
            "interval": {name: (low, high) for name, (low, high) in stored["interval"].items()},
            "ranks": {name: np.array(found, np.int64) for name, found in stored["ranks"].items()},
        }
        return cls(**{**stored, **parts})


@dataclass(frozen=True)
class Comparison:
    """Rows in the order asked for; curves of dev MRR against dimension; what was compared on what."""

    rows: list[Row]
    curves: dict[str, Curve]
    about: dict[str, Any]

    def best_row(self) -> Row:
        """The row that was best on dev."""
        return max(self.rows, key=lambda row: getattr(row.dev, self.about["measure"]))

    def as_dict(self) -> dict[str, Any]:
        """One object for programs."""
        curves = {
            space: {"dimensions": [dimension for dimension, _ in curve], "mrr": [mrr for _, mrr in curve]}
            for space, curve in self.curves.items()
        }
        return {**self.about, "rows": [row.as_dict() for row in self.rows], "curves": curves}

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows of the table; the first `WORDS` columns are words, the rest numbers."""
        return _header(self.rows), [_cells(row) for row in self.rows]

    def table(self) -> str:
        """A Markdown table; * marks the best set."""
        header, rows = self.cells()
        widths = [max(len(line[k]) for line in (header, *rows)) for k in range(len(header))]
        rule = [("-" * width) if k < WORDS else "-" * (width - 1) + ":" for k, width in enumerate(widths)]
        lines = [_padded(header, widths), rule, *(_padded(row, widths) for row in rows)]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def notes(self) -> list[str]:
        """What a reader of the table should know."""
        largest = max(self.about["dimensions"])
        lines = []
        for row in self.rows:
            reached = [dimension for dimension, _ in self.curves[row.space] if dimension]
            if reached and max(reached) < largest:
                lines.append(f"{row.space}: these data give {max(reached)} dimensions, not {largest}")
            lines += [
                f"{row.space}: {count:,} {language} test documents have no known word and count as errors"
                for language, count in row.empty.items()
                if count
            ]
        return lines

    def plot(self, path: str | Path) -> None:
        """MRR on dev against dimension, as .svg, .png or .pdf by suffix (extra `plot`)."""
        from babelspace.evaluation.plots import plot_curves

        plot_curves(self.curves, path)


def _header(rows: list[Row]) -> list[str]:
    pair = _pair(rows[0])
    directions = [f"{name.replace('->', '→')} Top-1" for name in pair]
    return [
        "space",
        "settings",
        "dim",
        "Top-1",
        "95 %",
        "Top-5",
        "Top-10",
        "MRR",
        "95 %",
        "gap",
        *directions,
        "fit s",
        "project s",
        "peak MB",
    ]


def _cells(row: Row) -> list[str]:
    mean = row.test["mean"]
    return [
        row.space + (" *" if row.best else ""),
        row.settings(),
        "–" if row.dimension is None else str(row.dimension),
        number(mean.top1),
        "–".join(number(end) for end in row.interval["top1"]),
        number(mean.top5),
        number(mean.top10),
        number(mean.mrr),
        "–".join(number(end) for end in row.interval["mrr"]),
        f"{mean.gap:.2f}",
        *(number(row.test[name].top1) for name in _pair(row)),
        f"{row.seconds['fit']:.1f}",
        f"{row.seconds['transform']:.2f}",
        "n/a" if row.peak_mb is None else f"{row.peak_mb:.0f}",
    ]


def _pair(row: Row) -> list[str]:
    """Both directions of two languages; with more languages the mean must do."""
    names = [name for name in row.test if name != "mean"]
    return names if len(names) == 2 else []


def number(share: float) -> str:
    """Four digits, as the papers print them: .9516."""
    return f"{share:.4f}".removeprefix("0")


def _padded(line: list[str], widths: list[int]) -> list[str]:
    return [
        cell.ljust(width) if k < WORDS else cell.rjust(width)
        for k, (cell, width) in enumerate(zip(line, widths, strict=True))
    ]
