"""Vinokourov, Shawe-Taylor & Cristianini 2003, Table 5: queries of five words, English to French."""

from __future__ import annotations

from benchmarks.papers.exhibit import run
from benchmarks.papers.hansard import table

EXHIBIT = table(
    "Table 5",
    "queries of five words, English to French, the mate comes first or among the first ten",
    {"queries en->fr top1": "", "queries en->fr top10": ", first ten"},
    {
        "CL-KCCA": [68, 75, 78, 79, 81],
        "CL-LSI": [30, 38, 42, 45, 49],
        "CL-KCCA, first ten": [94, 96, 97, 98, 98],
        "CL-LSI, first ten": [67, 75, 79, 81, 84],
    },
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
