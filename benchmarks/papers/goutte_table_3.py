"""Goutte, Yamada & Gaussier 2004, Table 3: cepts and the intersection, with NULL."""

from __future__ import annotations

from pathlib import Path

from exhibit import Exhibit, Rows, run
from goutte_table_2 import DIFFERS
from shared_task import HANSARD, PAPER, scored


def work(data: Path, reduced: bool) -> Rows:
    return scored(data, HANSARD, "wpt03_enfr_trial37", ("aer_with_null",))


EXHIBIT = Exhibit(
    paper=PAPER,
    name="Table 3",
    shows="cepts and the intersection of both directions (en–fr), with links to NULL",
    corpus=f"{HANSARD} and the trial sentences of the shared task of 2003",
    differs=DIFFERS,
    measures=("AER",),
    published={"intersection": (0.1543,), "ONMF + AIC": (0.1863,), "ONMF + BIC": (0.2078,)},
    orders=[["intersection", "ONMF + AIC", "ONMF + BIC"]],
    work=work,
    one_size=True,
    lower_is_better=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
