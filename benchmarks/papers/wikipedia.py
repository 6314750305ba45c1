"""What the exhibits on Wikipedia have in common: rows of the experiments `wikipedia…`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks.papers.exhibit import Figure, Rows, mean_of
from benchmarks.papers.experiments import EXPERIMENTS, keep, numbers_of, stored

MEASURES = ("Top-1", "MRR", "Top-1 of `dict:`", "MRR of `dict:`")
CORPUS = (
    "wikipedia-en-pl: English articles of 2015 beside Polish ones of 2023, the first 1,000 words; 4,709 pairs to learn "
    "from, 780 to tune (learned from in the end) and 801 to test. `dict:` are the 1,217 pairs that a dictionary of "
    "titles links; the others have the same title, so that names favour spelling"
)


def rows_of(experiment: str, names: Mapping[str, str], data: Path) -> Rows:
    """Top-1 and MRR with intervals, of all queries and of those linked by a dictionary; run if there is no result."""
    if stored(experiment) is None:
        keep(experiment, EXPERIMENTS[experiment].work(data))
    result = stored(experiment)
    assert result is not None
    rows: dict[str, list[Figure | None]] = {}
    for ours, name in names.items():
        if ours in result["numbers"]:
            parts = [numbers_of(result, ours, group) for group in ("", "dict")]
            rows[name] = [mean_of(values) for ranks in parts for values in ((ranks == 1).astype(np.float64), 1 / ranks)]
    return rows
