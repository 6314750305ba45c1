"""Run comparisons, and make the pages of docs/results/, the README's tables and the charts from result files.

`run --data DATA [NAME …]` runs `babelspace compare` for each named table and keeps its JSON in benchmarks/results/;
`write` makes pages, README and charts from these files; `check` fails when one of them no longer agrees.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.report.catalogue import TABLES
from benchmarks.report.charts import CHARTS
from benchmarks.report.comparisons import run
from benchmarks.report.pages import FOLDER, written


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("action", choices=("run", "write", "check"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    if options.action == "run":
        for name in options.names or TABLES:
            print(f"== {name}", flush=True)
            run(name, options.data)
    elif options.action == "write":
        write()
    else:
        check()


def write() -> None:
    """Charts whose figures have changed, the pages, and the generated parts of the README."""
    for chart in CHARTS:
        if chart.stale():
            chart.write()
    for path, make in written().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(), encoding="utf-8")


def check() -> None:
    """Whatever no longer agrees with the result files."""
    stale = [
        path.name
        for path, make in written().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != make()
    ]
    stale += [path.name for path in FOLDER.glob("*.md") if path not in written()]
    stale += [chart.path.name for chart in CHARTS if chart.stale()]
    if stale:
        names = ", ".join(stale)
        sys.exit(f"{names}: no longer as benchmarks/results/ and src/ say. Run: python -m benchmarks.report write")


if __name__ == "__main__":
    main()
