"""Thesis on approximate training of multilingual LDA, Figure 15 and Table 6: variational inference, short documents."""

from __future__ import annotations

from benchmarks.papers.approximate_training import STANDARD, VARIATIONAL_LINES, figure, told
from benchmarks.papers.exhibit import run

EXHIBIT = figure(
    "Figure 15 and Table 6",
    "variational inference on short documents, standard and approximate",
    "short",
    VARIATIONAL_LINES,
    {STANDARD: (11.294, None, 491.4, None), told("approximate", 20): (11.352, 11.352 / 11.294, 304.09, 0.381)},
    [[told("approximate", 20), told("approximate", 1)]],
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
