"""How many pairs does a space need? Top-1 on test against the number of training pairs.

Each point is a `babelspace compare` with `--max-train`: dimension and γ are chosen on dev for that many pairs, and the
space is learned from them alone (no refit). All pairs stand in the table of the same name (report/catalogue.py).
Points of earlier runs stay, so that the curve can be made in pieces.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.common import OUT, comparison, write

NAME = "learning_curve"
SPACES = ("untranslated", "cl-lsi", "cca", "opca")
DIMENSIONS = (30, 50, 100, 200, 400, 800)
GRID = "--grid opca.gamma=.1,.3,1 --grid cca.gamma=3,10 --queries 0 --no-refit"
CURVES = {
    "mdn-en-fr": (
        "DATA/mdn --languages en,fr --split .75,.125,.125 --max-terms 8000",
        (60, 125, 250, 500, 1_000, 2_000),
    ),
    "europarl-25": ("DATA/europarl-en-es --head 25", (250, 1_000, 4_000)),
}


def arguments(curve: str, pairs: int) -> str:
    """What `compare` is asked; at most half as many dimensions as pairs."""
    dimensions = ",".join(str(number) for number in DIMENSIONS if number <= max(pairs // 2, DIMENSIONS[0]))
    return f"{CURVES[curve][0]} --max-train {pairs} --dims {dimensions} {GRID}"


def point(curve: str, pairs: int, data: Path) -> dict[str, Any]:
    """Every space, learned from so many pairs."""
    told = comparison(arguments(curve, pairs), data)
    rows = {
        row["space"]: {
            "top1": row["test"]["mean"]["top1"],
            "interval": row["interval"]["top1"],
            "dimension": row["dimension"],
            **row["parameters"],
        }
        for row in told["rows"]
    }
    return {"test": told["corpus"]["rows"]["test"], "spaces": {name: rows[name] for name in SPACES}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--curve", choices=list(CURVES), action="append")
    parser.add_argument("--pairs", type=int, nargs="+", help="only these points")
    options = parser.parse_args()
    path = OUT / f"{NAME}.json"
    curves = json.loads(path.read_text(encoding="utf-8"))["curves"] if path.is_file() else {}
    for curve in options.curve or CURVES:
        for pairs in options.pairs or CURVES[curve][1]:
            points = curves.setdefault(curve, {}) | {str(pairs): point(curve, pairs, options.data)}
            curves[curve] = dict(sorted(points.items(), key=lambda item: int(item[0])))
            write(NAME, {"curves": curves})


if __name__ == "__main__":
    main()
