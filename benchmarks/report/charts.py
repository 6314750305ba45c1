"""The charts of docs/results/ and README.md, each drawn from result files.

A chart ends with the digest of its figures, so that `python -m benchmarks.report check` sees without drawing whether it
is out of date.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import PLOTS
from benchmarks.report import drawings
from benchmarks.report.catalogue import TABLES
from benchmarks.report.chart_data import curves, dimensions, domains, peers, quality_and_time
from benchmarks.report.scale import chart as growth
from benchmarks.report.sentences import rounds


@dataclass(frozen=True)
class Chart:
    """Figures from result files, and how they are drawn into a file; no figures, no chart."""

    name: str
    data: Callable[[], Any]
    draw: Callable[[Any, Path], None]

    @property
    def path(self) -> Path:
        return PLOTS / f"{self.name}.svg"

    def mark(self) -> str:
        """The digest of the figures as the last line of the file."""
        text = json.dumps(self.data(), sort_keys=True, ensure_ascii=False)
        return f"<!-- figures {hashlib.sha256(text.encode()).hexdigest()[:16]} -->\n"

    def stale(self) -> bool:
        if not self.data():
            return False
        return not self.path.is_file() or not self.path.read_text(encoding="utf-8").endswith(self.mark())

    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.draw(self.data(), self.path)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(self.mark())


def save(make: Callable[[Any], Any], data: Any, path: Path) -> None:
    """A figure as SVG: text stays text, and the same figures give the same bytes."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "babelspace", "font.size": 10}):
        make(data).savefig(path, metadata={"Date": None})


def lines(data: Any, path: Path) -> None:
    """MRR against dimension, as `compare --plot` draws it."""
    from babelspace.charts.plots import plot_curves

    plot_curves({name: [tuple(point) for point in curve] for name, curve in data.items()}, path)


CHARTS = [
    Chart("peers", peers, partial(save, drawings.bars)),
    Chart("quality-and-time", quality_and_time, partial(save, drawings.clouds)),
    Chart("learning-curve", curves, partial(save, drawings.learning)),
    Chart("out-of-domain", domains, partial(save, drawings.strangers)),
    Chart("scale", growth, partial(save, drawings.growing)),
    Chart("grow", rounds, partial(save, drawings.rounds)),
    *(Chart(name, partial(dimensions, name), lines) for name in TABLES),
]
