"""What the exhibits of Goutte, Yamada & Gaussier 2004 have in common: cepts from the fertility model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.papers.exhibit import Exhibit, Rows, remembered
from benchmarks.papers.trials import Trial

PAPER = "Goutte, Yamada & Gaussier 2004"
HANSARD = "hansard-en-fr-50k"
ROWS = {
    "ONMF + AIC": "ONMF+AIC, 100-best",
    "ONMF + BIC": "ONMF+BIC, 100-best",
    "intersection": "intersection",
    "union": "union",
    "grow-diag-final-and": "grow-diag-final-and",
    "posterior ≥ .5": "posterior 0.5",
    "ONMF + AIC on agreement": "ONMF+AIC, agreement",
}


# Of other systems; theirs are not built here.
BEST = ("HLT-03 best", "HLT-03 best F", "HLT-03 best AER")
MEASURES = {
    "aer": "AER",
    "precision_sure": "P sure",
    "recall_sure": "R sure",
    "f_sure": "F sure",
    "precision_probable": "P probable",
    "recall_probable": "R probable",
    "f_probable": "F probable",
}
WITH_NULL = {f"{key}_with_null": label for key, label in MEASURES.items()}
OTHER_SENTENCES = (
    "The paper's figures are of its 447 test sentences, whose gold links are not at hand; ours are of the 37 trial "
    "sentences, so only the order can be compared. The aligner behind it is the fertility model, of the class of IBM "
    "4. Words link to NULL where their own direction says so. *HLT-03 best* are other systems of that workshop."
)


def trial_table(
    name: str, shows: str, differs: str, published: Rows, measures: Mapping[str, str] = MEASURES
) -> Exhibit:
    """A table of the paper on the 37 trial sentences; its rows stand in the paper's order, BEST apart."""
    ours = [row for row in published if row not in BEST]
    return Exhibit(
        paper=PAPER,
        name=name,
        shows=shows,
        corpus=f"{HANSARD} and the trial sentences of the shared task of 2003",
        differs=differs,
        measures=tuple(measures.values()),
        published=published,
        orders=[ours],
        work=lambda data, reduced: scored(data, HANSARD, "wpt03_enfr_trial37", list(measures)),
        one_size=True,
        lower_is_better=True,
        tested=paired("cepts", ours, " with NULL" if measures is WITH_NULL else ""),
    )


def paired(experiment: str, rows: Sequence[str], null: str = "") -> dict[str, Trial]:
    """Neighbours of a table, compared sentence by sentence."""
    return {
        f"{one} > {two}": Trial(experiment, f"{one}, AER{null}", f"{two}, AER{null}", "aer")
        for one, two in pairwise(rows)
    }


def scored(data: Path, folder: str, gold: str, keys: Sequence[str]) -> Rows:
    """Measures of every method on one gold set."""
    scores = remembered(f"cepts-{folder}-{gold}", lambda: methods_scored(data / "alignment" / folder, gold))
    return {name: [scores[ours][key] for key in keys] for name, ours in ROWS.items()}


def methods_scored(folder: Path, gold: str) -> dict[str, Any]:
    """The scores of benchmarks/measure/cepts.py without its speeds."""
    from benchmarks.measure.cepts import quality

    aligner, part = trained(folder, gold)
    return quality(aligner, part, folder / described(folder, gold)["gold"], null="made")


def described(folder: Path, gold: str) -> dict[str, Any]:
    """Which lines of the bitext the gold links are of."""
    found: dict[str, Any] = json.loads((folder / "gold.json").read_text(encoding="utf-8"))[gold]
    return found


def trained(folder: Path, gold: str) -> tuple[Any, Any]:
    """The fertility model (of the class of IBM 4) of the whole bitext, and the sentence pairs that have gold links."""
    from babelspace import Bitext, make_aligner
    from babelspace.corpus.readers.opening import numbered_lines

    sides = [[line.split() for _, line in numbered_lines(folder / f"{side}.txt.xz")] for side in ("source", "target")]
    where = described(folder, gold)
    part = slice(where["first_line"], where["end_line"])
    return make_aligner("fertility", backoff=0.0).fit(Bitext.of(*sides)), Bitext.of(sides[0][part], sides[1][part])
