"""What the exhibits of Goutte, Yamada & Gaussier 2004 have in common: cepts from 100-best lists of an HMM aligner."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exhibit import Rows, remembered

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


def scored(data: Path, folder: str, gold: str, keys: Sequence[str]) -> Rows:
    """Measures of every method on one gold set."""
    scores = remembered(f"cepts-{folder}-{gold}", lambda: methods_scored(data / "alignment" / folder, gold))
    return {name: [scores[ours][key] for key in keys] for name, ours in ROWS.items()}


def methods_scored(folder: Path, gold: str) -> dict[str, Any]:
    """The scores of benchmarks/cepts.py without its speeds."""
    from cepts import quality

    aligner, part = trained(folder, gold)
    return quality(aligner, part, folder / described(folder, gold)["gold"])


def described(folder: Path, gold: str) -> dict[str, Any]:
    """Which lines of the bitext the gold links are of."""
    found: dict[str, Any] = json.loads((folder / "gold.json").read_text(encoding="utf-8"))[gold]
    return found


def trained(folder: Path, gold: str) -> tuple[Any, Any]:
    """An HMM that learned from the whole bitext, and the sentence pairs that have gold links."""
    from babelspace.alignment import Bitext, make_aligner
    from babelspace.corpus.readers.opening import numbered_lines

    sides = [[line.split() for _, line in numbered_lines(folder / f"{side}.txt.xz")] for side in ("source", "target")]
    where = described(folder, gold)
    part = slice(where["first_line"], where["end_line"])
    return make_aligner("hmm").fit(Bitext.of(*sides)), Bitext.of(sides[0][part], sides[1][part])
