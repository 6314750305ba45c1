"""Spaces over the embedded sample: what they find, what holes cost, queries across languages, and a page of it all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelspace.corpus import AlignedCorpus, Split, sample
from babelspace.evaluation import Comparison, Evaluation, Row as Row, compare
from babelspace.evaluation.comparison.experiment import joined
from babelspace.features import ViewsVectorizer
from babelspace.reports import page as report
from babelspace.reports.showcase import Answer as Answer, Question, answers, hide_cells, learn, learn_with_holes
from babelspace.runtime.files import atomic_text

SPACES = ("cl-lsi", "cca", "opca")
HEAD = 25  # words: whole pages are too easy to tell the spaces apart
HIDDEN = 1 / 3
REPORT = "index.html"
QUERIES = {
    "de": "Rechtschreibung und Grammatik prüfen",
    "en": "keep a record of the changes that several authors make",
    "es": "guardar documentos automáticamente",
    "it": "riempire celle con numeri casuali",
    "zh": "选择表格的行和列",
}


@dataclass(frozen=True)
class Plan:
    """How much the demo does."""

    languages: tuple[str, ...] | None
    dimensions: tuple[int, ...]
    grids: Mapping[str, Mapping[str, list[Any]]]


FULL = Plan(None, (25, 50, 100, 200), {"cca": {"gamma": [3.0, 10.0]}, "opca": {"gamma": [0.3, 1.0]}})
QUICK = Plan(("en", "es"), (25, 50, 100), {"cca": {"gamma": [3.0]}, "opca": {"gamma": [1.0]}})


class Demo:
    """Learn spaces over the embedded sample, and see what they do; each step keeps what it found for the report."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan, self.seed = plan, seed
        whole = sample("help").select(languages=plan.languages)
        self.pages: Split = whole.split()
        self.heads: Split = whole.head(HEAD).split()
        self.vectorizers: dict[str, ViewsVectorizer] = {"words": ViewsVectorizer(drop_top=20, max_terms=4000)}
        self.languages = whole.languages

    def compare(self, on_row: Callable[[Row], None] | None = None) -> Comparison:
        """The retrieval table."""
        self.comparison: Comparison = compare(
            self.heads,
            SPACES,
            self.plan.dimensions,
            vectorizers=self.vectorizers,
            grids=self.plan.grids,
            seed=self.seed,
            on_row=on_row,
        )
        self.best: Row = self.comparison.best_row()
        return self.comparison

    def hide(self) -> tuple[list[str], list[list[str]]]:
        """Learning from rows with languages missing: header and rows of its table."""
        train = hide_cells(self._training(), HIDDEN, self.seed)
        rows = [row for row in self.comparison.rows if row.space in SPACES]
        self.holes: dict[str, Evaluation] = learn_with_holes(rows, self.vectorizers, train, self.heads.test, self.seed)
        count = sum(train.counts().values())
        self.kept = f"{count:,} of {len(train) * len(self.languages):,} training texts"
        return self._holes_table()

    def ask(self) -> list[Answer]:
        """Queries in one language, answers in the others."""
        encoder = learn(self.best, self.vectorizers[self.best.vectorizer], self._training(), self.seed)
        self.answers: list[Answer] = answers(encoder, self.pages.test, self._questions())
        return self.answers

    def write_report(self, folder: Path, seconds: float, command_line: str) -> Path:
        """Leave the page in a folder; where it is."""
        path = folder / REPORT
        with atomic_text(path) as stream:
            stream.write(self.report(seconds, command_line))
        return path

    def report(self, seconds: float, command_line: str) -> str:
        """The page; `command_line` is what it says it was made with."""
        lead = (
            f"{', '.join(SPACES)} learned one space for {len(self.languages)} languages from the first {HEAD} words of "
            f"{len(self.pages.train) + len(self.pages.dev):,} help pages each. Below they look for the translations of "
            f"{len(self.pages.test)} pages that they have not seen, beside comparing words as they are spelled."
        )
        mean = _directions(len(self.languages))
        sections = {
            "Does a page find its translation?": report.paragraph(mean) + report.results(self.comparison),
            "How many dimensions?": report.curves(self.comparison),
            "From each language to each other": report.paragraph(f"Top-1 of {self.best.space}.")
            + report.heat_map(self.best.test, self.languages),
            "Learning from rows with holes": report.paragraph(
                f"A third of the cells were hidden: {self.kept} were left. The test is the same."
            )
            + report.table(*self._holes_table()),
            "Queries across languages": report.paragraph(
                f"The best test page in each other language, by cosine in the space of {self.best.space}. "
                "✓ and ✗ tell whether it is the translation, where the query is itself a page."
            )
            + report.answers(self.answers),
            "How this was made": report.facts(self._facts(seconds, command_line) | report.machine()),
        }
        return report.page("One space, many languages", lead, sections)

    def _training(self) -> AlignedCorpus:
        return joined(self.heads.train, self.heads.dev)

    def _questions(self) -> list[Question]:
        """Free queries, and two test pages in the last languages of the corpus."""
        free = [Question(language, text) for language, text in QUERIES.items() if language in self.languages]
        pages = []
        for row, language in ((len(self.pages.test) // 4, self.languages[-1]), (-1, self.languages[0])):
            text = self.heads.test.texts(language)[row] or ""
            pages.append(Question(language, text, self.pages.test.ids[row]))
        return free + pages

    def _holes_table(self) -> tuple[list[str], list[list[str]]]:
        header = ["space", "Top-1, all texts", "Top-1, holes", "MRR, all texts", "MRR, holes"]
        rows = []
        for row in self.comparison.rows:
            if row.space in self.holes:
                whole, part = row.test["mean"], self.holes[row.space]["mean"]
                rows.append([row.space, _share(whole.top1), _share(part.top1), _share(whole.mrr), _share(part.mrr)])
        return header, rows

    def _facts(self, seconds: float, command_line: str) -> dict[str, str]:
        about = self.comparison.about
        chosen = {
            f"{row.space}": f"{row.settings()}" + ("" if row.dimension is None else f", {row.dimension} dimensions")
            for row in self.comparison.rows
        }
        rows = ", ".join(f"{part} {count}" for part, count in about["corpus"]["rows"].items())
        return {
            "command": command_line,
            "corpus": "LibreOffice help pages (embedded sample; MPL 2.0, © LibreOffice contributors)",
            "languages": ", ".join(self.languages),
            "rows": rows,
            **chosen,
            "tuned by": f"{about['measure']} on dev over dimensions {', '.join(map(str, about['dimensions']))}",
            "seed": str(self.seed),
            "time": f"{seconds:.0f} s",
        }


def _directions(languages: int) -> str:
    """What the figures are a mean of."""
    return (
        f"Every test page is a query for its translation among all test pages of another language; figures are means "
        f"over all {languages * (languages - 1)} directions between {languages} languages. Ties count as errors."
    )


def _share(value: float) -> str:
    return f"{value:.3f}"
