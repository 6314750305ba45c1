"""What the exhibits of Vinokourov, Shawe-Taylor & Cristianini 2003 on the Hansard have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.exhibit import Exhibit, Figure, Rows, Source, benchmark

PAPER = "Vinokourov, Shawe-Taylor & Cristianini 2003"
CORPUS = "hansard36: debates of the 36th Canadian parliament, English and French"
DIMENSIONS = ("100", "200", "300", "400", "full")
SPACES = {"CL-KCCA": "kernel-cca, κ = 1.5", "CL-LSI": "cl-lsi"}
DIFFERS = (
    "Runs of hansard36 are joined to documents of about 1,000 words, the length of the paper's; five (reduced: two) "
    "random splits of 910 documents to learn from and 917 to test instead of 14 chunks; intervals are two standard "
    "deviations. The 150 most frequent words of each language stand for the paper's stop words; documents keep their "
    "length."
)
SCRIPT, PART = "hansard_kcca", "long"


def reduced_result(data: Path) -> dict[str, Any]:
    """Two splits instead of five."""
    found: dict[str, Any] = benchmark(SCRIPT, data, ["--part", PART, "--chunks", "2"])[PART]
    return found


def figure(scores: Mapping[str, Mapping[str, Sequence[float]]], dimension: str, key: str) -> Figure:
    """Mean over the splits of one measure at one dimension."""
    known = {name: score for name, score in scores.items() if name != "seconds"}
    splits = known[max(known, key=int) if dimension == "full" else dimension][key]
    mean, deviation = float(np.mean(splits)), float(np.std(splits))
    return {"value": mean, "low": mean - 2 * deviation, "high": mean + 2 * deviation}


def table(name: str, shows: str, keys: Mapping[str, str], published: Mapping[str, Sequence[int]]) -> Exhibit:
    """A table of the paper, which prints per cent; `keys` are our measures and what is added to a row's name."""

    def rows(result: Mapping[str, Any]) -> Rows:
        spaces = result["spaces"]
        return {
            space + added: [figure(spaces[ours], d, key) for d in DIMENSIONS]
            for key, added in keys.items()
            for space, ours in SPACES.items()
        }

    return Exhibit(
        paper=PAPER,
        name=name,
        shows=shows,
        corpus=CORPUS,
        differs=DIFFERS,
        measures=[f"d = {d}" for d in DIMENSIONS],
        published={name: [percent / 100 for percent in row] for name, row in published.items()},
        orders=[[space + added for space in SPACES] for added in keys.values()],
        work=lambda data, reduced: rows(reduced_result(data)),
        source=Source(SCRIPT, (PART,), ("--part", PART), rows),
    )
