"""Goutte, Yamada & Gaussier 2004, Table 4: cepts on 248 Romanian and English sentences."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.shared_task import PAPER, paired, scored

MEASURES = {"aer": "AER", "precision_sure": "P sure", "recall_sure": "R sure", "f_sure": "F sure"}
WITH_NULL = {f"{key}_with_null": f"{label} with NULL" for key, label in MEASURES.items()}


def work(data: Path, reduced: bool) -> Rows:
    return scored(data, "en-ro", "wpt03_roen_test248", [*MEASURES, *WITH_NULL])


EXHIBIT = Exhibit(
    paper=PAPER,
    name="Table 4",
    shows="cepts on 248 sentences (ro–en)",
    corpus="en-ro: the shared task's small bitext with its 248 test sentences",
    differs="The aligner behind it is the fertility model, learned from 16,721 pairs of sentences; the paper has "
    "IBM 4. Words link to NULL where their own direction says so. *HLT-03 best* is another system of that workshop.",
    measures=(*MEASURES.values(), *WITH_NULL.values()),
    published={
        "ONMF + AIC": (0.3215, 0.7034, 0.6554, 0.6785, 0.3762, 0.6265, 0.6210, 0.6238),
        "ONMF + BIC": (0.3877, 0.5588, 0.6770, 0.6123, 0.4273, 0.5178, 0.6407, 0.5727),
        "HLT-03 best": (0.2886, 0.8265, 0.6244, 0.7114, 0.3460, 0.8265, 0.5411, 0.6540),
    },
    orders=[["ONMF + AIC", "ONMF + BIC"]],
    work=work,
    one_size=True,
    lower_is_better=True,
    tested=paired("cepts-ro", ("ONMF + AIC", "ONMF + BIC")),
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
