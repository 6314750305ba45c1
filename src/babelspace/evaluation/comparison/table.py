"""What a comparison found: rows, curves, tables, JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.evaluation.measures import RetrievalScore
from babelspace.evaluation.pseudo_queries import MEAN, MONOLINGUAL
from babelspace.vectors.hubness import Correction

Ranks = dict[str, NDArray[np.int64]]
Scores = dict[str, RetrievalScore]
Curve = list[tuple[int | None, float]]
WORDS = 2  # columns of words at the left of a wide table
TESTS = {"bootstrap": "paired bootstrap", "randomisation": "paired randomisation", "t": "paired t-test"}


def words(wide: bool) -> int:
    """Columns of words at the left of a table."""
    return WORDS if wide else 1


def legend_of(test: str) -> str:
    """What the columns and marks of the table mean."""
    return (
        "Settings chosen on dev, scores on test, mean over directions; 95 %: bootstrap over queries; gap: documents "
        "before the mate; * the smallest set that is better than all the rest (unpaired t-test on Top-1, Bonferroni, "
        f"p < .05); p: Top-1 against the best row ({TESTS[test]}, Holm); fit s, CPU s and peak MB: the final fit by "
        "the clock, of all cores together, and in memory beyond the data."
    )


def narrow_legend_of(test: str) -> str:
    """The same of the narrow table."""
    return (
        "Settings chosen on dev, scores on test, mean over directions; 95 %: bootstrap over queries; * the smallest "
        f"set that is better than all the rest; p: Top-1 against the best row ({TESTS[test]}, Holm); fit s: by clock."
    )


LEGEND = legend_of("bootstrap")
# Columns of the tables that a terminal of 80 columns has room for.
NARROW = ("dim", "Top-1", "95 %", "p", "MRR", "fit s")
NARROW_QUERIES = ("dim", "Top-1", "Top-10", "MRR", "within Top-1")


@dataclass(frozen=True)
class Row:
    """One space at the settings chosen on dev, measured on test; `by` holds what sets it apart from rows of the same.

    `queries` are the scores of pseudo queries, `p` is the corrected p-value against the best row (None for that one),
    `dropped` counts training documents that the space could not use, if it counts them.
    """

    space: str
    parameters: dict[str, Any]
    vectorizer: str
    dimension: int | None
    correction: Correction
    dev: RetrievalScore
    test: Scores
    interval: dict[str, tuple[float, float]]
    seconds: dict[str, float]
    peak_mb: float | None
    empty: dict[str, int]
    ranks: Ranks = field(repr=False)
    best: bool = False
    p: float | None = None
    queries: Scores = field(default_factory=dict)
    by: dict[str, Any] = field(default_factory=dict)
    dropped: int | None = None

    @property
    def name(self) -> str:
        """The space and what sets the row apart."""
        return named(self.space, self.by)

    @property
    def label(self) -> str:
        """The name, marked if it is of the best set."""
        return self.name + (" *" if self.best else "")

    @property
    def line(self) -> str:
        """The name of its curve, on which the rows of all dimensions lie."""
        return named(self.space, {name: value for name, value in self.by.items() if name != "dimension"})

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
            "queries": {name: RetrievalScore(**score) for name, score in stored["queries"].items()},
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
            name: {"dimensions": [dimension for dimension, _ in curve], "mrr": [mrr for _, mrr in curve]}
            for name, curve in self.curves.items()
        }
        return {**self.about, "rows": [row.as_dict() for row in self.rows], "curves": curves}

    def cells(self, wide: bool = True) -> tuple[list[str], list[list[str]]]:
        """Header and rows of the table; the first columns are words (`words`), the rest numbers.

        The narrow one fits a terminal of 80 columns and leaves out the settings, among others.
        """
        header, rows = _header(self.rows), [_cells(row) for row in self.rows]
        return (header, rows) if wide else _narrow(header, rows, NARROW, [row.label for row in self.rows])

    def query_cells(self, wide: bool = True) -> tuple[list[str], list[list[str]]]:
        """The same of the table of pseudo queries; without rows if there were none."""
        asked = [row for row in self.rows if row.queries]
        if not asked:
            return [], []
        header, rows = _query_header(asked[0]), [_query_cells(row) for row in asked]
        return (header, rows) if wide else _narrow(header, rows, NARROW_QUERIES, [row.name for row in asked])

    def table(self, wide: bool = True) -> str:
        """A Markdown table; * marks the best set."""
        return markdown(*self.cells(wide), words(wide))

    def query_table(self, wide: bool = True) -> str:
        """A Markdown table of the pseudo queries, "" if there were none."""
        header, rows = self.query_cells(wide)
        return markdown(header, rows, words(wide)) if rows else ""

    def legend(self, wide: bool = True) -> str:
        """What the columns and marks of the table mean."""
        test = self.about.get("test_by", "bootstrap")
        return legend_of(test) if wide else narrow_legend_of(test)

    def query_legend(self) -> str:
        """What the table of pseudo queries shows."""
        return (
            f"Queries: the {self.about['queries']} most frequent known words of each test document. The answer is its "
            "mate in the other language (mean over directions), or the document itself (within). Ties are errors."
        )

    def notes(self) -> list[str]:
        """What a reader of the table should know."""
        largest = max(self.about["dimensions"])
        lines = []
        for row in self.rows:
            reached = [dimension for dimension, _ in self.curves[row.line] if dimension]
            if reached and max(reached) < largest:
                lines.append(f"{row.line}: these data give {max(reached)} dimensions, not {largest}")
            lines += [
                f"{row.name}: {count:,} {language} test documents have no known word and count as errors"
                for language, count in row.empty.items()
                if count
            ]
            if row.dropped:
                lines.append(f"{row.name}: {row.dropped:,} training documents were dropped")
        return list(dict.fromkeys(lines))

    def plot(self, path: str | Path) -> None:
        """MRR on dev against dimension, as .svg, .png or .pdf by suffix (extra `plot`)."""
        from babelspace.charts.plots import plot_curves

        plot_curves(self.curves, path)


def named(space: str, by: Mapping[str, Any]) -> str:
    """A space and the settings that tell its rows apart."""
    return space + (f" ({', '.join(told(name, value) for name, value in by.items())})" if by else "")


def told(name: str, value: Any) -> str:
    """A setting in a word or two."""
    if name == "normalize":
        return "normalized" if value else "not normalized"
    if name == "max_terms":
        return f"{value or 'all'} terms"
    if name in ("features", "vocabulary", "weighting", "correction"):
        return str(value)
    return f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"


def _narrow(
    header: list[str], rows: list[list[str]], kept: Sequence[str], names: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    """Some columns, the names of rows before them."""
    places = [header.index(name) for name in kept]
    cut = [[name, *(row[place] for place in places)] for name, row in zip(names, rows, strict=True)]
    return ["space", *kept], cut


def markdown(header: list[str], rows: list[list[str]], words: int = WORDS) -> str:
    """A Markdown table whose first columns are words."""
    widths = [max(len(line[k]) for line in (header, *rows)) for k in range(len(header))]
    rule = [("-" * width) if k < words else "-" * (width - 1) + ":" for k, width in enumerate(widths)]
    lines = [_padded(header, widths, words), rule, *(_padded(row, widths, words) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _header(rows: list[Row]) -> list[str]:
    directions = [f"{_arrow(name)} Top-1" for name in _pair(rows[0].test)]
    return [
        *("space", "settings", "dim", "Top-1", "95 %", "p", "Top-5", "Top-10", "MRR", "95 %", "gap"),
        *directions,
        *("fit s", "CPU s", "project s", "peak MB"),
    ]


def _cells(row: Row) -> list[str]:
    mean = row.test["mean"]
    return [
        *_words(row, row.space + (" *" if row.best else "")),
        number(mean.top1),
        "–".join(number(end) for end in row.interval["top1"]),
        "best" if row.p is None else "<.001" if row.p < 0.001 else f"{row.p:.3f}".removeprefix("0"),
        number(mean.top5),
        number(mean.top10),
        number(mean.mrr),
        "–".join(number(end) for end in row.interval["mrr"]),
        f"{mean.gap:.2f}",
        *(number(row.test[name].top1) for name in _pair(row.test)),
        f"{row.seconds['fit']:.1f}",
        f"{row.seconds['cpu']:.1f}",
        f"{row.seconds['transform']:.2f}",
        "n/a" if row.peak_mb is None else f"{row.peak_mb:.0f}",
    ]


def _query_header(row: Row) -> list[str]:
    groups = [("Top-1", "Top-10", "MRR"), ("within Top-1", "within Top-10", "within MRR")]
    directions = [f"{_arrow(name)} {kind}" for name in _pair(row.queries) for kind in ("Top-1", "Top-10")]
    return ["space", "settings", "dim", *groups[0], *groups[1], *directions]


def _query_cells(row: Row) -> list[str]:
    means = [row.queries[name] for name in (MEAN, MONOLINGUAL)]
    directions = [row.queries[name] for name in _pair(row.queries)]
    return [
        *_words(row, row.space),
        *(number(value) for mean in means for value in (mean.top1, mean.top10, mean.mrr)),
        *(number(value) for score in directions for value in (score.top1, score.top10)),
    ]


def _words(row: Row, name: str) -> list[str]:
    return [name, row.settings(), "–" if row.dimension is None else str(row.dimension)]


def _pair(scores: Scores) -> list[str]:
    """Both directions of two languages; with more languages the mean must do."""
    names = [name for name in scores if "->" in name and len(set(name.split("->"))) == 2]
    return names if len(names) == 2 else []


def _arrow(direction: str) -> str:
    return direction.replace("->", "→")


def number(share: float) -> str:
    """Four digits, as the papers print them: .9516."""
    return f"{share:.4f}".removeprefix("0")


def _padded(line: list[str], widths: list[int], words: int) -> list[str]:
    return [
        cell.ljust(width) if k < words else cell.rjust(width)
        for k, (cell, width) in enumerate(zip(line, widths, strict=True))
    ]
