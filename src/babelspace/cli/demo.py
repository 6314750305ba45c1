"""`babelspace demo`: learn spaces over the embedded sample, show what they do, leave a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, check_place, note, share, write_table

if TYPE_CHECKING:
    from babelspace.corpus import AlignedCorpus, Split
    from babelspace.evaluation import Comparison, Evaluation, Row
    from babelspace.features import ViewsVectorizer
    from babelspace.reports.showcase import Answer, Question

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
# The sample is small: more threads would mostly wait for each other.
THREADS = 1


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default="babelspace-demo",
    show_default=True,
    metavar="DIR",
    help="Folder to leave the report in.",
)
@click.option("--quick", is_flag=True, help="Two languages and fewer dimensions: seconds instead of a minute.")
@options.seed
@click.option("--threads", type=click.IntRange(min=1), default=THREADS, show_default=True, help="Threads to use.")
def command(output: Path, quick: bool, seed: int, threads: int) -> None:
    """Learn spaces over the embedded sample and show what they do.

    The sample has 951 help pages in six languages. CL-LSI, CCA and OPCA each learn one space for all of them from the
    first 25 words of the training pages, and then look for the translations of pages that they have not seen.

    \b
    Example:
      babelspace demo
      babelspace demo --quick --output report
    """
    check_place(output / REPORT, "--output")
    started = perf_counter()
    with at_work(threads):
        shown = _Demo(QUICK if quick else FULL, seed)
        shown.compare()
        shown.hide()
        shown.ask()
    seconds = perf_counter() - started
    path = _save(output, shown.report(seconds, _command_line(quick, seed)))
    click.echo(f"\nDone in {seconds:.0f} s. Report: {path}")


class _Demo:
    """One run: each step prints what it found and keeps it for the report."""

    def __init__(self, plan: Plan, seed: int) -> None:
        from babelspace.corpus import sample
        from babelspace.features import ViewsVectorizer

        self.plan, self.seed = plan, seed
        whole = sample("help").select(languages=plan.languages)
        self.pages: Split = whole.split()
        self.heads: Split = whole.head(HEAD).split()
        self.vectorizers: dict[str, ViewsVectorizer] = {"words": ViewsVectorizer(drop_top=20, max_terms=4000)}
        self.languages = whole.languages
        _print_corpus(whole, self.pages)

    def compare(self) -> None:
        """The retrieval table."""
        from babelspace.evaluation import compare

        self.comparison: Comparison = compare(
            self.heads,
            SPACES,
            self.plan.dimensions,
            vectorizers=self.vectorizers,
            grids=self.plan.grids,
            seed=self.seed,
            on_row=lambda row: note(f"{row.space}: Top-1 {share(row.test['mean'].top1)}"),
        )
        self.best: Row = self.comparison.best_row()
        _print_results(self.comparison)
        if len(self.languages) > 2:
            _print_matrix(self.best, self.languages)

    def hide(self) -> None:
        """Learning from rows with languages missing."""
        from babelspace.reports.showcase import hide_cells, learn_with_holes

        train = hide_cells(self._training(), HIDDEN, self.seed)
        rows = [row for row in self.comparison.rows if row.space in SPACES]
        self.holes: dict[str, Evaluation] = learn_with_holes(rows, self.vectorizers, train, self.heads.test, self.seed)
        count = sum(train.counts().values())
        self.kept = f"{count:,} of {len(train) * len(self.languages):,} training texts"
        write_table(*self._holes_table(), numbers=4, title=f"\nWith a third of the texts hidden ({self.kept} left)")

    def ask(self) -> None:
        """Queries in one language, answers in the others."""
        from babelspace.reports.showcase import answers, learn

        encoder = learn(self.best, self.vectorizers[self.best.vectorizer], self._training(), self.seed)
        self.answers: list[Answer] = answers(encoder, self.pages.test, self._questions())
        click.echo(f"\nQueries across languages ({self.best.space}; pages that it has not learned from)")
        for found in self.answers:
            _print_answer(found)

    def report(self, seconds: float, command_line: str) -> str:
        """The page."""
        from babelspace.reports import page as report

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
        from babelspace.evaluation.comparison.experiment import joined

        return joined(self.heads.train, self.heads.dev)

    def _questions(self) -> list[Question]:
        """Free queries, and two test pages in the last languages of the corpus."""
        from babelspace.reports.showcase import Question

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
                rows.append([row.space, share(whole.top1), share(part.top1), share(whole.mrr), share(part.mrr)])
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


def _print_corpus(corpus: AlignedCorpus, parts: Split) -> None:
    click.echo(
        f"{len(corpus):,} help pages in {', '.join(corpus.languages)}: {len(parts.train)} to learn from, "
        f"{len(parts.dev)} to choose settings on, {len(parts.test)} to test on; first {HEAD} words of each"
    )


def _print_results(found: Comparison) -> None:
    header = ["space", "settings", "dim", "Top-1", "Top-5", "Top-10", "MRR", "fit s"]
    rows = []
    for row in found.rows:
        mean = row.test["mean"]
        dimension = "–" if row.dimension is None else str(row.dimension)
        figures = [share(value) for value in (mean.top1, mean.top5, mean.top10, mean.mrr)]
        name = row.space + " *" * row.best
        rows.append([name, row.settings(), dimension, *figures, f"{row.seconds['fit']:.1f}"])
    directions = len(found.rows[0].test) - 1
    write_table(header, rows, numbers=6, title=f"\nDoes a page find its translation? (mean of {directions} directions)")
    click.echo("* not significantly worse than the best")


def _print_matrix(row: Row, languages: Sequence[str]) -> None:
    """Top-1 from each language to each other."""
    rows = [
        [source, *(share(row.test[f"{source}->{name}"].top1) if name != source else "·" for name in languages)]
        for source in languages
    ]
    write_table(
        ["from \\ to", *languages], rows, numbers=len(languages), title=f"\nTop-1 of {row.space}, language by language"
    )


def _print_answer(found: Answer) -> None:
    question = found.question
    kind = "page" if question.id else "query"
    click.echo(f"\n  {kind} [{question.language}] {_short(question.text, 84)}")
    for hit in found.hits:
        verdict = {None: " ", True: "✓", False: "✗"}[found.right(hit)]
        title, _, _ = hit.document.text.strip().partition("\n")
        told = f"{_short(title, 40)} — {_short(hit.snippet.text, 60)}"
        click.echo(f"    {verdict} [{hit.document.language}] {hit.score:.2f}  {told}")


def _short(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _save(folder: Path, html: str) -> Path:
    from babelspace.runtime.files import atomic_text

    path = folder / REPORT
    with atomic_text(path) as stream:
        stream.write(html)
    return path


def _command_line(quick: bool, seed: int) -> str:
    return "babelspace demo" + " --quick" * quick + f" --seed {seed}" * (seed > 0)
