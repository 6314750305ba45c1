"""Vinokourov, Shawe-Taylor & Cristianini 2003, Table 5: queries of five words."""

from __future__ import annotations

from exhibit import run
from hansard import table

EXHIBIT = table(
    "Table 5",
    "queries of five words, English to French, the mate comes first",
    "queries en->fr top1",
    [68, 75, 78, 79, 81],
    [30, 38, 42, 45, 49],
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
