"""One table or figure of a paper: what it says, and what comes out here.

Every other file of this folder holds one exhibit and runs alone, `python benchmarks/papers/NAME.py --data DATA`, at
full size or, with `--reduced`, on fewer documents. Its figures go to benchmarks/results/papers/NAME.json, from which
`benchmarks/tables.py write` makes the page.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

Figure = float | Mapping[str, float]  # a number, or one with its interval: value, low, high
Rows = Mapping[str, Sequence[Figure | None]]


@dataclass(frozen=True)
class Exhibit:
    """What a paper shows. `orders` are chains of rows from better to worse by the first measure."""

    paper: str
    name: str
    shows: str
    corpus: str
    differs: str
    measures: Sequence[str]
    published: Rows
    orders: Sequence[Sequence[str]]
    work: Callable[[Path, bool], Rows]
    lower_is_better: bool = False
    plot: str | None = None

    @property
    def title(self) -> str:
        return f"{self.paper}, {self.name}: {self.shows}"


def value_of(figure: Figure | None) -> float | None:
    """The number itself."""
    return figure["value"] if isinstance(figure, Mapping) else figure


def bounds(figure: Figure) -> tuple[float, float]:
    """The interval, or twice the number where there is none."""
    return (figure["low"], figure["high"]) if isinstance(figure, Mapping) else (figure, figure)


def verdict(better: Figure, worse: Figure, lower_is_better: bool = False) -> str:
    """Whether one row is above another here as in the paper."""
    if lower_is_better:
        better, worse = worse, better
    if bounds(better)[0] > bounds(worse)[1]:
        return "confirmed"
    if bounds(worse)[0] > bounds(better)[1]:
        return "not confirmed"
    return "within chance"


def verdicts(exhibit: Exhibit, rows: Rows) -> dict[str, str]:
    """Of each pair of neighbours in the paper's order, wherever both were measured."""
    found = {}
    for chain in exhibit.orders:
        measured = [name for name in chain if name in rows and rows[name][0] is not None]
        for better, worse in pairwise(measured):
            found[f"{better} > {worse}"] = verdict(rows[better][0], rows[worse][0], exhibit.lower_is_better)  # type: ignore[arg-type]
    return found


def compared(arguments: str, data: Path, names: Mapping[str, str], measures: Sequence[str], plot: str = "") -> Rows:
    """Rows of `babelspace compare`: `names` are the paper's names of our spaces."""
    words = [part.replace("DATA", str(data)) for part in shlex.split(arguments)]
    tool = str(Path(sys.executable).with_name("babelspace"))
    drawing = ["--plot", str(HERE.parents[1] / "docs" / "plots" / plot)] if plot else []
    done = subprocess.run([tool, "compare", *words, "--json", *drawing], stdout=subprocess.PIPE, text=True, check=True)
    rows: dict[str, Sequence[Figure | None]] = {}
    for row in json.loads(done.stdout)["rows"]:
        label = " ".join([row["space"], *(f"{key} {value}" for key, value in row.get("by", {}).items())])
        rows[names.get(label, label)] = [with_interval(row, measure) for measure in measures]
    return rows


def benchmark(script: str, data: Path, reduced: Sequence[str] | None, full: Sequence[str] = ()) -> dict[str, Any]:
    """The result of one of the benchmarks; a reduced run leaves the page's result files and plots alone."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "benchmarks" / "results" if reduced is not None else HERE.parent / "results"
        place.mkdir(parents=True, exist_ok=True)
        (place.parents[1] / "docs" / "plots").mkdir(parents=True, exist_ok=True)
        command = [sys.executable, str(HERE.parent / f"{script}.py"), "--data", str(data)]
        arguments = full if reduced is None else reduced
        subprocess.run([*command, *arguments], check=True, env={**os.environ, "BENCHMARK_RESULTS": str(place)})
        found: dict[str, Any] = json.loads((place / f"{script}.json").read_text(encoding="utf-8"))
        return found


def with_interval(row: Mapping[str, Any], measure: str) -> Figure:
    """A measure of a compared row; intervals are kept of some."""
    value = row["test"]["mean"][measure]
    if measure not in row["interval"]:
        return float(value)
    low, high = row["interval"][measure]
    return {"value": value, "low": low, "high": high}


def run(exhibit: Exhibit, file: str) -> None:
    """The command line of an exhibit."""
    from common import write

    parser = argparse.ArgumentParser(description=exhibit.title)
    parser.add_argument("--data", type=Path, required=True, help="the folder of corpora")
    parser.add_argument("--reduced", action="store_true", help="fewer documents: a look at the order in minutes")
    options = parser.parse_args()
    started = time.perf_counter()
    rows = exhibit.work(options.data, options.reduced)
    (HERE.parent / "results" / "papers").mkdir(parents=True, exist_ok=True)
    result = {
        "size": "reduced" if options.reduced else "full",
        "seconds": round(time.perf_counter() - started),
        "rows": {name: list(figures) for name, figures in rows.items()},
        "verdicts": verdicts(exhibit, rows),
    }
    write(f"papers/{Path(file).stem}", result)
