"""The tables of docs/results.md: run the comparisons, and write the page from their result files.

`tables.py run --data DATA [NAME …]` runs `babelspace compare` for each named table and keeps its JSON in
benchmarks/results/; `tables.py write` makes docs/results.md, the README's tables and the charts from these files;
`tables.py check` fails when one of them no longer agrees.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alignment_sections import ALIGNMENT
from catalogue import TABLES
from chart_data import dimensions
from chart_sections import CHART_SECTIONS
from charts import CHARTS
from matching_sections import MATCHING
from papers.page import section as papers
from peers.page import section as peers
from peers.page import summary as peers_summary
from search_sections import SEARCH
from sections import SECTIONS, number, stored
from topic_sections import TOPICS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS, PAGE, PLOTS, README = HERE / "results", ROOT / "docs/results.md", ROOT / "docs/plots", ROOT / "README.md"


def run(name: str, data: Path) -> None:
    """Run one comparison and keep its result."""
    from babelspace.reports.page import machine

    RESULTS.mkdir(exist_ok=True)
    arguments = [part.replace("DATA", str(data)) for part in shlex.split(TABLES[name].arguments)]
    tool = str(Path(sys.executable).with_name("babelspace"))
    done = subprocess.run(
        [tool, "compare", *arguments, "--json"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=os.environ,
    )
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    about = {**machine(), "commit": commit.stdout.strip(), "date": datetime.now(UTC).strftime("%Y-%m-%d")}
    result = {"about": about, "arguments": TABLES[name].arguments, "comparison": json.loads(done.stdout)}
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
    """Rows whose mark says something: a best set that holds all of them does not."""
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
    comparison = result["comparison"]
    sizes = ", ".join(f"{part} {count:,}" for part, count in comparison["corpus"]["rows"].items())
    plot = f"\n![MRR on dev against dimension](plots/{name}.svg)\n" if dimensions(name) else ""
    about = result["about"]
    return f"""## {table.title}
{table.text} Rows: {sizes}.

```
babelspace compare {result["arguments"]}
```

{HEADER}
{chr(10).join(map(row_of, marked(comparison["rows"])))}

babelspace {about["babelspace"]}, commit {about["commit"]}, {about["date"]}, {about["machine"]}.
{plot}"""


INTRODUCTION = """# Results

Made by `benchmarks/tables.py` from the files in `benchmarks/results/`; do not edit by hand. Settings are chosen on dev
and learned again on train and dev; scores are on test, as means over both directions; ties count as errors. 95 % is a
bootstrap interval over queries, *gap* the mean number of documents before the mate. **Bold**: the smallest set of
methods that is significantly better in Top-1 than all the rest (unpaired t-test with Bonferroni correction, p < .05,
the test of Platt et al. 2010), unless that is all of them. *p* is Top-1 against the best row, query by query (paired
bootstrap, Holm). *5 words*: the five most probable words of a test document as a query for its mate. Seconds by the
clock and of all cores, and peak memory, are of the final fit on two cores. The corpora are not part of the project;
`DATA` is the folder that holds them.
"""


def page() -> str:
    """The whole page."""
    notes = (RESULTS / "notes.md").read_text(encoding="utf-8")
    drawn = [make() for make in CHART_SECTIONS.values()]
    others = [make() for make in (SECTIONS | TOPICS | ALIGNMENT | MATCHING | SEARCH).values()]
    measured = [name for name in TABLES if (RESULTS / f"{name}.json").is_file()]
    return "\n".join([INTRODUCTION, notes, peers(), *drawn, *(section(name) for name in measured), *others, papers()])


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


def readme() -> str:
    """README.md with its generated parts made anew."""
    text = README.read_text(encoding="utf-8")
    for name, made in {"results": summary(), "peers": peers_summary("docs/plots/peers.svg")}.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{made.strip()}\n{end}{rest.split(end)[1]}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("run", "write", "check"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    if options.action == "run":
        for name in options.names or TABLES:
            print(f"== {name}", flush=True)
            run(name, options.data)
        return
    if options.action == "write":
        write()
    else:
        check()


def write() -> None:
    """Charts whose figures have changed, the page, and the generated parts of the README."""
    for chart in CHARTS:
        if chart.stale():
            chart.write()
    for path, make in PAGES.items():
        path.write_text(make(), encoding="utf-8")


def check() -> None:
    """Whatever no longer agrees with the result files."""
    stale = [path.name for path, make in PAGES.items() if path.read_text(encoding="utf-8") != make()]
    stale += [chart.path.name for chart in CHARTS if chart.stale()]
    if stale:
        names = ", ".join(stale)
        sys.exit(f"{names}: no longer as benchmarks/results/ say. Run: python benchmarks/tables.py write")


PAGES = {PAGE: page, README: readme}


if __name__ == "__main__":
    main()
