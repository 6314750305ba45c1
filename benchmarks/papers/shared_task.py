"""What the exhibits of Goutte, Yamada & Gaussier 2004 have in common: cepts from 100-best lists of an HMM aligner."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exhibit import Rows, benchmark

PAPER = "Goutte, Yamada & Gaussier 2004"
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
    """Measures of every method on one gold set; the whole bitext is small enough for the reduced run."""
    result: Any = benchmark("cepts", data, ["--folders", folder])
    scores = result["bitexts"][folder]["hmm"]["scores"][gold]
    return {name: [scores[ours][key] for key in keys] for name, ours in ROWS.items()}
