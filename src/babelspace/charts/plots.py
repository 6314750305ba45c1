"""Plots for papers (matplotlib, extra `plot`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from babelspace.charts.line_labels import spread
from babelspace.errors import ParameterError
from babelspace.runtime.extras import need

SUFFIXES = (".svg", ".png", ".pdf")
# Okabe and Ito's colours: distinct for all kinds of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
BASELINE_COLOUR = "#777777"
# A level further below the lines than so many times their own range is told, not drawn: it would flatten them.
FAR = 1.5


def plot_curves(curves: Mapping[str, Sequence[tuple[int | None, float]]], path: str | Path) -> None:
    """MRR against dimension, one line a space, its name at its end; a space without dimensions is level.

    Where the baseline is far below, the lines have the whole height, and its value is told at the bottom.
    """
    path = check_suffix(path)
    need("matplotlib", extra="plot")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # Text stays text, and the same curves give the same bytes.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "babelspace", "font.size": 10}):
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        axes = figure.subplots()
        ends = _lines(axes, curves)
        _labels(axes, ends)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)


def check_suffix(path: str | Path) -> Path:
    """The path, if its suffix says how to draw."""
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise ParameterError(f"cannot draw {path.name!r}. End the name in {', '.join(SUFFIXES)}.")
    return path


def _lines(axes: Any, curves: Mapping[str, Sequence[tuple[int | None, float]]]) -> list[tuple[float, str, str]]:
    """Draw the lines; gives height, name and colour of each right end."""
    ticks = sorted({dimension for curve in curves.values() for dimension, _ in curve if dimension})
    colours = iter(COLOURS * (1 + len(curves) // len(COLOURS)))
    ends, (bottom, top) = [], _window(curves)
    for name, curve in curves.items():
        known = [(dimension, value) for dimension, value in curve if dimension]
        if known:
            colour = next(colours)
            axes.plot(*zip(*known, strict=True), color=colour, marker="o", markersize=4, linewidth=1.8)
        else:
            colour = BASELINE_COLOUR
            if curve[0][1] >= bottom:
                axes.axhline(curve[0][1], color=colour, linestyle=(0, (4, 3)), linewidth=1.4)
        told = name if curve[-1][1] >= bottom else f"{name} {curve[-1][1]:.2f} ↓"
        ends.append((curve[-1][1], told, colour))
    axes.set_ylim(bottom, top)
    axes.set_xscale("log")
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel("dimensions")
    axes.set_ylabel("mean reciprocal rank on dev")
    axes.grid(axis="y", color="#dddddd", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
    return ends


def _window(curves: Mapping[str, Sequence[tuple[int | None, float]]]) -> tuple[float, float]:
    """Heights to show: of the lines, and of levels that are not far below them."""
    lines = [value for curve in curves.values() for dimension, value in curve if dimension]
    levels = [curve[0][1] for curve in curves.values() if curve[0][0] is None]
    far = min(lines) - FAR * max(max(lines) - min(lines), 0.02) if lines else min(levels)
    shown = [*lines, *(level for level in levels if level >= far)]
    margin = max(0.08 * (max(shown) - min(shown)), 0.003)
    return min(shown) - margin, min(max(shown), 1 - 0.7 * margin) + margin


def _labels(axes: Any, ends: list[tuple[float, str, str]]) -> None:
    """Names at the right, moved apart where lines end together."""
    low, high = axes.get_ylim()
    # Those below the window stand at the bottom, in their order.
    heights = spread([max(1e-6 * value, (value - low) / (high - low)) for value, _, _ in ends], 0.065)
    for (_, name, colour), height in zip(ends, heights, strict=True):
        axes.annotate(name, (1.01, height), xycoords="axes fraction", color=colour, va="center")
