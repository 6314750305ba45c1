"""How do time and memory of the aligners grow with the number of sentence pairs?

Every contender is a program as in aligners.py: text files in, links of both directions out. It is given the first
1/16, 1/8, … of the pairs of `hansard-en-fr-all`, in which the gold sentences come first. Writes JSON and a plot.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl

from babelspace import Bitext
from babelspace.alignment.formats import read_links
from babelspace.corpus.readers.opening import numbered_lines
from benchmarks.common import OUT, PLOTS, write
from benchmarks.measure.aligners import OURS, compile_kernels, error_rates, run

mpl.use("Agg")
import matplotlib.pyplot as plt

FOLDER = "hansard-en-fr-all"
SHARES = (16, 8, 4, 2, 1)
COLOURS = {"ibm2": "#4c78a8", "hmm": "#f58518", "fertility": "#54a24b", "eflomal": "#888888"}


def meetings(sides: list[list[str]]) -> dict[str, int]:
    """Pairs of words that stand in one sentence pair at least once, and all their meetings."""
    bitext = Bitext.of(*([line.split() for line in side] for side in sides))
    return {"word_pairs": len(bitext.table.pairs.partners), "cells": len(bitext.table.cells)}


def measure(
    folder: Path, contenders: list[str], rivals: dict[str, str], shares: list[int], known: dict[str, Any]
) -> dict[str, Any]:
    """Rows by number of sentence pairs, then by contender; those of earlier runs stay."""
    (about,) = json.loads((folder / "gold.json").read_text(encoding="utf-8")).values()
    gold = read_links(folder / about["gold"], "pharaoh", 0).links
    sides = [[line for _, line in numbered_lines(folder / f"{side}.txt.xz")] for side in ("source", "target")]
    for share in shares:
        count = len(sides[0]) // share
        part = [side[:count] for side in sides]
        row = known.setdefault(str(count), {"size": meetings(part)})
        with tempfile.TemporaryDirectory() as scratch:
            files = Path(scratch) / "source", Path(scratch) / "target"
            for path, side in zip(files, part, strict=True):
                path.write_text("".join(f"{line}\n" for line in side), encoding="utf-8")
            for name in contenders:
                out = Path(scratch) / name
                row[name] = {**run(name, *files, out, rivals), "aer": error_rates(out, slice(0, len(gold)), gold)}
                print(count, name, row[name], flush=True)
    return known


def plot(rows: dict[str, Any], path: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    sizes = sorted(map(int, rows))
    for axis, (key, label) in zip(axes, (("cpu", "CPU seconds"), ("megabytes", "peak megabytes")), strict=True):
        for name in (name for name in COLOURS if any(name in row for row in rows.values())):
            drawn = [size for size in sizes if name in rows[str(size)]]
            axis.plot(
                drawn, [rows[str(size)][name][key] for size in drawn], marker="o", color=COLOURS[name], label=name
            )
        axis.set(xlabel="sentence pairs", ylabel=label, xlim=0, ylim=0)
        axis.set_xticks([0, *sizes[2:]], [f"{size:,}" for size in [0, *sizes[2:]]])
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--aligners", default=",".join(OURS), help="with commas; eflomal takes part if it is found")
    parser.add_argument("--shares", default=",".join(map(str, SHARES)), help="what parts of the pairs: 1/16, 1/8, …")
    parser.add_argument("--eflomal", default=shutil.which("eflomal-align"))
    options = parser.parse_args()
    shares = [int(share) for share in options.shares.split(",")]
    ours = [name for name in options.aligners.split(",") if name in OURS]
    compile_kernels(ours)
    path = OUT / "alignment_scaling.json"
    known = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else {}
    contenders = [*ours, *(["eflomal"] if options.eflomal else [])]
    rows = measure(options.data / "alignment" / FOLDER, contenders, {"eflomal": options.eflomal}, shares, known)
    write("alignment_scaling", {"rows": rows})
    plot(rows, PLOTS / "alignment-scaling.svg")


if __name__ == "__main__":
    main()
