"""Goutte, Yamada & Gaussier 2004, Table 4: cepts on 248 Romanian and English sentences."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.shared_task import PAPER, scored


def work(data: Path, reduced: bool) -> Rows:
    return scored(data, "en-ro", "wpt03_roen_test248", ("aer", "precision_sure", "recall_sure", "aer_with_null"))


EXHIBIT = Exhibit(
    paper=PAPER,
    name="Table 4",
    shows="cepts on 248 sentences (ro–en)",
    corpus="en-ro: the shared task's small bitext with its 248 test sentences",
    differs="The aligner behind it is an HMM learned from 16,721 pairs of sentences.",
    measures=("AER", "P sure", "R sure", "AER with NULL"),
    published={
        "ONMF + AIC": (0.3215, 0.7034, 0.6554, 0.3762),
        "ONMF + BIC": (0.3877, 0.5588, 0.6770, 0.4273),
    },
    orders=[["ONMF + AIC", "ONMF + BIC"]],
    work=work,
    one_size=True,
    lower_is_better=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
