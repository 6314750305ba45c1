"""Vinokourov, Shawe-Taylor & Cristianini 2003, Table 2: English to French, the mate comes first."""

from __future__ import annotations

from benchmarks.papers.exhibit import run
from benchmarks.papers.hansard import table

EXHIBIT = table(
    "Table 2",
    "English to French, the mate comes first",
    {"top1": ""},
    {"CL-KCCA": [98, 99, 99, 99, 99], "CL-LSI": [84, 91, 93, 95, 97]},
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
