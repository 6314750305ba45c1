"""Vinokourov, Shawe-Taylor & Cristianini 2003, Table 4: queries of five words."""

from __future__ import annotations

from exhibit import run
from hansard import table

EXHIBIT = table(
    "Table 4",
    "queries of five words, English to English, the document comes first",
    "queries en->en top1",
    [60, 63, 70, 71, 73],
    [53, 60, 64, 66, 70],
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
