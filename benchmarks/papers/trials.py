"""One test of a claim: two methods on the same queries, or two rows of an exhibit."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from babelspace.evaluation.significance import interval, randomisation_test
from benchmarks.papers.exhibit import LEVEL, Exhibit, Figure, numbers_behind, value_of, verdict as interval_verdict
from benchmarks.papers.experiments import EXPERIMENTS, numbers_of, stored
from benchmarks.papers.runs import Numbers

CONTRARY, REJECTED = "the other way round", "not confirmed"
# Two methods are alike where the 95 % interval of their difference stays within this.
MARGIN = 0.03
MEASURES: dict[str, tuple[str, Callable[[Numbers], Numbers]]] = {
    "top1": ("Top-1", lambda ranks: (ranks == 1).astype(np.float64)),
    "top10": ("Top-10", lambda ranks: (ranks <= 10).astype(np.float64)),
    "mrr": ("MRR", lambda ranks: 1 / ranks),
    "gap": ("documents before the mate", lambda ranks: 1 - ranks),
    "iterations": ("iterations", lambda counts: -counts),
    "precision": ("average precision", lambda shares: shares),
    "aer": ("AER", lambda scores: scores),
    "covered": ("words covered", lambda scores: scores),
    "proper": ("sentences with a proper alignment", lambda scores: scores),
}


@dataclass(frozen=True)
class Trial:
    """One experiment that tests a claim: is one method better than another, or as good?"""

    experiment: str
    better: str
    worse: str
    measure: str = "top1"
    group: str = ""
    alike: bool = False


@dataclass(frozen=True)
class Shown:
    """Two rows of an exhibit: compared query by query where it keeps these, by intervals, or as they are.

    `column` is the measure, `data` what it was measured on, `lower` that less is better.
    """

    exhibit: str
    better: str
    worse: str
    data: str
    column: int = 0
    lower: bool = False
    alike: bool = False


@dataclass(frozen=True)
class Outcome:
    """Both figures, p of the paired test (None where there is none) and the verdict."""

    ours: str
    p: float | None
    verdict: str


def judge(better: Numbers, worse: Numbers, alike: bool = False, name: str = "") -> Outcome:
    """A paired randomisation test on the same queries; alike: the interval of the difference is narrow."""
    p = randomisation_test(better, worse, seed=0)
    difference = float(better.mean() - worse.mean())
    told = [f"{100 * (1 - side.mean()):.2f} %" if name == "AER" else shown(side.mean()) for side in (better, worse)]
    ours = " ".join(filter(None, [name, " against ".join(told)]))
    if alike:
        low, high = interval(better - worse, seed=0)
        return Outcome(ours, p, "confirmed" if max(-low, high) <= MARGIN else "not confirmed")
    if p >= LEVEL or difference == 0:
        return Outcome(ours, p, "within chance")
    return Outcome(ours, p, "confirmed" if difference > 0 else CONTRARY)


def shown(value: float) -> str:
    """Shares as papers print them; a gap is a plain number."""
    return f"{-value:.3g}" if value < 0 else f"{value:.3f}".lstrip("0") if value < 1 else "1"


def outcome(trial: Trial | Shown) -> Outcome | None:
    """What came out, if it was run with both methods; of several seeds the mean of each query."""
    if isinstance(trial, Shown):
        return from_exhibit(trial)
    result = stored(trial.experiment)
    if result is None or not {trial.better, trial.worse} <= set(result["numbers"]):
        return None
    name, measured = MEASURES[trial.measure]
    sides = [measured(numbers_of(result, row, trial.group)) for row in (trial.better, trial.worse)]
    if "seeds" in result:  # runs of one query are no queries of their own
        sides = [side.reshape(result["seeds"], -1).mean(axis=0) for side in sides]
    return judge(sides[0], sides[1], trial.alike, name)


def from_exhibit(trial: Shown) -> Outcome | None:
    """The verdict of an exhibit's figures; two are alike if they differ by at most the margin, in proportion."""
    from benchmarks.report.papers import result_of

    found, exhibit = result_of(trial.exhibit), exhibit_of(trial)
    if found is None or not {trial.better, trial.worse} <= set(found.rows):
        return None
    figures = [found.rows[row][trial.column] for row in (trial.better, trial.worse)]
    values = [float(value_of(figure) or 0) for figure in figures]
    told = " against ".join(
        shown(value) if value < 1 else f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in values
    )
    verdict = interval_verdict(figures[0], figures[1], trial.lower)
    if trial.alike:
        verdict = "confirmed" if abs(values[0] - values[1]) <= MARGIN * values[1] else "not confirmed"
    measure = exhibit.measures[trial.column]
    name = "" if measure == "figure" or measure in trial.data else f"{measure} "
    return Outcome(name + told, paired_p(*figures), CONTRARY if verdict == REJECTED else verdict)


def paired_p(better: Figure, worse: Figure) -> float | None:
    """p of the paired test on what is behind two figures, if that was kept of both."""
    ours, theirs = numbers_behind(better), numbers_behind(worse)
    return None if ours is None or theirs is None else randomisation_test(ours, theirs, seed=0)


def exhibit_of(trial: Shown) -> Exhibit:
    found: Exhibit = importlib.import_module(f"benchmarks.papers.{trial.exhibit}").EXHIBIT
    return found


def described(trial: Trial | Shown) -> str:
    """The documents of a trial, and by how many seeds where there are several."""
    if isinstance(trial, Shown):
        return f"{trial.data} (*{exhibit_of(trial).name}*)"
    result, group = stored(trial.experiment), f", `{trial.group}:` alone" if trial.group else ""
    seeds = f", {result['seeds']} seeds" if result is not None and "seeds" in result else ""
    return EXPERIMENTS[trial.experiment].corpus + seeds + group


def chance(p: float | None) -> str:
    """A p-value in three digits."""
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 1 else "1"
