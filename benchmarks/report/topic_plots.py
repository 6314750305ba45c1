"""The pictures of topic_training.py."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl

from benchmarks.report.topics import TITLES

mpl.use("Agg")
import matplotlib.pyplot as plt

LINES = {
    "gibbs": {"greedy": ("approximate, greedy start", "C0"), "anywhere": ("approximate, any start", "C1")},
    "variational": {"approximate": ("approximate", "C0")},
}
METHODS = {"gibbs": "Gibbs", "variational": "VI"}


def draw_training(parts: Mapping[str, Any], path: Path) -> None:
    """Neighbour gap against sweeps over the further languages; the standard one as a level."""
    figure, axes = plt.subplots(
        2, len(parts), figsize=(3.1 * len(parts), 5.6), layout="constrained", squeeze=False, sharex="row"
    )
    for column, (name, part) in enumerate(parts.items()):
        for row, (method, lines) in enumerate(LINES.items()):
            axis = axes[row, column]
            for kind, (label, colour) in lines.items():
                points = part[method][kind]
                axis.plot(
                    [point["sweeps"] for point in points],
                    [point["gap"] for point in points],
                    marker="o",
                    markersize=3.5,
                    color=colour,
                    label=label,
                )
            level = part[method]["standard"][-1]
            axis.axhline(level["gap"], color="0.35", linestyle="--", label="standard")
            axis.set(xscale="log", title=f"{TITLES[name]}, {METHODS[method]}")
            axis.title.set_fontsize(9)
            axis.set_ylim(0, 1.15 * max(point["gap"] for kind in lines for point in part[method][kind][2:]))
            axis.set_xticks((1, 3, 10, 30, 100), ("1", "3", "10", "30", "100"))
            axis.minorticks_off()
            axis.grid(alpha=0.3)
            axis.spines[["top", "right"]].set_visible(False)
    for axis in axes[1]:
        axis.set_xlabel("sweeps over a further language")
    for row in axes:
        row[0].set_ylabel("neighbour gap")
        row[0].legend(frameon=False, fontsize=8)
    save(figure, path)


def draw_length(found: Mapping[str, Any], path: Path) -> None:
    """Error of θ against the number of tokens it is estimated from."""
    figure, axis = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
    for topics, errors in found["errors"].items():
        axis.plot(found["tokens"], errors, marker="o", markersize=3.5, label=f"K = {topics}")
    axis.set(xlabel="tokens of a document", ylabel="mean squared error of θ", yscale="log")
    axis.grid(alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=9)
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
