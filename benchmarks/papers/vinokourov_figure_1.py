"""Vinokourov, Shawe-Taylor & Cristianini 2003, Figure 1: choosing κ from pairs that were shuffled."""

from __future__ import annotations

from pathlib import Path

from exhibit import Exhibit, Rows, benchmark, run
from hansard import DIFFERS


def work(data: Path, reduced: bool) -> Rows:
    result = benchmark(
        "hansard_kcca", data, ["--part", "long", "--chunks", "1"] if reduced else None, ["--part", "long"]
    )
    return {"κ": [result["long"]["kappa"]["best"]]}


EXHIBIT = Exhibit(
    paper="Vinokourov, Shawe-Taylor & Cristianini 2003",
    name="Figure 1",
    shows="distance of the spectrum from all ones against κ, for pairs and for shuffled pairs",
    corpus="hansard36: debates of the 36th Canadian parliament, English and French",
    differs=DIFFERS + " The paper reads κ off the figure; here it is where pairs and shuffled pairs differ most.",
    measures=("chosen",),
    published={"κ": (1.5,)},
    orders=[],
    work=work,
    plot="kappa.svg",
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
