"""The paper's figure for choosing the penalty κ of kernel CCA."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babelspace.charts.plots import COLOURS, check_suffix
from babelspace.runtime.extras import need
from babelspace.spaces.kernel.kappa import KappaCurve


def plot_kappa(curve: KappaCurve, path: str | Path) -> None:
    """Distances from perfect correlation against κ, and their gap, with the κ that it chooses."""
    path = check_suffix(path)
    need("matplotlib", extra="plot")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "babelspace", "font.size": 10}):
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        lines = {"mates": curve.paired, "random pairs": curve.repaired, "random pairs, one language": curve.alone}
        for (name, values), colour, style in zip(lines.items(), COLOURS, ("-", "-", ":"), strict=False):
            left.plot(curve.kappas, values, color=colour, linestyle=style, marker="o", markersize=3, label=name)
        left.set_ylabel(f"|1 - ρ| over {curve.documents} documents")
        left.legend(frameon=False)
        right.plot(curve.kappas, curve.gap, color=COLOURS[2], marker="o", markersize=3)
        right.axvline(curve.best, color="#777777", linestyle=(0, (4, 3)))
        right.annotate(f"κ = {curve.best:.2g}", (curve.best, 0), xytext=(4, 4), textcoords="offset points")
        right.set_ylabel("random pairs minus mates")
        for axes in (left, right):
            _tidy(axes)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)


def _tidy(axes: Any) -> None:
    axes.set_xscale("log")
    axes.set_xlabel("κ")
    axes.grid(axis="y", color="#dddddd", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
