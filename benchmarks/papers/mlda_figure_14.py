"""Thesis on approximate training of multilingual LDA, Figure 14 and Table 5: Gibbs sampling on tripled documents."""

from __future__ import annotations

from benchmarks.papers.approximate_training import GIBBS_LINES, STANDARD, figure, told
from benchmarks.papers.exhibit import run

EXHIBIT = figure(
    "Figure 14 and Table 5",
    "Gibbs sampling on tripled documents, standard and approximate; the thesis' line with GI is after 15 sweeps",
    "tripled",
    GIBBS_LINES,
    {
        STANDARD: (4.276, None, 694.80, None),
        told("with GI", 20): (4.349, 4.349 / 4.276, 355.15, 0.489),
        told("without GI", 20): (4.311, 4.311 / 4.276, None, None),
    },
    [[told("with GI", 1), told("without GI", 1)]],
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
