"""The part of docs/results.md that sets the papers' figures beside ours, from benchmarks/results/papers/."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results" / "papers"
PAPERS = ("platt", "goutte", "mlda", "mccrae", "vinokourov")
sys.path.insert(0, str(HERE))


def names() -> list[str]:
    """The files that hold an exhibit, paper by paper."""
    return [file.stem for paper in PAPERS for file in sorted(HERE.glob(f"{paper}_*.py"))]


def section() -> str:
    """Every exhibit that has been run."""
    run = [name for name in names() if (RESULTS / f"{name}.json").is_file()]
    return "\n".join([INTRODUCTION, *map(_exhibit, run)]) if run else ""


INTRODUCTION = """## The papers' tables and figures
Published figures beside ours, each by one command (`make papers DATA=…` runs all of them at a reduced size). Of each
pair of rows that follow one another in the paper: *confirmed*, *not confirmed*, or *within chance* where intervals
overlap (error rates of alignment have none).
"""


def _exhibit(name: str) -> str:
    exhibit = importlib.import_module(name).EXHIBIT
    result = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    reduced = " --reduced" if result["size"] == "reduced" else ""
    found = [f"- {pair}: {verdict}" for pair, verdict in result["verdicts"].items()]
    plot = f"\n![{exhibit.shows}](plots/{exhibit.plot})\n" if exhibit.plot and _drawn(exhibit.plot) else ""
    return f"""### {exhibit.title}
{exhibit.corpus[0].upper()}{exhibit.corpus[1:]}. What differs: {exhibit.differs}

```
python benchmarks/papers/{name}.py --data DATA{reduced}
```

{_table(exhibit, result["rows"])}

{chr(10).join(found)}
{plot}"""


def _drawn(plot: str) -> bool:
    return (HERE.parents[1] / "docs" / "plots" / plot).is_file()


def _table(exhibit: Any, rows: Mapping[str, Any]) -> str:
    header = ["", *(f"{measure}{side}" for measure in exhibit.measures for side in (" (paper)", ""))]
    lines = [header, ["---", *["--:"] * (len(header) - 1)]]
    for name in [*exhibit.published, *(name for name in rows if name not in exhibit.published)]:
        cells = [name]
        for place in range(len(exhibit.measures)):
            cells += [_told(exhibit.published.get(name), place), _told(rows.get(name), place)]
        lines.append(cells)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _told(figures: Any, place: int) -> str:
    """A figure, with its interval where there is one."""
    if figures is None or figures[place] is None:
        return "–"
    figure = figures[place]
    if isinstance(figure, Mapping):
        return f"{_number(figure['value'])} ({_number(figure['low'])}–{_number(figure['high'])})"
    return _number(figure)


def _number(value: float) -> str:
    """Shares as papers print them, other numbers with three digits."""
    return f"{value:.3f}".lstrip("0") if 0 <= value < 1 else f"{value:.4g}"
