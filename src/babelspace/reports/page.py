"""Reports as one HTML file that needs no network: tables, inline plots, a heat map and answered queries."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from markupsafe import Markup

from babelspace.charts.svg import line_chart
from babelspace.evaluation.comparison.table import LEGEND, WORDS, Comparison, number
from babelspace.evaluation.measures import RetrievalScore
from babelspace.reports.rendering import render, security_policy, source
from babelspace.reports.showcase import Answer


def page(title: str, lead: str, sections: Mapping[str, str], script: str = "") -> str:
    """A whole page; what is not markup is plain text. Nothing is loaded, and no script runs but the given one."""
    whole = render(
        "page.html",
        title=title,
        lead=lead,
        sections=sections,
        style=Markup(source("report.css")),
        script=Markup(script),
        policy=security_policy(script),
    )
    return str(whole)


def paragraph(text: str, kind: str = "") -> Markup:
    """Plain text as a paragraph."""
    return render("paragraph.html", text=text, kind=kind)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1, best: Sequence[bool] = ()) -> Markup:
    """A table whose first columns are words; the rows of the best set stand out."""
    marks = [*best, *[False] * (len(rows) - len(best))]
    return render("table.html", header=header, rows=rows, words=words, best=marks)


def results(comparison: Comparison) -> Markup:
    """The rows of a comparison with what the marks mean."""
    header, rows = comparison.cells()
    return table(header, rows, WORDS, [row.best for row in comparison.rows]) + paragraph(LEGEND, "note")


def curves(comparison: Comparison) -> Markup:
    """MRR against dimension."""
    caption = "Mean reciprocal rank on dev against the number of dimensions, at the chosen settings of each space."
    return render("figure.html", chart=Markup(line_chart(comparison.curves, caption)), caption=caption)


def heat_map(scores: Mapping[str, RetrievalScore], languages: Sequence[str]) -> Markup:
    """Top-1 from each language (row) to each other (column)."""
    top1 = {name: score.top1 for name, score in scores.items() if name != "mean"}
    low, high = min(top1.values()), max(top1.values())

    def cell(source: str, target: str) -> tuple[float, str] | None:
        value = top1.get(f"{source}->{target}")
        if value is None:
            return None
        return (value - low) / (high - low) if high > low else 1.0, number(value)

    rows = [(source, [cell(source, target) for target in languages]) for source in languages]
    return render("heat_map.html", languages=languages, rows=rows)


def answers(answered: Sequence[Answer]) -> Markup:
    """Every question with its best hit in each other language."""
    return render("answers.html", answers=answered)


def facts(pairs: Mapping[str, str]) -> Markup:
    """Names and values."""
    return render("facts.html", pairs=pairs)


def machine() -> dict[str, str]:
    """What a result depends on besides data and settings."""
    packages = ("numpy", "scipy", "scikit-learn", "numba", "faiss-cpu")
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "babelspace": version("babelspace"),
        "python": platform.python_version(),
        "packages": ", ".join(f"{name} {version(name)}" for name in packages),
    }
