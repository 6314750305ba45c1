"""Goutte, Yamada & Gaussier 2004, Table 2: cepts and the intersection, without NULL."""

from __future__ import annotations

from benchmarks.papers.exhibit import run
from benchmarks.papers.shared_task import OTHER_SENTENCES, trial_table

EXHIBIT = trial_table(
    "Table 2",
    "cepts and the intersection of both directions (en–fr), without NULL",
    OTHER_SENTENCES,
    {
        "intersection": (0.0571, 0.7146, 0.9004, 0.7968, 0.9766, 0.2844, 0.4412),
        "ONMF + AIC": (0.1176, 0.4986, 0.9512, 0.6542, 0.8463, 0.3739, 0.5187),
        "ONMF + BIC": (0.1416, 0.4650, 0.9601, 0.6265, 0.8092, 0.3869, 0.5235),
        "HLT-03 best F": (0.1850, 0.7254, 0.8061, 0.7636, 0.7756, 0.3819, 0.5118),
        "HLT-03 best AER": (0.0853, 0.5543, 0.9381, 0.6968, 0.9009, 0.3530, 0.5072),
    },
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
