"""`babelspace score-alignment`: precision, recall, F and error rate of word links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.bitext_options import link_options
from babelspace.cli.options import one_standard_input
from babelspace.cli.output import note, write_json, write_table
from babelspace.cli.values import POSITIVE, option

if TYPE_CHECKING:
    from babelspace.workflows.align import AlignmentScore

NAMED = 5


@click.command()
@click.argument("links")
@click.argument("gold")
@link_options("links")
@link_options("gold")
@option("--first-line N", "The line of LINKS that the first line of GOLD belongs to.", POSITIVE, default=1)
@option(
    "--text SOURCE TARGET",
    "The sentences of LINKS, one a line: also score with links to NULL, and check that positions fit.",
    nargs=2,
)
@options.as_json
def command(links: str, gold: str, as_json: bool, **settings: Any) -> None:
    """Score word links against gold links.

    Prints precision, recall and F on the sure and on the probable gold links and the alignment error rate (AER).
    Sentences are matched by line, or by the sentence number of NAACL files. Those without gold are not scored.

    \b
    Example:
      babelspace score-alignment links.txt gold.txt
      babelspace score-alignment links.txt.gz test.wa.nonullalign --gold-format naacl --text source.txt target.txt
    """
    from babelspace.workflows.align import score_alignment

    one_standard_input(links=links, gold=gold)
    found = score_alignment(links, gold, **settings)
    sentences, empty = found.scores["without NULL"].sentences, found.without_gold_links
    note(f"{sentences:,} sentences scored; {found.not_in_gold:,} of LINKS are not in GOLD")
    if empty:
        more = ", …" if len(empty) > NAMED else ""
        note(f"{len(empty):,} sentences of GOLD have no link and are not scored: {', '.join(empty[:NAMED])}{more}")
    if as_json:
        write_json({name.replace(" ", "_").lower(): result.as_dict() for name, result in found.scores.items()})
    else:
        _table(found.scores)


def _table(results: dict[str, AlignmentScore]) -> None:
    headers = ["", "links", "P sure", "R sure", "F sure", "P prob.", "R prob.", "F prob.", "AER"]
    names = ("precision_sure", "recall_sure", "f_sure", "precision_probable", "recall_probable", "f_probable", "aer")
    rows = [
        [name, f"{result.proposed:,}", *(f"{100 * getattr(result, measure):.2f}%" for measure in names)]
        for name, result in results.items()
    ]
    write_table(headers, rows, numbers=8)
