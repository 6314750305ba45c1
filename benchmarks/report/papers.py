"""docs/results/papers.md, which sets the papers' figures beside ours, from benchmarks/results/."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import benchmarks.papers
from benchmarks.common import PLOTS, RESULTS

PAPERS = ("platt", "goutte", "mlda", "mccrae", "vinokourov")
FOLDER = Path(benchmarks.papers.__file__).parent


def names() -> list[str]:
    """The files that hold an exhibit, paper by paper."""
    return [file.stem for paper in PAPERS for file in sorted(FOLDER.glob(f"{paper}_*.py"))]


def section() -> str:
    """Every exhibit that has been run, and where each part of the papers is measured or tested."""
    from benchmarks.papers.coverage import table

    results = {name: found for name in names() if (found := result_of(name)) is not None}
    return "\n".join([INTRODUCTION, _summary(results), *(_shown(*item) for item in results.items()), table()])


INTRODUCTION = """## The papers' tables and figures
Published figures beside ours, each by one command (`make papers DATA=…` runs all of them at a reduced size). *A > B*:
A is better than B in the paper, by the first measure; here that is *confirmed*, *not confirmed*, or *within chance*,
by a paired test on the same queries (draws, sentences) where these were kept (p < .05), else where intervals overlap.
Other figures without an interval (single runs) are compared as they are: a small difference between two of them says
little. Where a
paper says that two rows are alike, that is not counted here: the figures stand side by side.
"""


@dataclass(frozen=True)
class Found:
    """Our rows, what they say about the paper's order, and how they are made again."""

    rows: Mapping[str, Any]
    verdicts: Mapping[str, str]
    command: str
    reduced: bool = False


def result_of(name: str) -> Found | None:
    """At full size if there is one: of the exhibit itself, or of the benchmark that it is; else the reduced one."""
    from benchmarks.papers.exhibit import verdicts

    exhibit = importlib.import_module(f"benchmarks.papers.{name}").EXHIBIT
    rows = exhibit.source.stored() if exhibit.source is not None else None
    if rows is not None:
        return Found(rows, _tested(exhibit, verdicts(exhibit, rows)), exhibit.source.command)
    for size, option in (("full", ""), ("reduced", " --reduced")):
        path = RESULTS / "papers" / size / f"{name}.json"
        if path.is_file():
            kept = json.loads(path.read_text(encoding="utf-8"))
            command = f"python -m benchmarks.papers.{name} --data DATA{option}"
            return Found(kept["rows"], _tested(exhibit, kept["verdicts"]), command, size == "reduced")
    return None


def _tested(exhibit: Any, verdicts: Mapping[str, str]) -> dict[str, str]:
    """Verdicts with those of paired tests in place of comparisons of two figures."""
    from benchmarks.papers.trials import CONTRARY, outcome

    found = {pair: outcome(trial) for pair, trial in exhibit.tested.items()}
    told = {pair: one.verdict for pair, one in found.items() if one is not None}
    return {**verdicts, **{pair: "not confirmed" if one == CONTRARY else one for pair, one in told.items()}}


VERDICTS = ("confirmed", "within chance", "not confirmed")


def _summary(results: Mapping[str, Found]) -> str:
    """How many relations of each paper were confirmed."""
    counts: dict[str, Counter[str]] = {}
    for name, found in results.items():
        paper = importlib.import_module(f"benchmarks.papers.{name}").EXHIBIT.paper
        counts.setdefault(paper, Counter()).update(found.verdicts.values())
    lines = ["| relations of | " + " | ".join(VERDICTS) + " |", "|---" + "|--:" * len(VERDICTS) + "|"]
    lines += [f"| {paper} | " + " | ".join(str(told[one]) for one in VERDICTS) + " |" for paper, told in counts.items()]
    return "\n".join([*lines, ""])


def _shown(name: str, found: Found) -> str:
    from benchmarks.papers.exhibit import plot_name

    exhibit = importlib.import_module(f"benchmarks.papers.{name}").EXHIBIT
    picture = plot_name(exhibit.plot, found.reduced) if exhibit.plot else ""
    plot = f"\n![{exhibit.shows}](../plots/{picture})\n" if picture and (PLOTS / picture).is_file() else ""
    orders = "\n".join(f"- {pair}: {verdict}" for pair, verdict in found.verdicts.items())
    return f"""## {exhibit.title}
On {exhibit.corpus}. {exhibit.differs}{" These are the reduced figures." if found.reduced else ""}

```
{found.command}
```

{_table(exhibit, found.rows)}
{chr(10) + orders + chr(10) if orders else ""}{plot}"""


def _table(exhibit: Any, rows: Mapping[str, Any]) -> str:
    """A column of the paper and one of ours for each measure; no column where the paper has nothing at all."""
    sides = [(place, side) for place in range(len(exhibit.measures)) for side in _sides(exhibit, place)]
    header = ["", *(exhibit.measures[place] + (" (paper)" if side == "paper" else "") for place, side in sides)]
    lines = [header, ["---", *["--:"] * len(sides)]]
    for name in [*exhibit.published, *(name for name in rows if name not in exhibit.published)]:
        figures = {"paper": exhibit.published.get(name), "ours": rows.get(name)}
        lines.append([name, *(_told(figures[side], place) for place, side in sides)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _sides(exhibit: Any, place: int) -> list[str]:
    printed = any(figures[place] is not None for figures in exhibit.published.values())
    return ["paper", "ours"] if printed else ["ours"]


def _told(figures: Any, place: int) -> str:
    """A figure, with its interval where there is one."""
    if figures is None or figures[place] is None:
        return "–"
    figure = figures[place]
    if isinstance(figure, Mapping):
        return f"{_number(figure['value'])} ({_number(figure['low'])}–{_number(figure['high'])})"
    return _number(figure)


def _number(value: float) -> str:
    """Shares as papers print them, other numbers with at least three digits."""
    if 0.001 <= abs(value) < 1:
        return f"{value:.3f}".replace("0.", ".", 1)
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
