"""Thesis on approximate training of multilingual LDA, Figure 12: Gibbs sampling on short documents."""

from __future__ import annotations

from benchmarks.papers.approximate_training import GIBBS_LINES, STANDARD, figure, told
from benchmarks.papers.exhibit import run

EXHIBIT = figure(
    "Figure 12",
    "Gibbs sampling on short documents, standard and approximate, with and without Greedy Initialisation (GI)",
    "short",
    GIBBS_LINES,
    {
        STANDARD: (10.087, None, None, None),
        told("with GI", 5): (12.110, 12.110 / 10.087, None, None),
        told("without GI", 10): (11.879, 11.879 / 10.087, None, None),
    },
    [
        [STANDARD, told("with GI", 20)],
        [told("with GI", 1), told("without GI", 1)],
        [told("with GI", 5), told("without GI", 5)],
    ],
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
