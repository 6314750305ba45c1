"""Draw one sentence pair: association matrix, words to cepts, words to words; as text, PNG or SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.links import Link
from babelspace.charts.plots import check_suffix
from babelspace.errors import ParameterError
from babelspace.runtime.extras import need
from babelspace.runtime.files import atomic_file

# By how much of the largest value a cell holds: nothing, then four sizes.
SHADES = " ·▫▪■"
VISIBLE = 0.01
NULL_NAME = "NULL"
INK, PALE = "#222222", "#888888"
CELL, LETTER = 0.26, 0.078  # inches


@dataclass(frozen=True)
class Grid:
    """A matrix of squares with names on both sides; bigger values are bigger squares."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.rows), len(self.columns)):
            raise ParameterError(
                f"{self.title}: {len(self.rows)} x {len(self.columns)} names for a matrix of "
                f"{' x '.join(map(str, self.values.shape))}. Give the words of the same sentence pair."
            )

    def swapped(self) -> Grid:
        """Rows and columns exchanged; "source to cept" becomes "cept to source"."""
        title = " to ".join(reversed(self.title.split(" to ")))
        return Grid(title, self.columns, self.rows, self.values.T)


def association_grid(matrix: Any, source: Sequence[str], target: Sequence[str], title: str = "association") -> Grid:
    """An association matrix, with its row and column of NULL."""
    values = np.asarray(matrix, np.float64)
    return Grid(title, [NULL_NAME, *source], [NULL_NAME, *target], values)


def links_grid(
    links: Sequence[Link],
    source: Sequence[str],
    target: Sequence[str],
    title: str = "links",
    probable: Sequence[Link] = (),
) -> Grid:
    """Links as squares, probable ones smaller; words that have none stand beside NULL."""
    values = np.zeros((len(source) + 1, len(target) + 1))
    for pairs, size in ((probable, 0.5), (links, 1.0)):
        for i, j in pairs:
            if not (-1 <= i < len(source) and -1 <= j < len(target)):
                raise ParameterError(
                    f"link {i}-{j}, but there are {len(source)} and {len(target)} words (from 0). Check the base."
                )
            values[i + 1, j + 1] = size
    values[1:, 0] = np.maximum(values[1:, 0], ~values[1:, 1:].any(axis=1))
    values[0, 1:] = np.maximum(values[0, 1:], ~values[1:, 1:].any(axis=0))
    return Grid(title, [NULL_NAME, *source], [NULL_NAME, *target], values)


def cept_grids(
    source_cepts: Sequence[int], target_cepts: Sequence[int], source: Sequence[str], target: Sequence[str]
) -> tuple[Grid, Grid, Grid]:
    """The factors of one sentence pair and their product: source to cept, cept to target, source to target.

    The last two cepts are those of the NULL words: a source word without a cept goes with the target's NULL.
    """
    count = 1 + max([-1, *source_cepts, *target_cepts])
    names = [*(f"cept {number + 1}" for number in range(count)), f"source {NULL_NAME}", f"target {NULL_NAME}"]
    left, right = np.zeros((len(source) + 1, count + 2)), np.zeros((count + 2, len(target) + 1))
    left[0, count] = right[count + 1, 0] = 1
    for word, cept in enumerate(source_cepts, start=1):
        left[word, cept if cept >= 0 else count + 1] = 1
    for word, cept in enumerate(target_cepts, start=1):
        right[cept if cept >= 0 else count, word] = 1
    product = left @ right
    rows, columns = [NULL_NAME, *source], [NULL_NAME, *target]
    return (
        Grid("source to cept", rows, names, left),
        Grid("cept to target", names, columns, right),
        Grid("alignment", rows, columns, product),
    )


def as_text(grid: Grid) -> str:
    """A grid for a terminal: rows with their names, and the columns' names written downwards.

    >>> print(as_text(links_grid([(0, 0)], ["oui"], ["yes"])))
    links
          N
          U y
          L e
          L s
    NULL  · ·
    oui   · ■
    """
    width = max((len(name) for name in grid.rows), default=0)
    height = max((len(name) for name in grid.columns), default=0)
    names = [name.rjust(height) for name in grid.columns]
    head = [" " * (width + 2) + " ".join(name[level] for name in names) for level in range(height)]
    top = grid.values.max(initial=0.0)
    body = [
        f"{name.ljust(width)}  " + " ".join(_shade(value, top) for value in row)
        for name, row in zip(grid.rows, grid.values, strict=True)
    ]
    return "\n".join(line.rstrip() for line in (grid.title, *head, *body))


def _shade(value: float, top: float) -> str:
    if top <= 0 or value < VISIBLE * top:
        return SHADES[1] if top > 0 else SHADES[0]
    return SHADES[min(4, 2 + int(3 * value / top))]


def draw(grids: Sequence[Grid], path: str | Path) -> None:
    """Grids side by side as a figure; the suffix says how (.png, .svg or .pdf). Needs the extra `plot`."""
    path = check_suffix(path)
    need("matplotlib", extra="plot")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # Inches, so that squares of all grids have the same size: names above, names to the left, cells.
    above = 0.4 + LETTER * max(len(name) for grid in grids for name in grid.columns)
    left = [0.25 + LETTER * max(map(len, grid.rows)) for grid in grids]
    sizes = [(CELL * len(grid.columns), CELL * len(grid.rows)) for grid in grids]
    height = above + max(down for _, down in sizes) + 0.1
    width = sum(left) + sum(across for across, _ in sizes) + 0.1
    # Text stays text, and the same grids give the same bytes.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "babelspace", "font.size": 9}):
        figure, x = Figure(figsize=(width, height)), 0.0
        for grid, margin, (across, down) in zip(grids, left, sizes, strict=True):
            x += margin
            place = (x / width, (height - above - down) / height, across / width, down / height)
            _draw_grid(figure.add_axes(place), grid)
            figure.text((x + across / 2) / width, 1 - 0.2 / height, grid.title, ha="center", fontsize=10)
            x += across
        with atomic_file(path) as fresh:
            figure.savefig(fresh, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)


def _draw_grid(axes: Any, grid: Grid) -> None:
    from matplotlib.patches import Rectangle

    top = grid.values.max(initial=0.0)
    for (row, column), value in np.ndenumerate(grid.values):
        if value > 0:
            # Area, not width, stands for the value, as eyes read it.
            side = 0.9 * float(np.sqrt(value / top))
            axes.add_patch(Rectangle((column - side / 2, row - side / 2), side, side, color=INK, linewidth=0))
    axes.set_xlim(-0.5, len(grid.columns) - 0.5)
    axes.set_ylim(len(grid.rows) - 0.5, -0.5)
    axes.set_xticks(range(len(grid.columns)), grid.columns, rotation=90)
    axes.set_yticks(range(len(grid.rows)), grid.rows)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.grid(color=PALE, linewidth=0.2)
    axes.set_axisbelow(True)
