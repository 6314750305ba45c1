"""Reports as one HTML file that needs no network: tables, inline plots, a heat map and answered queries."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import version
from importlib.resources import files

from babelspace.charts.svg import line_chart
from babelspace.evaluation.comparison.table import LEGEND, WORDS, Comparison, number
from babelspace.evaluation.measures import RetrievalScore
from babelspace.reports.showcase import Answer
from babelspace.search.in_memory import Hit
from babelspace.text.language import direction

SNIPPET = 220  # characters


def page(title: str, lead: str, sections: Mapping[str, str]) -> str:
    """A whole page; titles and lead are plain text, sections are HTML."""
    style = (files("babelspace.evaluation") / "templates" / "report.css").read_text(encoding="utf-8")
    body = "\n".join(f"<section>\n<h2>{escape(name)}</h2>\n{html}\n</section>" for name, html in sections.items())
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
<p class="lead">{escape(lead)}</p>
{body}
</main>
</body>
</html>
"""


def paragraph(text: str, kind: str = "") -> str:
    """Plain text as a paragraph."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1, best: Sequence[bool] = ()) -> str:
    """A table whose first columns are words; the rows of the best set stand out."""
    head = "".join(_cell("th", text, column < words) for column, text in enumerate(header))
    lines = []
    for place, row in enumerate(rows):
        mark = ' class="best"' if place < len(best) and best[place] else ""
        lines.append(f"<tr{mark}>" + "".join(_cell("td", t, column < words) for column, t in enumerate(row)) + "</tr>")
    body = "\n".join(lines)
    return f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def results(comparison: Comparison) -> str:
    """The rows of a comparison with what the marks mean."""
    header, rows = comparison.cells()
    return table(header, rows, WORDS, [row.best for row in comparison.rows]) + paragraph(LEGEND, "note")


def curves(comparison: Comparison) -> str:
    """MRR against dimension."""
    caption = "Mean reciprocal rank on dev against the number of dimensions, at the chosen settings of each space."
    return f"<figure>{line_chart(comparison.curves, caption)}<figcaption>{escape(caption)}</figcaption></figure>"


def heat_map(scores: Mapping[str, RetrievalScore], languages: Sequence[str]) -> str:
    """Top-1 from each language (row) to each other (column)."""
    known = {name: score.top1 for name, score in scores.items() if name != "mean"}
    low, high = min(known.values()), max(known.values())
    head = "".join(f"<th>{escape(name)}</th>" for name in languages)
    lines = []
    for source in languages:
        cells = []
        for target in languages:
            value = known.get(f"{source}->{target}")
            share = 0.0 if value is None else (value - low) / (high - low) if high > low else 1.0
            cells.append(
                '<td class="none">·</td>' if value is None else f'<td style="--v:{share:.2f}">{number(value)}</td>'
            )
        lines.append(f"<tr><th>{escape(source)}</th>{''.join(cells)}</tr>")
    body = "\n".join(lines)
    return (
        '<div class="scroll"><table class="heat">\n'
        f"<thead><tr><th>from \\ to</th>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def answers(found: Sequence[Answer]) -> str:
    """Every question with its best hit in each other language."""
    return "\n".join(_answer(answer) for answer in found)


def facts(pairs: Mapping[str, str]) -> str:
    """Names and values."""
    lines = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs.items())
    return f"<dl>\n{lines}\n</dl>"


def machine() -> dict[str, str]:
    """What a result depends on besides data and settings."""
    packages = ("numpy", "scipy", "scikit-learn", "numba", "faiss-cpu")
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "babelspace": version("babelspace"),
        "python": platform.python_version(),
        "packages": ", ".join(f"{name} {version(name)}" for name in packages),
    }


def _cell(tag: str, text: str, word: bool) -> str:
    return f'<{tag} class="word">{escape(text)}</{tag}>' if word else f"<{tag}>{escape(text)}</{tag}>"


def _answer(answer: Answer) -> str:
    question = answer.question
    shown = _shortened(question.text)
    hits = "\n".join(_hit(hit, answer.right(hit)) for hit in answer.hits)
    asked = "" if question.id is None else f'<div class="source">the page {escape(question.id)}</div>'
    code = f'<span class="code">{escape(question.language)}</span>'
    return (
        f'<article class="question">\n<header>{code} <span {_tongue(question.language)}>{escape(shown)}</span></header>'
        f"\n{asked}\n{hits}\n</article>"
    )


def _hit(hit: Hit, right: bool | None) -> str:
    document = hit.document
    title, _, _ = document.text.strip().partition("\n")
    tongue = _tongue(document.language)
    verdict = {None: "", True: '<span class="right">✓</span> ', False: '<span class="wrong">✗</span> '}[right]
    return (
        f'<div class="hit"><span class="code">{escape(document.language)}</span>'
        f'<span class="text" {tongue}><span class="title">{escape(_shortened(title, 90))}</span>'
        f'<span class="snippet">{escape(_shortened(hit.snippet))}</span></span>'
        f'<span class="score">{verdict}{hit.score:.2f}</span>'
        f'<span class="source">{escape(document.id)}</span></div>'
    )


def _tongue(language: str) -> str:
    return f'lang="{escape(language)}" dir="{direction(language)}"'


def _shortened(text: str, most: int = SNIPPET) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
