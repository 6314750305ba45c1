"""Goutte, Yamada & Gaussier 2004, Table 3: cepts and the intersection, with NULL."""

from __future__ import annotations

from benchmarks.papers.exhibit import run
from benchmarks.papers.shared_task import OTHER_SENTENCES, trial_table

EXHIBIT = trial_table(
    "Table 3",
    "cepts and the intersection of both directions (en–fr), with links to NULL",
    OTHER_SENTENCES,
    {"intersection": (0.1543,), "ONMF + AIC": (0.1863,), "ONMF + BIC": (0.2078,)},
    {"aer_with_null": "AER"},
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
