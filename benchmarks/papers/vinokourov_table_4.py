"""Vinokourov, Shawe-Taylor & Cristianini 2003, Table 4: queries of five words, English to English."""

from __future__ import annotations

from benchmarks.papers.exhibit import run
from benchmarks.papers.hansard import table

EXHIBIT = table(
    "Table 4",
    "queries of five words, English to English, the document comes first or among the first ten",
    {"queries en->en top1": "", "queries en->en top10": ", first ten"},
    {
        "CL-KCCA": [60, 63, 70, 71, 73],
        "CL-LSI": [53, 60, 64, 66, 70],
        "CL-KCCA, first ten": [90, 93, 94, 95, 95],
        "CL-LSI, first ten": [82, 86, 88, 89, 91],
    },
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
