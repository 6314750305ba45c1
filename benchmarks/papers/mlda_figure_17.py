"""Thesis on approximate training of multilingual LDA, Figure 17 and Table 8: variational inference, en and zh."""

from __future__ import annotations

from benchmarks.papers.approximate_training import STANDARD, VARIATIONAL_LINES, figure, told
from benchmarks.papers.exhibit import run

EXHIBIT = figure(
    "Figure 17 and Table 8",
    "variational inference on English and Chinese documents, standard and approximate",
    "zh",
    VARIATIONAL_LINES,
    {STANDARD: (204.69, None, 37652.9, None), told("approximate", 20): (283.43, 283.43 / 204.69, 23570.1, 0.374)},
    [[STANDARD, told("approximate", 20), told("approximate", 1)]],
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
