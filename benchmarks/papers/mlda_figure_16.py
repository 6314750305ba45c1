"""Thesis on approximate training of multilingual LDA, Figure 16 and Table 7: Gibbs sampling, English and Chinese."""

from __future__ import annotations

from benchmarks.papers.approximate_training import GIBBS_LINES, STANDARD, figure, told
from benchmarks.papers.exhibit import run

EXHIBIT = figure(
    "Figure 16 and Table 7",
    "Gibbs sampling on English and Chinese documents, standard and approximate; the thesis' lines end close together",
    "zh",
    GIBBS_LINES,
    {STANDARD: (None, None, 44368.5, None), told("with GI", 20): (None, None, 19446.2, 0.562)},
    [[told("with GI", 1), told("without GI", 1)]],
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
