"""Vinokourov, Shawe-Taylor & Cristianini 2003, Table 3: English to French, average precision over recalls .1 to .9."""

from __future__ import annotations

from benchmarks.papers.exhibit import run
from benchmarks.papers.hansard import table

EXHIBIT = table(
    "Table 3",
    "English to French, average precision over recalls .1 to .9",
    {"average_precision": ""},
    {"CL-KCCA": [91, 91, 91, 91, 87], "CL-LSI": [73, 78, 80, 82, 82]},
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
