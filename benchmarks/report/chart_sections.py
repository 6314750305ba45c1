"""Sections of docs/results/ around charts: quality against time, pairs to learn from, other subjects."""

from __future__ import annotations

from typing import Any

from benchmarks.report.chart_data import curves, domains
from benchmarks.report.sections import markdown, number, stored


def time() -> str:
    """Quality against time over all comparisons on the same documents."""
    return """## Quality against time
Every space at the setting that dev chose, from the tables below. Processor seconds are those of the last fit; the
machine had other work at times, so only large differences say something. Spaces without an eigenproblem (ESA, L-Solve,
ONETA, words translated one by one) are there in a second; bars are 95 % intervals. `explicit-lsi` is the same map as
`on-eigen`.

![Top-1 on test against processor seconds of the fit](../plots/quality-and-time.svg)
"""


def pairs() -> str:
    """How many pairs a space needs."""
    found = curves()
    if not found:
        return ""
    tables = "\n\n".join(f"### {title}\n{_curve(lines)}" for title, lines in found.items())
    return f"""## How many pairs does a space need?
Top-1 on test when a space is learned from so many pairs and no more; dimension (at most half as many as pairs: dev
mostly takes the largest) and γ are chosen on dev for each number. The last row has all pairs of train and
dev, as in the table of that corpus. The picture shows the rest, mates that are not found first; both scales are
logarithmic, bands are 95 % intervals.

```
python -m benchmarks.measure.learning_curve --data DATA
```

![Mates not found first against pairs to learn from](../plots/learning-curve.svg)

{tables}
"""


def _curve(lines: dict[str, Any]) -> str:
    spaces = list(lines)
    rows = []
    for place, point in enumerate(lines[spaces[0]]):
        cells = [
            f"{number(lines[space][place]['top1'])} ({'–'.join(map(number, lines[space][place]['interval']))})"
            for space in spaces
        ]
        rows.append((f"{point['pairs']:,}", *cells))
    return markdown(", ".join(["pairs", *spaces]), rows)


def subjects() -> str:
    """Models on subjects that they were not fitted on."""
    if not domains():
        return ""
    sizes = stored("domains")["rows"]
    told = ", ".join(f"{name} {size['learn']:,}" for name, size in sizes.items())
    return f"""## On other subjects
English and French; OPCA with {stored("domains")["dimensions"]} dimensions, fitted on one half of each corpus (rows:
{told}) and tried on {min(size["try"] for size in sizes.values()):,} to {max(size["try"] for size in sizes.values()):,}
documents of the other half of every corpus. Out of its subject a model may be worse than untranslated words (with
the vocabulary of the column's own corpus), where names and numbers tell much. At the right, what `babelspace doctor`
says without knowing mates (its table is further below).

```
python -m benchmarks.measure.domains --data DATA
```

![Top-1 of every model on every corpus; predicted and true Top-1](../plots/out-of-domain.svg)
"""


CHART_SECTIONS = {"quality-and-time": time, "learning-curve": pairs, "out-of-domain": subjects}
