"""Goutte, Yamada & Gaussier 2004, Table 3: cepts and the intersection, with NULL."""

from __future__ import annotations

from benchmarks.papers.exhibit import run
from benchmarks.papers.shared_task import OTHER_SENTENCES, WITH_NULL, trial_table

EXHIBIT = trial_table(
    "Table 3",
    "cepts and the intersection of both directions (en–fr), with links to NULL",
    OTHER_SENTENCES,
    {
        "intersection": (0.1543, 0.5639, 0.9004, 0.6935, 0.8114, 0.2890, 0.4262),
        "ONMF + AIC": (0.1863, 0.4288, 0.9512, 0.5911, 0.7517, 0.3720, 0.4977),
        "ONMF + BIC": (0.2078, 0.4017, 0.9601, 0.5665, 0.7220, 0.3849, 0.5021),
        "HLT-03 best": (0.1850, 0.7254, 0.8061, 0.7636, 0.7756, 0.3679, 0.4991),
    },
    WITH_NULL,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
