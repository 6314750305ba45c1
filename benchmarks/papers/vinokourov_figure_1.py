"""Vinokourov, Shawe-Taylor & Cristianini 2003, Figure 1: choosing κ from pairs that were shuffled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.papers.exhibit import Exhibit, Rows, Source, run
from benchmarks.papers.hansard import CORPUS, DIFFERS, PAPER, PART, SCRIPT, reduced_result

COUNTS, SCALED = "κ of a kernel of counts", "κ of a kernel with a mean diagonal of one"


def rows(result: Mapping[str, Any]) -> Rows:
    kappa = result["kappa"]
    return {COUNTS: [kappa["best"]], SCALED: [kappa["best_in_our_unit"]]}


EXHIBIT = Exhibit(
    paper=PAPER,
    name="Figure 1",
    shows="distance of the spectrum from all ones against κ, for pairs and for shuffled pairs",
    corpus=CORPUS,
    differs=DIFFERS + " The paper reads κ off the figure, between 1 and 2, and does not say how its kernel is scaled; "
    "here it is where pairs and shuffled pairs differ most, on the first split. By that rule the paper's figure is one "
    "of a scaled kernel; mates and queries are found better with a smaller κ, as that of Tables 2 to 5, 1.5 of "
    "counts.",
    measures=("chosen",),
    published={COUNTS: (1.5,), SCALED: (1.5,)},
    orders=[],
    work=lambda data, reduced: rows(reduced_result(data)),
    source=Source(SCRIPT, (PART,), ("--part", PART), rows),
    plot="kappa.svg",
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
