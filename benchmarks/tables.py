"""The tables of docs/results.md: run the comparisons, and write the page from their result files.

`tables.py run --data DATA [NAME …]` runs `babelspace compare` for each named table and keeps its JSON in
benchmarks/results/ and its plot in docs/plots/; `tables.py write` makes docs/results.md from these files;
`tables.py check` fails when the page no longer agrees with them.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS, PAGE, PLOTS, README = HERE / "results", ROOT / "docs/results.md", ROOT / "docs/plots", ROOT / "README.md"


@dataclass(frozen=True)
class Table:
    """One comparison: what it shows and how it is run; DATA stands for the folder of corpora."""

    title: str
    text: str
    arguments: str


EIGHTH = "--split .75,.125,.125"
TABLES = {
    "europarl": Table(
        "Europarl, whole speeches (en–es)",
        "Parallel and long: nearly solved by every learned space, as in the paper's Table 1. Trained on the speeches "
        "of 2002 and 2004–2006, tuned on 2001, tested on 2000.",
        "DATA/europarl-en-es --dims 100,300,1000 --grid opca.gamma=.1 --grid cca.gamma=10",
    ),
    "europarl-25": Table(
        "Europarl, the first 25 words of each speech (en–es)",
        "The same with little text in each document, which tells the methods apart.",
        "DATA/europarl-en-es --head 25 --dims 100,300,1000 --grid opca.gamma=.03,.1 --grid cca.gamma=10,30",
    ),
    "mdn-en-es": Table(
        "MDN Web Docs (en–es)",
        "Comparable pages: volunteer translations of different dates. Words, cosine, no correction, as in the paper.",
        f"DATA/mdn --languages en,es {EIGHTH} --max-terms 8000 --dims 100,300,600,1000",
    ),
    "mdn-en-fr": Table(
        "MDN Web Docs (en–fr)",
        "As above with three times as many pages.",
        f"DATA/mdn --languages en,fr {EIGHTH} --max-terms 8000 --dims 100,300,600 "
        "--grid opca.gamma=.1,.3 --grid cca.gamma=3,10",
    ),
    "mdn-en-ja": Table(
        "MDN Web Docs (en–ja)",
        "Two scripts; Japanese words by ICU.",
        f"DATA/mdn --languages en,ja {EIGHTH} --max-terms 8000 --dims 100,300,600 "
        "--grid opca.gamma=.1,.3 --grid cca.gamma=3,10",
    ),
    "mdn-en-es-best": Table(
        "MDN Web Docs (en–es), features and score correction tuned too",
        "What tuning on dev can reach: words alone or fused with character n-grams, cosine or CSLS.",
        f"DATA/mdn --languages en,es {EIGHTH} --dims 100,300,600,1000 --features words,both --corrections none,csls "
        "--grid opca.gamma=.03,.1 --grid cca.gamma=1,3 --grid cca.power=0,1",
    ),
    "comparable-best": Table(
        "Europarl comparable (en–es)",
        "Debates of which each language has the other half of the speakers: no sentence is a translation of another. "
        "Dimension, γ, features and score correction tuned on dev.",
        f"DATA/europarl-comparable --languages en,es {EIGHTH} --max-terms 20000 --dims 100,300,600 "
        "--features words,both --corrections none,csls --grid opca.gamma=.3,1 --grid cca.gamma=10,30 "
        "--grid cca.power=0,1",
    ),
    "sample": Table(
        "The embedded sample: six languages in one space, first 25 words",
        "951 help pages in en, es, de, fr, it and zh; means over all 30 directions.",
        "sample:help --head 25 --drop-top 20 --max-terms 4000 --dims 50,100,200",
    ),
}


def run(name: str, data: Path) -> None:
    """Run one comparison and keep its result."""
    from babelspace.evaluation.report import machine

    RESULTS.mkdir(exist_ok=True)
    PLOTS.mkdir(parents=True, exist_ok=True)
    arguments = [part.replace("DATA", str(data)) for part in shlex.split(TABLES[name].arguments)]
    tool = str(Path(sys.executable).with_name("babelspace"))
    done = subprocess.run(
        [tool, "compare", *arguments, "--json", "--plot", str(PLOTS / f"{name}.svg")],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=os.environ,
    )
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    about = {**machine(), "commit": commit.stdout.strip(), "date": datetime.now(UTC).strftime("%Y-%m-%d")}
    result = {"about": about, "arguments": TABLES[name].arguments, "comparison": json.loads(done.stdout)}
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def number(value: float) -> str:
    """A share as papers print it: .9357."""
    return f"{value:.4f}".lstrip("0") if value < 1 else "1.0000"


def row_of(row: dict[str, Any]) -> str:
    mean, low_high = row["test"]["mean"], row["interval"]["top1"]
    settings = [row["vectorizer"], *(f"{name} {value:g}" for name, value in row["parameters"].items())]
    settings += [row["correction"]] if row["correction"] != "none" else []
    cells = [
        f"**{row['space']}**" if row["best"] else row["space"],
        ", ".join(settings),
        "–" if row["dimension"] is None else str(row["dimension"]),
        number(mean["top1"]),
        f"{number(low_high[0])}–{number(low_high[1])}",
        *(number(mean[name]) for name in ("top5", "top10", "mrr")),
        f"{mean['gap']:.2f}",
        f"{row['seconds']['fit']:.1f}",
        "–" if row["peak_mb"] is None else f"{row['peak_mb']:.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


HEADER = """| space | chosen on dev | dim | Top-1 | 95 % | Top-5 | Top-10 | MRR | gap | fit s | peak MB |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""


def section(name: str) -> str:
    """One table with its command, from its result file."""
    table = TABLES[name]
    result = stored(name)
    comparison = result["comparison"]
    sizes = ", ".join(f"{part} {count:,}" for part, count in comparison["corpus"]["rows"].items())
    plot = f"\n![MRR on dev against dimension](plots/{name}.svg)\n" if (PLOTS / f"{name}.svg").is_file() else ""
    about = result["about"]
    return f"""## {table.title}
{table.text} Rows: {sizes}.

```
babelspace compare {result["arguments"]}
```

{HEADER}
{chr(10).join(map(row_of, comparison["rows"]))}

babelspace {about["babelspace"]}, commit {about["commit"]}, {about["date"]}, {about["machine"]}.
{plot}"""


INTRODUCTION = """# Results

Made by `benchmarks/tables.py` from the files in `benchmarks/results/`; do not edit by hand. Settings are chosen on dev
and learned again on train and dev; scores are on test, as means over both directions; ties count as errors. 95 % is a
bootstrap interval over queries, *gap* the mean number of documents before the mate. **Bold**: the smallest set of
methods that is significantly better in Top-1 than all the rest (unpaired t-test with Bonferroni correction, p < .05,
the test of Platt et al. 2010). Seconds and peak memory are of the final fit on two cores. The corpora are not part of
the project; `DATA` is the folder that holds them.
"""


def page() -> str:
    """The whole page."""
    notes = (RESULTS / "notes.md").read_text(encoding="utf-8")
    return "\n".join([INTRODUCTION, notes, speed(), *(section(name) for name in TABLES)])


def stored(name: str) -> dict[str, Any]:
    """A result file."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def summary() -> str:
    """The README's table: Top-1 of every space on every corpus."""
    spaces = [row["space"] for row in stored("europarl")["comparison"]["rows"]]
    lines = ["| corpus | " + " | ".join(spaces) + " |", "|---" + "|--:" * len(spaces) + "|"]
    for name, table in TABLES.items():
        cells = []
        for row in stored(name)["comparison"]["rows"]:
            figure = number(row["test"]["mean"]["top1"])
            cells.append(f"**{figure}**" if row["best"] else figure)
        lines.append(f"| {table.title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def speed() -> str:
    """The speed table, from the results of the benchmarks that were kept."""
    lines = ["| ours | against | times faster (each turn) | MRR ours | MRR rival |", "|---|---|--:|--:|--:|"]
    for name in ("lsi", "opca", "cca"):
        result = stored(name)
        ours = next(key for key in result["seconds"] if key not in result["ratios"])
        size = result["size"]
        what = f"{ours}, {size['rows']:,} rows × {size['columns']:,} terms, {size['dimensions']} dimensions"
        for rival, ratios in result["ratios"].items():
            times = ", ".join(f"{ratio:.1f}" for ratio in ratios)
            lines.append(
                f"| {what} | {rival} | {times} | {number(result['mrr'][ours])} | {number(result['mrr'][rival])} |"
            )
    full = stored("opca_full")
    size = full["size"]
    text = (
        f"OPCA on {size['rows']:,} pairs with {size['columns']:,} terms and {size['dimensions']:,} dimensions takes "
        f"{full['seconds']:.0f} s and {full['peak_gb_of_process']:.1f} GB for the whole process "
        f"({full['share_in_dense_algebra']:.0%} of the time in BLAS and LAPACK)."
    )
    return "\n".join(["Speed on two cores, contenders taking turns in one run:", "", *lines, "", text, ""])


def readme() -> str:
    """README.md with its generated parts made anew."""
    text = README.read_text(encoding="utf-8")
    for name, made in {"results": summary(), "speed": speed()}.items():
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
    for path, text in ((PAGE, page()), (README, readme())):
        if options.action == "write":
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.name} does not agree with benchmarks/results/. Run: python benchmarks/tables.py write")


if __name__ == "__main__":
    main()
