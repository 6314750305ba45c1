"""The tables of `babelspace compare`: run them, and show them with their commands."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babelspace.evaluation.comparison.measuring import rejected
from benchmarks.common import RESULTS, commit, comparison
from benchmarks.report.catalogue import TABLES
from benchmarks.report.chart_data import dimensions
from benchmarks.report.sections import number, stored


def run(name: str, data: Path) -> None:
    """Run one comparison and keep its result."""
    from babelspace.reports.page import machine

    told = comparison(TABLES[name].arguments, data)
    about = {**machine(), "commit": commit(), "date": datetime.now(UTC).strftime("%Y-%m-%d")}
    result = {"about": about, "arguments": TABLES[name].arguments, "comparison": told}
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def row_of(row: dict[str, Any]) -> str:
    mean, low_high = row["test"]["mean"], row["interval"]["top1"]
    queries = row.get("queries", {}).get("mean")
    settings = [row["vectorizer"], *(f"{name} {setting(value)}" for name, value in row["parameters"].items())]
    settings += [row["correction"]] if row["correction"] != "none" else []
    settings += [f"{row['dropped']:,} dropped"] if row.get("dropped") else []
    name = " ".join([row["space"], *(f"{key} {setting(value)}" for key, value in row.get("by", {}).items())])
    cells = [
        f"**{name}**" if row["best"] else name,
        ", ".join(settings),
        "–" if row["dimension"] is None else str(row["dimension"]),
        number(mean["top1"]),
        f"{number(low_high[0])}–{number(low_high[1])}",
        chance(row["p"]) if "p" in row else "–",
        *(number(mean[name]) for name in ("top5", "top10", "mrr")),
        f"{mean['gap']:.2f}",
        *(number(queries[name]) if queries else "–" for name in ("top1", "top10")),
        f"{row['seconds']['fit']:.1f}",
        f"{row['seconds']['cpu']:.1f}" if "cpu" in row["seconds"] else "–",
        "–" if row["peak_mb"] is None else f"{row['peak_mb']:.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


def marked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose mark says something: a best set that holds all of them does not, nor one against its own test."""
    rows = [{**row, "best": row["best"] and not rejected(row.get("p"))} for row in rows]
    return [{**row, "best": False} for row in rows] if all(row["best"] for row in rows) else rows


def chance(p: float | None) -> str:
    """A p-value in three digits; the best row has none."""
    return "best" if p is None else "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0")


def setting(value: Any) -> str:
    """A parameter's value in few characters."""
    return f"{value:g}" if isinstance(value, float) else str(value)


COLUMNS = (
    "space, chosen on dev, dim, Top-1, 95 %, p, Top-5, Top-10, MRR, gap, "
    "5 words Top-1, 5 words Top-10, fit s, CPU s, MB"
)
HEADER = "| " + COLUMNS.replace(", ", " | ") + " |\n|---|---|" + "--:|" * (COLUMNS.count(",") - 1)


def section(name: str) -> str:
    """One table with its command, from its result file."""
    table = TABLES[name]
    result = stored(name)
    told = result["comparison"]
    sizes = ", ".join(f"{part} {count:,}" for part, count in told["corpus"]["rows"].items())
    plot = f"\n![MRR on dev against dimension](../plots/{name}.svg)\n" if dimensions(name) else ""
    about = result["about"]
    return f"""## {table.title}
{table.text} Rows: {sizes}.

```
babelspace compare {result["arguments"]}
```

{HEADER}
{chr(10).join(map(row_of, marked(told["rows"])))}

babelspace {about["babelspace"]}, commit {about["commit"]}, {about["date"]}, {about["machine"]}.
{plot}"""


def summary() -> str:
    """The README's table: Top-1 of every space on every corpus."""
    spaces = [row["space"] for row in stored("europarl")["comparison"]["rows"]]
    lines = ["| corpus | " + " | ".join(spaces) + " |", "|---" + "|--:" * len(spaces) + "|"]
    for name, table in TABLES.items():
        if not table.headline:
            continue
        cells = []
        for row in marked(stored(name)["comparison"]["rows"]):
            figure = number(row["test"]["mean"]["top1"])
            cells.append(f"**{figure}**" if row["best"] else figure)
        lines.append(f"| {table.title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
