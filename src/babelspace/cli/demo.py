"""`babelspace demo`: learn spaces over the embedded sample, show what they do, leave a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, check_place, note, share, write_table
from babelspace.cli.values import PATH, POSITIVE, option
from babelspace.runtime.display_text import shortened

if TYPE_CHECKING:
    from babelspace import Comparison
    from babelspace.workflows.demo import Answer, Demo, Row

# The sample is small: more threads would mostly wait for each other.
THREADS = 1


@click.command()
@option("--output DIR", "Folder to leave the report in.", PATH, default="babelspace-demo")
@option("--quick", "Two languages and fewer dimensions: seconds instead of a minute.", is_flag=True)
@options.seed
@option("--threads", "Threads to use.", POSITIVE, default=THREADS)
def command(output: Path, quick: bool, seed: int, threads: int) -> None:
    """Learn spaces over the sample and show what they do.

    The sample has 951 help pages in six languages. CL-LSI, CCA and OPCA each learn one space for all of them from the
    first 25 words of the training pages, and then look for the translations of pages that they have not seen. Unless it
    is quick, it leaves a folder for the workbench, too (babelspace serve).

    \b
    Example:
      babelspace demo
      babelspace demo --quick --output report
    """
    from babelspace.workflows.demo import FULL, QUICK, Demo

    check_place(output / "index.html", "--output")
    started = perf_counter()
    with at_work(threads):
        demo = Demo(QUICK if quick else FULL, seed)
        _print_corpus(demo)
        _print_results(demo.compare(lambda row: note(f"{row.space}: Top-1 {share(row.test['mean'].top1)}")))
        if len(demo.languages) > 2:
            _print_matrix(demo.best, demo.languages)
        write_table(*demo.hide(), numbers=4, title=f"\nWith a third of the texts hidden ({demo.kept} left)")
        answers = demo.ask()
        click.echo(f"\nQueries across languages ({demo.best.space}; pages that it has not learned from)")
        for answer in answers:
            _print_answer(answer)
    seconds = perf_counter() - started
    path = demo.write_report(output, seconds, _command_line(quick, seed))
    click.echo(f"\nDone in {seconds:.0f} s. Report: {path}")
    if not quick:
        _leave_workbench(output / "workbench", threads)


def _leave_workbench(folder: Path, threads: int) -> None:
    from babelspace.workflows.demo_workbench import leave_workbench

    with at_work(threads):
        leave_workbench(folder)
    click.echo(f"The workbench on the sample, in your browser: babelspace serve {folder} --open")


def _print_corpus(demo: Demo) -> None:
    parts = demo.pages
    rows = len(parts.train) + len(parts.dev) + len(parts.test)
    click.echo(
        f"{rows:,} help pages in {', '.join(demo.languages)}: {len(parts.train)} to learn from, "
        f"{len(parts.dev)} to choose settings on, {len(parts.test)} to test on; first 25 words of each"
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
    click.echo(f"\n  {kind} [{question.language}] {shortened(question.text, 84)}")
    for hit in found.hits:
        verdict = {None: " ", True: "✓", False: "✗"}[found.right(hit)]
        title, _, _ = hit.document.text.strip().partition("\n")
        told = f"{shortened(title, 40)} — {shortened(hit.snippet.text, 60)}"
        click.echo(f"    {verdict} [{hit.document.language}] {hit.score:.2f}  {told}")


def _command_line(quick: bool, seed: int) -> str:
    return "babelspace demo" + " --quick" * quick + f" --seed {seed}" * (seed > 0)
