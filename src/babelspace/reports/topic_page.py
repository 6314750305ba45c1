"""Topics as one HTML page to browse; needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from babelspace.evaluation.topics.report import Example, Topic, TopicReport
from babelspace.reports.page import facts, machine, page, paragraph
from babelspace.text.language import direction

WIDTH, HEIGHT, MARGIN = 720, 240, 60
COLOURS = 6
FILTER = """<script>
document.querySelector(".find").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const topic of document.querySelectorAll(".topic"))
    topic.hidden = !topic.textContent.toLowerCase().includes(wanted);
});
</script>"""


def topic_page(report: TopicReport, title: str) -> str:
    """The whole page."""
    style = (files("babelspace.evaluation") / "templates" / "topics.css").read_text(encoding="utf-8")
    topics = "\n".join(_topic(topic) for topic in report.topics)
    find = '<input class="find" type="search" placeholder="word, document, …" aria-label="Show topics with">'
    sections = {"Topics": f"<style>\n{style}</style>\n{find}\n{topics}\n{FILTER}"}
    if any(len(values) > 1 for values in report.trace.values()):
        sections["Convergence"] = convergence(report.trace)
    sections["About"] = facts(_about(report) | machine()) + paragraph(LEGEND, "note")
    lead = f"{len(report.topics)} topics in {', '.join(report.languages)}, largest first."
    return page(title, lead, sections)


LEGEND = (
    "Size: share of the training words. NPMI: how much more often the top words of a topic occur in the same document "
    "than by chance, from -1 to 1; CNPMI: the same for words of two languages in documents that belong together. "
    "Perplexity: of the known words of a text, its topics taken from its mates in the other languages."
)


def _about(report: TopicReport) -> dict[str, str]:
    told = {"space": report.space, "corpus": report.corpus or "none: no coherence, no examples"}
    told |= {f"NPMI, {name}": f"{value:.3f}" for name, value in report.mean_npmi().items()}
    mean = report.mean_cnpmi()
    told |= {} if mean is None else {"CNPMI": f"{mean:.3f}"}
    return told | {f"perplexity, {name}": f"{value:,.0f}" for name, value in report.perplexity.items()}


def _topic(topic: Topic) -> str:
    lines = "\n".join(
        f'<span class="line" {_tongue(name)}>{escape(" ".join(word for word, _ in words[:8]))}</span>'
        for name, words in topic.words.items()
    )
    columns = "\n".join(_column(name, words, topic.npmi.get(name)) for name, words in topic.words.items())
    across = "" if topic.cnpmi is None else f'<p class="note">CNPMI {topic.cnpmi:.3f}</p>'
    examples = "\n".join(_example(example) for example in topic.examples)
    return (
        f'<details class="topic" id="topic-{topic.number}"><summary><span class="number">{topic.number}</span>'
        f'<span class="score">{topic.size:.2%}</span>{lines}</summary>\n'
        f'<div class="columns">\n{columns}\n</div>\n{across}{examples}\n</details>'
    )


def _column(language: str, words: Sequence[tuple[str, float]], npmi: float | None) -> str:
    most = max((chance for _, chance in words), default=1.0)
    told = "" if npmi is None else f" · NPMI {npmi:.3f}"
    terms = "\n".join(
        f'<span class="term" style="--v:{chance / most:.2f}" title="{chance:.4f}" {_tongue(language)}>'
        f"{escape(word)}</span>"
        for word, chance in words
    )
    return f'<div><h3><span class="code">{escape(language)}</span>{told}</h3>\n{terms}\n</div>'


def _example(example: Example) -> str:
    texts = "\n".join(
        f'<span class="snippet" {_tongue(name)}><span class="code">{escape(name)}</span> {escape(text)}</span>'
        for name, text in example.texts.items()
    )
    return (
        f'<div class="hit"><span class="score">{example.share:.2f}</span><span class="text">'
        f'<span class="title">{escape(example.id)}</span>{texts}</span></div>'
    )


def _tongue(language: str) -> str:
    return f'lang="{escape(language)}" dir="{direction(language)}"'


def convergence(trace: Mapping[str, Sequence[float]]) -> str:
    """What grew while learning, each stage from its own lowest to its highest value."""
    lines, names = [], []
    kept = {stage: values for stage, values in trace.items() if len(values) > 1}
    longest = max(len(values) for values in kept.values())
    for number, (stage, values) in enumerate(kept.items()):
        low, high = min(values), max(values)
        places = [
            (
                MARGIN + (WIDTH - 2 * MARGIN) * step / (longest - 1),
                HEIGHT - 40 - (HEIGHT - 60) * ((value - low) / (high - low) if high > low else 1.0),
            )
            for step, value in enumerate(values)
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        told = f"{stage}: {_figure(low)} to {_figure(high)}"
        lines.append(
            f'<polyline class="line c{number % COLOURS}" points="{path}"><title>{escape(told)}</title></polyline>'
        )
        names.append(told)
    axis = f'<line class="grid" x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{HEIGHT - 40}" y2="{HEIGHT - 40}"/>'
    ticks = "".join(
        f'<text class="tick" x="{x}" y="{HEIGHT - 20}" text-anchor="middle">{told}</text>'
        for x, told in ((MARGIN, "1"), (WIDTH / 2, "iterations"), (WIDTH - MARGIN, str(longest)))
    )
    caption = "Objective against iterations: " + "; ".join(names)
    return (
        f'<figure><svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(caption)}">'
        f"{axis}{ticks}{''.join(lines)}</svg><figcaption>{escape(caption)}</figcaption></figure>"
    )


def _figure(value: float) -> str:
    """A sum over all tokens without decimals, a mean over them with three."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3f}"
