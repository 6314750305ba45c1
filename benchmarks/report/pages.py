"""The pages of docs/results/, one a theme, and what they are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.common import RESULTS, ROOT
from benchmarks.papers import audit, claims
from benchmarks.report import comparisons, doors, papers, peers, scale, service, speed, tree
from benchmarks.report.alignment import ALIGNMENT
from benchmarks.report.auto import AUTO
from benchmarks.report.beyond import BEYOND
from benchmarks.report.catalogue import TABLES
from benchmarks.report.chart_sections import CHART_SECTIONS
from benchmarks.report.matching import MATCHING
from benchmarks.report.promised_accuracy import PROMISED_ACCURACY
from benchmarks.report.reference import REFERENCE
from benchmarks.report.search import SEARCH
from benchmarks.report.search_quality import SEARCH_QUALITY
from benchmarks.report.sections import SECTIONS
from benchmarks.report.sentences import SENTENCES
from benchmarks.report.topics import TOPICS
from benchmarks.report.trust import TRUST

FOLDER = ROOT / "docs" / "results"
README = ROOT / "README.md"
LARGE = ROOT / "docs" / "scale.md"
SERVICE = ROOT / "docs" / "serve.md"
NOTES = Path(__file__).resolve().parent / "notes"
Part = Callable[[], str]


@dataclass(frozen=True)
class Page:
    """One theme: a title, a line for the index, and its parts, each with a heading; notes stand before them."""

    name: str
    title: str
    about: str
    parts: Sequence[Part]

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.md"

    def text(self) -> str:
        made = [said(self.name), *(part() for part in self.parts)]
        return "\n".join([f"# {self.title}\n\n{self.about} {MADE}\n", *filter(None, made)])

    def headings(self) -> Iterator[str]:
        """The titles of its parts."""
        return (
            line.removeprefix("## ") for line in self.text().splitlines() if line.startswith("## ") and SAID not in line
        )


def said(name: str) -> str:
    """What people make of the tables, if they have written it down."""
    notes = NOTES / f"{name}.md"
    return f"## {SAID}\n{notes.read_text(encoding='utf-8')}" if notes.is_file() else ""


def tables(*names: str) -> list[Part]:
    """Comparisons that were run."""
    return [partial(comparisons.section, name) for name in names if (RESULTS / f"{name}.json").is_file()]


SAID = "What the tables say"
MADE = """[How to read the tables](index.md). Made by `python -m benchmarks.report write`; do not edit by hand."""
TRAINED = Page(
    "beyond",
    "Trained spaces, many languages, little text",
    "S2Net, Cr5 and combinations, a hundred languages in one space, and what a New Testament teaches.",
    [*BEYOND.values(), *tables(*(name for name in TABLES if name.startswith("trained-")))],
)
PAGES = (
    Page(
        "spaces",
        "Finding mates",
        "Every space on every corpus: quality, time, pairs to learn from, other subjects.",
        [
            *AUTO.values(),
            *CHART_SECTIONS.values(),
            *tables(*(name for name, table in TABLES.items() if table.headline or name == "europarl-dims")),
            doors.larger_pools,
        ],
    ),
    Page(
        "explicit",
        "Explicit topics",
        "ESA, ONETA and its approximations beside latent spaces.",
        [*tables("normalisation", "explicit", "explicit-fr"), SECTIONS["oneta"]],
    ),
    Page(
        "kernel",
        "Kernel CCA",
        "Kernel CCA beside CL-LSI on the Hansard; time and memory.",
        [SECTIONS["hansard_kcca"], SECTIONS["kernel_cca_large"]],
    ),
    Page(
        "translation",
        "Translation",
        "Words translated one by one, and full translation, beside learned spaces.",
        tables("translation", "translation-comparable", "translation-25", "translated"),
    ),
    Page(
        "topics",
        "Topic models",
        "PLSA and LDA: quality, approximate training, speed and memory.",
        [*tables("topics-mdn", "topics-europarl-7", "topics-mdn-es", "topics-europarl"), *TOPICS.values()],
    ),
    Page(
        "alignment",
        "Word alignment",
        "Aligners beside eflomal and fast_align, time and memory, and cepts.",
        list(ALIGNMENT.values()),
    ),
    Page(
        "matching",
        "Matching",
        "Trusted pairs out of documents without mates: are the probabilities true, how fast, and out of domain.",
        [*MATCHING.values(), doors.verdicts],
    ),
    Page(
        "sentences",
        "Sentences and terms",
        "Sentences aligned and extracted, the loop from a few pairs to many, and terms.",
        list(SENTENCES.values()),
    ),
    Page(
        "search",
        "Search",
        "An index under search: speed, recall, short queries, kills.",
        [*SEARCH.values(), *SEARCH_QUALITY.values()],
    ),
    Page(
        "classification",
        "Classification",
        "Labels in one language, predictions in another.",
        [*PROMISED_ACCURACY.values(), SECTIONS["classification"]],
    ),
    *([TRAINED] if BEYOND else []),
    Page(
        "speed",
        "Speed",
        "Beside what one would use instead: gensim, MALLET and others; large files.",
        [speed.section, peers.section, doors.files],
    ),
    Page(
        "scale",
        "Large corpora",
        "Jobs from 50,000 rows upwards, engines, many languages, wide vocabularies: time, memory, growth.",
        list(scale.SCALE.values()),
    ),
    Page(
        "trust",
        "Damage, kills and strangers",
        "What [the guarantees](../guarantees.md) promise, tried at length: damage, kills, failing calls, bombs.",
        TRUST,
    ),
    Page(
        "papers",
        "The five papers",
        "Claims tested, and published figures beside ours.",
        [claims.table, audit.table, partial(said, "exhibits"), papers.section],
    ),
)

INTRODUCTION = """# Results

Made by `python -m benchmarks.report write` from the files in `benchmarks/results/`; do not edit by hand. Settings are
chosen on dev and learned again on train and dev; scores are on test, as means over both directions; ties count as
errors. 95 % is a bootstrap interval over queries, *gap* the mean number of documents before the mate. **Bold**: the
smallest set of methods that is significantly better in Top-1 than all the rest (unpaired t-test with Bonferroni
correction, p < .05, the test of Platt et al. 2010), unless that is all of them, and without those that the paired test
tells from the best. *p* is Top-1 against the best row, query by query (paired bootstrap, Holm). *5 words*: the five
most probable words of a test document as a query for its mate. Seconds by the clock and of all cores, and peak memory,
are of the final fit on two cores. The corpora are not part of the project; `DATA` is [the folder](#the-corpora)
that holds them.
"""


def index() -> str:
    """One line for each theme, and one for each of its parts."""
    lines = []
    for page in PAGES:
        lines.append(f"- [{page.title}]({page.name}.md): {page.about}")
        lines += [f"  - [{heading}]({page.name}.md#{anchor(heading)})" for heading in page.headings()]
    return "\n".join([INTRODUCTION, *lines, "", (NOTES / "corpora.md").read_text(encoding="utf-8")])


def anchor(heading: str) -> str:
    """What a heading is called in a link."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def with_parts(path: Path, **parts: Part) -> str:
    """A page written by hand with its generated parts made anew."""
    text = path.read_text(encoding="utf-8")
    for name, make in parts.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{make().strip()}\n{end}{rest.split(end)[1]}"
    return text


def readme() -> str:
    """README.md with its generated parts."""
    return with_parts(README, results=comparisons.summary, peers=lambda: peers.chart("docs/plots/peers.svg"))


def large() -> str:
    """docs/scale.md with its generated table."""
    return with_parts(LARGE, growth=scale.summary)


def served() -> str:
    """docs/serve.md with its generated table."""
    return with_parts(SERVICE, speed=service.summary)


def written() -> dict[Path, Part]:
    """Every file that is made, and how."""
    return {
        FOLDER / "index.md": index,
        **{page.path: page.text for page in PAGES},
        README: readme,
        LARGE: large,
        SERVICE: served,
        tree.PAGE: tree.tree,
        **REFERENCE,
    }
