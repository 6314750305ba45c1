"""One table or figure of a paper: what it says, and what comes out here.

Every `platt_*`, `goutte_*`, `mlda_*`, `mccrae_*` and `vinokourov_*` file of this folder holds one exhibit and runs
alone, `python -m benchmarks.papers.NAME --data DATA`, at full size or, with `--reduced`, on less. Figures go to
benchmarks/results/papers/full/ or reduced/, so that neither replaces the other; the page shows
the full ones where there are any. With `--resume FOLDER` a comparison of hours may be stopped and started again.

Some exhibits are a benchmark of this project at full size (`Source`). Then the figures are those of its result file,
nothing is copied, and `--stored` tells them without running anything.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.evaluation.significance import interval, randomisation_test
from benchmarks.common import PLOTS, RESULTS, comparison, write
from benchmarks.programs import module

# A folder in which exhibits that `python -m benchmarks.papers` starts find what another has computed.
SHARED = "PAPERS_SHARED"
# A folder in which comparisons keep what they have finished, so that a long one can be stopped.
RESUME = "PAPERS_RESUME"
LEVEL = 0.05
# A number, or one with its interval (value, low, high) and, where they are kept, the numbers behind it, query by query.
Figure = float | Mapping[str, Any]
Rows = Mapping[str, Sequence[Figure | None]]


@dataclass(frozen=True)
class Source:
    """A benchmark that holds an exhibit's figures at full size.

    `part` are the keys that lead to what is needed of its result, `options` those that make it, `rows` reads it;
    `result` is the name of the result file where it is not that of the script.
    """

    script: str
    part: Sequence[str]
    options: Sequence[str]
    rows: Callable[[Mapping[str, Any]], Rows]
    result: str = ""

    @property
    def path(self) -> Path:
        return RESULTS / f"{self.result or self.script}.json"

    @property
    def command(self) -> str:
        return " ".join([f"python -m benchmarks.measure.{self.script} --data DATA", *self.options])

    def stored(self) -> Rows | None:
        """The figures, if that part has been run."""
        if not self.path.is_file():
            return None
        found = json.loads(self.path.read_text(encoding="utf-8"))
        for key in self.part:
            if key not in found:
                return None
            found = found[key]
        return self.rows(found)


@dataclass(frozen=True)
class Exhibit:
    """What a paper shows. `orders` are chains of rows from better to worse by the first measure.

    `work` gives our rows, at a reduced size if asked; with a `source` it is asked for the reduced ones only, and where
    `one_size` is set it is quick enough to have no reduced size. `tested` are pairs of rows that an experiment of
    `claims.py` compares query by query, and its trial: that verdict stands in place of one by intervals.
    """

    paper: str
    name: str
    shows: str
    corpus: str
    differs: str
    measures: Sequence[str]
    published: Rows
    orders: Sequence[Sequence[str]]
    work: Callable[[Path, bool], Rows]
    source: Source | None = None
    one_size: bool = False
    lower_is_better: bool = False
    plot: str | None = None
    tested: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"{self.paper}, {self.name}: {self.shows}"


def value_of(figure: Figure | None) -> float | None:
    """The number itself."""
    return figure["value"] if isinstance(figure, Mapping) else figure


def mean_of(values: NDArray[Any]) -> Figure:
    """The mean over queries (or draws) with its 95 % interval, and what it is the mean of."""
    low, high = interval(values, seed=0)
    hits = np.isin(values, (0, 1)).all()
    kept = "".join(str(int(value)) for value in values) if hits else " ".join(f"{value:.6g}" for value in values)
    return {"value": float(np.mean(values)), "low": low, "high": high, "numbers": kept}


def numbers_behind(figure: Figure | None) -> NDArray[np.float64] | None:
    """The numbers of which a figure is the mean, if they are kept."""
    if not isinstance(figure, Mapping) or "numbers" not in figure:
        return None
    kept = figure["numbers"]
    return np.array(kept.split() if " " in kept else list(kept), np.float64)


def bounds(figure: Figure) -> tuple[float, float]:
    """The interval, or twice the number where there is none."""
    return (figure["low"], figure["high"]) if isinstance(figure, Mapping) else (figure, figure)


def verdict(better: Figure, worse: Figure, lower_is_better: bool = False) -> str:
    """Whether one row is above another here as in the paper: by a paired test, or where there is none by intervals."""
    if lower_is_better:
        better, worse = worse, better
    ours, theirs = numbers_behind(better), numbers_behind(worse)
    if ours is not None and theirs is not None and len(ours) == len(theirs):
        if randomisation_test(ours, theirs, seed=0) >= LEVEL:
            return "within chance"
        return "confirmed" if ours.mean() > theirs.mean() else "not confirmed"
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


def plot_name(plot: str, reduced: bool) -> str:
    """The file of a picture; those of reduced runs have names of their own."""
    stem, _, suffix = plot.rpartition(".")
    return f"{stem}-reduced.{suffix}" if reduced else plot


def compared(
    arguments: str, data: Path, names: Mapping[str, str], measures: Sequence[str], plot: str | None = None
) -> Rows:
    """Rows of `babelspace compare`: `names` are the paper's names of our spaces."""
    more = ["--plot", str(PLOTS / plot)] if plot else []
    with tempfile.TemporaryDirectory() as folder:
        told, ranks = ranked(arguments, data, Path(os.environ.get(RESUME, folder)), *more)
    rows: dict[str, Sequence[Figure | None]] = {}
    for row in told["rows"]:
        label = " ".join([row["space"], *(f"{key} {value}" for key, value in row.get("by", {}).items())])
        hits = (ranks[identity(row)] == 1).astype(np.float64)
        found = {"top1": mean_of(hits)}
        rows[names.get(label, label)] = [found.get(measure, with_interval(row, measure)) for measure in measures]
    return rows


def ranked(
    arguments: str, data: Path, folder: Path, *more: str
) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """A comparison's JSON, and of each of its rows the ranks of the mates in both directions.

    Rows that a journal in the folder has are not measured again.
    """
    journal = folder / f"{hashlib.sha256(arguments.encode()).hexdigest()[:12]}.jsonl"
    told = comparison(arguments, data, *more, "--resume", str(journal))
    kept = [json.loads(line)["result"] for line in journal.read_text(encoding="utf-8").splitlines()]
    found = {identity(row): row["ranks"].values() for row in kept if "ranks" in row}
    return told, {name: np.concatenate(list(ranks)).astype(np.float64) for name, ranks in found.items()}


def identity(row: Mapping[str, Any]) -> str:
    """What a row of a comparison was made with: its journal does not say what sets rows apart."""
    parts = ("space", "dimension", "parameters", "vectorizer", "correction")
    return json.dumps([row[part] for part in parts], sort_keys=True)


def with_interval(row: Mapping[str, Any], measure: str) -> Figure:
    """A measure of a compared row; intervals are kept of some."""
    value = row["test"]["mean"][measure]
    if measure not in row["interval"]:
        return float(value)
    low, high = row["interval"][measure]
    return {"value": value, "low": low, "high": high}


def benchmark(script: str, data: Path, options: Sequence[str]) -> dict[str, Any]:
    """The result of a benchmark with these options, which leaves the page's result files and plots alone."""

    def work() -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "benchmarks" / "results"
            place.mkdir(parents=True)
            (Path(folder) / "docs" / "plots").mkdir(parents=True)
            command = module(f"measure.{script}", "--data", str(data), *options)
            subprocess.run(command, check=True, env={**os.environ, "BENCHMARK_RESULTS": str(place)})
            found: dict[str, Any] = json.loads((place / f"{script}.json").read_text(encoding="utf-8"))
            return found

    return remembered("-".join([script, *(option.lstrip("-") for option in options)]), work)


def remembered(name: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The result of some work, which exhibits that are run one after the other do once."""
    folder = os.environ.get(SHARED)
    path = Path(folder) / f"{name}.json" if folder else None
    if path is not None and path.is_file():
        return json.loads(path.read_text(encoding="utf-8"))
    found = work()
    if path is not None:
        path.write_text(json.dumps(found), encoding="utf-8")
    return found


def processor_seconds() -> float:
    """Of this process and those that it has started, on all cores."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def run(exhibit: Exhibit, file: str) -> None:
    """The command line of an exhibit."""
    parser = argparse.ArgumentParser(description=exhibit.title)
    parser.add_argument("--data", type=Path, help="the folder of corpora")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--reduced", action="store_true", help="on less: a look at the order in a minute or two")
    size.add_argument("--stored", action="store_true", help="tell what a benchmark has measured at full size before")
    parser.add_argument("--resume", metavar="FOLDER", help="keep what is finished there, and go on from it")
    options = parser.parse_args()
    if options.resume:
        Path(options.resume).mkdir(parents=True, exist_ok=True)
        os.environ[RESUME] = str(Path(options.resume).resolve())
    if options.stored:
        tell(exhibit)
    elif options.data is None:
        parser.error("give --data, the folder of corpora")
    elif exhibit.source is not None and not options.reduced:
        command = module(f"measure.{exhibit.source.script}", "--data", str(options.data))
        subprocess.run([*command, *exhibit.source.options], check=True)
        tell(exhibit)
    else:
        keep(exhibit, Path(file).stem, exhibit.work(options.data, options.reduced), options.reduced)


def tell(exhibit: Exhibit) -> None:
    """Print what the benchmark's result file says."""
    if exhibit.source is None:
        sys.exit(
            f"{exhibit.name} is no benchmark of its own: nothing is stored. Give --data, with or without --reduced."
        )
    rows = exhibit.source.stored()
    if rows is None:
        sys.exit(f"{exhibit.source.path.name} has no such part yet. Run: {exhibit.source.command}")
    print(json.dumps({"rows": rows, "verdicts": verdicts(exhibit, rows)}, indent=1, ensure_ascii=False))


def keep(exhibit: Exhibit, name: str, rows: Rows, reduced: bool) -> None:
    """Write what came out."""
    size = "reduced" if reduced and not exhibit.one_size else "full"
    (RESULTS / "papers" / size).mkdir(parents=True, exist_ok=True)
    result = {
        "processor_seconds": None if RESUME in os.environ else round(processor_seconds()),  # not of earlier runs
        "rows": {label: list(figures) for label, figures in rows.items()},
        "verdicts": verdicts(exhibit, rows),
    }
    write(f"papers/{size}/{name}", result)
