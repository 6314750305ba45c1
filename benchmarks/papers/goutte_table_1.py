"""Goutte, Yamada & Gaussier 2004, Table 1: cepts on the 37 trial sentences, without NULL."""

from __future__ import annotations

from benchmarks.papers.exhibit import run
from benchmarks.papers.shared_task import trial_table

EXHIBIT = trial_table(
    "Table 1",
    "cepts on the 37 trial sentences (en–fr), without NULL",
    "The aligner behind it is the fertility model, learned from 50,000 pairs of sentences; the paper has IBM 4. "
    "Rows without a published figure are ours.",
    {
        "ONMF + AIC": (0.1081, 0.4526, 0.9467, 0.6124, 0.8656, 0.3430, 0.4914),
        "ONMF + BIC": (0.1250, 0.4269, 0.9675, 0.5924, 0.8342, 0.3582, 0.5012),
    },
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
