"""Audits: some pairs for a person to judge, and what the verdicts say about all of them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from babelspace.errors import CorpusError
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.runtime.results import Result
from babelspace.runtime.seeds import generator

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
# Verdicts by source and target id: whether the pair is right.
Verdicts = Mapping[tuple[str, str], bool]
# Probabilities of 0 and 1 have no odds.
CERTAIN = 1e-4
DRAWS = 1_000
# Log odds that differ by less are alike.
ALIKE = 0.2
YES, NO = frozenset({"1", "y", "yes", "right", "true"}), frozenset({"0", "n", "no", "wrong", "false"})


@dataclass(frozen=True)
class Audit(Result):
    """Pairs to judge: half of them near the cut, half at random from those that were kept.

    Write 1 (right) or 0 (wrong) into `verdict`, and give them to `match` as `verdicts`. Texts are there once read.
    """

    source: list[str]
    target: list[str]
    probability: Floats
    kept: list[bool]
    source_text: list[str] | None = None
    target_text: list[str] | None = None

    def columns(self) -> dict[str, Any]:
        """Named columns; `verdict` is empty."""
        texts = {"source_text": self.source_text, "target_text": self.target_text}
        return {
            "source": self.source,
            "target": self.target,
            "probability": self.probability,
            "kept": self.kept,
            "verdict": [""] * len(self.source),
            **{name: values for name, values in texts.items() if values is not None},
        }


@dataclass(frozen=True)
class Recalibration:
    """What verdicts did to the probabilities: log odds moved by `shift` and stretched by `slope`, with covariance."""

    shift: float
    slope: float
    covariance: Floats

    def probability(self, probability: Floats) -> Floats:
        """Probabilities as the verdicts would have them."""
        return np.asarray(expit(self.shift + self.slope * _odds(probability)), np.float64)

    def precision_interval(
        self, probability: Floats, known: Floats, level: float = 0.95, seed: int = 0
    ) -> tuple[float, float]:
        """Between which shares of pairs are right, given their probabilities before the verdicts.

        `known` has 1 for pairs judged right, 0 for wrong, NaN for those that nobody has judged.
        """
        rng = generator(seed)
        shift, slope = rng.multivariate_normal([self.shift, self.slope], self.covariance, DRAWS).T
        odds, counts = _grouped(_odds(probability[np.isnan(known)]))
        right = rng.binomial(counts, expit(shift[:, None] + slope[:, None] * odds)).sum(axis=1)
        shares = (right + np.count_nonzero(known == 1)) / len(known)
        low, high = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)


def audit_places(probability: Floats, kept: Numbers, count: int, seed: int = 0) -> Numbers:
    """Places of pairs to judge: half around the least probable one that is kept, the others at random among the kept.

    Where nothing is kept, half are the most probable.
    """
    count = min(count, len(probability))
    order = np.argsort(-probability, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    near = order[np.argsort(np.abs(np.arange(len(order)) - (len(kept) - 0.5)), kind="stable")][: -(-count // 2)]
    others = np.setdiff1d(kept if len(kept) else np.arange(len(order)), near)
    rest = np.setdiff1d(np.arange(len(order)), np.concatenate([near, others]))
    rng = generator(seed)
    others = np.concatenate([rng.permutation(others), rng.permutation(rest)])[: count - len(near)]
    chosen = np.concatenate([near, others])
    return chosen[np.argsort(rank[chosen])]


def recalibrate(probability: Floats, right: Floats) -> Recalibration:
    """The most probable shift and slope of log odds given verdicts (1 right, 0 wrong), by Fisher scoring.

    Platt (1999), with normal priors around no change, so that a few verdicts change little, and with a chance that a
    verdict is a slip: one wrong verdict on a pair that was all but certain does not overturn all others.
    """
    odds = _odds(probability)
    design = np.column_stack([np.ones(len(odds)), odds])
    home, slip = np.array([0.0, 1.0]), SETTINGS.verdict_slip
    precision = np.diag([1 / SETTINGS.verdict_shift**2, 1 / SETTINGS.verdict_slope**2])
    weights = home.copy()
    information = precision
    for _ in range(200):
        chance = expit(design @ weights)
        told = slip + (1 - 2 * slip) * chance
        steepness = (1 - 2 * slip) * chance * (1 - chance)
        slope = design.T @ (steepness * (right - told) / (told * (1 - told))) - precision @ (weights - home)
        information = (design * (steepness**2 / (told * (1 - told)))[:, None]).T @ design + precision
        step = np.linalg.solve(information, slope)
        weights = weights + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    return Recalibration(float(weights[0]), float(weights[1]), np.linalg.inv(information))


def read_verdicts(path: str | Path) -> dict[tuple[str, str], bool]:
    """The judged rows of a TSV file with the columns source, target and verdict (1 or 0, empty: not judged)."""
    verdicts = {}
    with Path(path).open(encoding="utf-8-sig", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        missing = {"source", "target", "verdict"} - set(rows.fieldnames or ())
        if missing:
            raise CorpusError(
                f"{path}: no column {', '.join(sorted(missing))}", hint="give the file that an audit wrote, filled in"
            )
        for number, row in enumerate(rows, 2):
            told = (row["verdict"] or "").strip().casefold()
            if told and told not in YES | NO:
                raise CorpusError(
                    f"{path}, line {number}: verdict {row['verdict']!r}", hint="write 1 (right), 0 (wrong) or nothing"
                )
            if told:
                verdicts[row["source"], row["target"]] = told in YES
    if not verdicts:
        raise CorpusError(f"{path}: no pair is judged", hint="write 1 (right) or 0 (wrong) into the column verdict")
    return verdicts


def _grouped(odds: Floats) -> tuple[Floats, Numbers]:
    """Log odds that hardly differ as one: their mean, and how many there are. Pairs may be very many."""
    _, group, counts = np.unique(np.round(odds / ALIKE), return_inverse=True, return_counts=True)
    return np.bincount(group, odds) / counts, counts


def _odds(probability: Floats) -> Floats:
    return np.asarray(logit(np.clip(probability, CERTAIN, 1 - CERTAIN)), np.float64)
