"""Topics as one HTML page to browse; needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from markupsafe import Markup

from babelspace.evaluation.topics.report import TopicReport
from babelspace.reports.map_page import in_script
from babelspace.reports.page import facts, machine, page, paragraph
from babelspace.reports.rendering import render, source

WIDTH, HEIGHT, MARGIN = 720, 240, 60
COLOURS = 6
MAP, MAP_MARGIN, LARGEST = 560, 60, 34


def topic_page(report: TopicReport, title: str) -> str:
    """The whole page."""
    style = Markup(source("topics.css"))
    sections = {
        "Map": topic_map(report),
        "Topics": render("topics.html", report=report, style=style, terms=_terms(report)),
    }
    if any(len(values) > 1 for values in report.trace.values()):
        sections["Convergence"] = convergence(report.trace)
    sections["About"] = facts(_about(report) | machine()) + paragraph(LEGEND, "note")
    lead = f"{len(report.topics)} topics in {', '.join(report.languages)}, numbered by size."
    return page(title, lead, sections, source("topics.js"))


def topic_map(report: TopicReport) -> Markup:
    """Topics as circles, like ones near each other, the area of each its share of the words."""
    largest = max(topic.size for topic in report.topics)
    circles = [
        (
            topic,
            MAP / 2 + (MAP / 2 - MAP_MARGIN) * topic.place[0],
            MAP / 2 - (MAP / 2 - MAP_MARGIN) * topic.place[1],
            LARGEST * (topic.size / largest) ** 0.5 + 3,
        )
        for topic in report.topics
    ]
    labels = apart([(x, y) for _, x, y, _ in circles])
    return render("topic_map.html", circles=list(zip(circles, labels, strict=True)), size=MAP)


def apart(places: Sequence[tuple[float, float]], width: float = 22, height: float = 16) -> list[tuple[float, float]]:
    """Places of labels, moved as little as it takes until no two of them overlap.

    >>> apart([(0, 0), (0, 4), (90, 0)])
    [(0.0, -6.0), (0.0, 10.0), (90.0, 0.0)]
    """
    found = [(float(x), float(y)) for x, y in places]
    for _ in range(200):
        moved = False
        for one, other in combinations(range(len(found)), 2):
            (ax, ay), (bx, by) = found[one], found[other]
            across, down = width - abs(ax - bx), height - abs(ay - by)
            if across <= 0.01 or down <= 0.01:
                continue
            moved = True
            # Along the shorter way out.
            if down <= across:
                step = down / 2 if by >= ay else -down / 2
                found[one], found[other] = (ax, ay - step), (bx, by + step)
            else:
                step = across / 2 if bx >= ax else -across / 2
                found[one], found[other] = (ax - step, ay), (bx + step, by)
        if not moved:
            break
    return found


def _terms(report: TopicReport) -> Markup:
    """The words from which the page takes the most relevant: probability in the topic, and in all text."""
    rounded = {
        topic.number: {
            language: [(word, float(f"{here:.3g}"), float(f"{overall:.3g}")) for word, here, overall in words]
            for language, words in topic.terms.items()
        }
        for topic in report.topics
    }
    return in_script(rounded)


LEGEND = (
    "Size: share of the training words. Map: topics whose words are alike lie near each other (Jensen-Shannon "
    "distance, classical scaling). Relevance: λ log p(word | topic) + (1 - λ) log p(word | topic) / p(word). NPMI: how "
    "much more often the top words of a topic occur in the same document than by chance, from -1 to 1; CNPMI: the same "
    "for words of two languages in documents that belong together. Perplexity: of the known words of a text, its "
    "topics taken from its mates in the other languages."
)


def _about(report: TopicReport) -> dict[str, str]:
    told = {"space": report.space, "corpus": report.corpus or "none: no coherence, no examples"}
    told |= {f"NPMI, {name}": f"{value:.3f}" for name, value in report.mean_npmi().items()}
    mean = report.mean_cnpmi()
    told |= {} if mean is None else {"CNPMI": f"{mean:.3f}"}
    return told | {f"perplexity, {name}": f"{value:,.0f}" for name, value in report.perplexity.items()}


def convergence(trace: Mapping[str, Sequence[float]]) -> Markup:
    """What grew while learning, each stage from its own lowest to its highest value."""
    stages = {stage: values for stage, values in trace.items() if len(values) > 1}
    longest = max(len(values) for values in stages.values())
    lines = []
    for stage, values in stages.items():
        low, high = min(values), max(values)
        points = [
            (
                MARGIN + (WIDTH - 2 * MARGIN) * step / (longest - 1),
                HEIGHT - 40 - (HEIGHT - 60) * ((value - low) / (high - low) if high > low else 1.0),
            )
            for step, value in enumerate(values)
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append((path, f"{stage}: {_figure(low)} to {_figure(high)}"))
    return render(
        "convergence.html",
        lines=lines,
        caption="Objective against iterations: " + "; ".join(text for _, text in lines),
        longest=longest,
        width=WIDTH,
        height=HEIGHT,
        margin=MARGIN,
        colours=COLOURS,
    )


def _figure(value: float) -> str:
    """A sum over all tokens without decimals, a mean over them with three."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3f}"
