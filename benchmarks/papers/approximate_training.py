"""What the exhibits of the thesis on approximate training have in common: rows of measure/topic_training.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.papers.exhibit import Exhibit, Figure, Rows, Source, remembered

PAPER = "Thesis on approximate training of multilingual LDA"
SCRIPT = "topic_training"
CORPORA = {
    "short": "europarl-7: speeches in English and German, cut to about 60 tokens",
    "tripled": "europarl-7: speeches in English and German, cut to about 60 tokens, each three times over",
    "zh": "mdn: pages of a documentation in English and Chinese, about 200 tokens",
}
DIFFERS = {
    "short": "The thesis has 9,000 pairs of German radio news (De-News), as long as these; there are 3,490 here.",
    "tripled": "The thesis has 9,000 pairs of German radio news (De-News), tripled; there are 3,490 pairs here.",
    "zh": "The thesis has 50,000 pairs of Wikipedia articles, of the same length; there are 5,337 pages here, closer "
    "to translations.",
}
GIBBS = (
    " Means over seeds, intervals of two standard deviations where there are several; the thesis has ten. It has 100 "
    "sweeps, ours go on to {sweeps}; the θ of a test document is one sample there, the mean of the last 10 of 20 here."
)
VARIATIONAL = (
    " Test documents are inferred by variational inference, in the thesis by sampling; means over starts, not the best "
    "of five."
)
SMALLER = (
    " Reduced: one seed, 50 sweeps or 16 steps instead of {sweeps} or {steps}. All lines are drawn under *Approximate "
    "training of multilingual LDA*. Seconds are of the processor, those of the thesis of its machine."
)
# Of each kind: our name of the method, of the runs, and the numbers of sweeps over the further language to tell.
Lines = Mapping[str, tuple[str, str, Sequence[int]]]
GIBBS_LINES: Lines = {
    "with GI": ("gibbs", "greedy", (1, 5, 20)),
    "without GI": ("gibbs", "anywhere", (1, 5, 10, 20)),
}
VARIATIONAL_LINES: Lines = {"approximate": ("variational", "approximate", (1, 5, 20))}
STANDARD = "standard"


def told(name: str, sweeps: int) -> str:
    """The row of a line after so many sweeps over the further language."""
    return f"{name}, {sweeps} sweep{'s' if sweeps > 1 else ''}"


def reduced_part(data: Path, part: str) -> dict[str, Any]:
    """One part of the benchmark, with fewer sweeps and one seed."""
    from benchmarks.measure.topic_training import PARTS, measured

    less = replace(PARTS[part], seeds=1, sweeps=(50,), steps=16)
    return remembered(f"{SCRIPT}-{part}", lambda: measured(less, data))


def rows_of(part: Mapping[str, Any], lines: Lines) -> Rows:
    """Gap, how many times the standard one it is, seconds, share of time saved, of standard training and each line."""
    method = next(iter(lines.values()))[0]
    standard = part[method][STANDARD][-1]
    rows: dict[str, Sequence[Figure | None]] = {STANDARD: [gap(standard), None, standard["seconds"], None]}
    for name, (_, kind, numbers) in lines.items():
        for run in part[method][kind]:
            if run["sweeps"] in numbers:
                loss, saved = run["gap"] / standard["gap"], 1 - run["seconds"] / standard["seconds"]
                rows[told(name, run["sweeps"])] = [gap(run), loss, run["seconds"], saved]
    return rows


def gap(run: Mapping[str, Any]) -> Figure:
    """The mean over seeds, with an interval where there are several."""
    import numpy as np

    value, several = run["gap"], run.get("gaps", ())
    if len(several) < 2:
        return float(value)
    spread = 2 * float(np.std(several, ddof=1))
    return {"value": value, "low": value - spread, "high": value + spread}


def figure(name: str, shows: str, part: str, lines: Lines, published: Rows, orders: Sequence[Sequence[str]]) -> Exhibit:
    """A figure of the thesis with its table of times."""
    method = next(iter(lines.values()))[0]
    sizes = {"short": (500, 70), "tripled": (500, 70), "zh": (300, 40)}[part]
    return Exhibit(
        paper=PAPER,
        name=name,
        shows=shows,
        corpus=CORPORA[part],
        differs=DIFFERS[part]
        + (GIBBS.format(sweeps=sizes[0]) if method == "gibbs" else VARIATIONAL)
        + SMALLER.format(sweeps=sizes[0], steps=sizes[1]),
        measures=("neighbour gap", "times the standard one", "seconds", "time saved"),
        published=published,
        orders=orders,
        work=lambda data, reduced: rows_of(reduced_part(data, part), lines),
        source=Source(SCRIPT, (part,), ("--part", part), lambda found: rows_of(found, lines)),
        lower_is_better=True,
    )
