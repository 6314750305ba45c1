"""`babelspace score-alignment`: precision, recall, F and error rate of word links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from babelspace.cli import options
from babelspace.cli.options import one_standard_input
from babelspace.cli.output import note, write_json, write_table
from babelspace.cli.sentences import check_positions, link_options, load_links, load_pairs
from babelspace.errors import CorpusError

if TYPE_CHECKING:
    from babelspace.alignment.formats import LinkFile
    from babelspace.alignment.scores import AlignmentScore

NAMED = 5


@click.command()
@click.argument("links")
@click.argument("gold")
@link_options("links")
@link_options("gold")
@click.option(
    "--first-line",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="The line of LINKS that the first line of GOLD belongs to.",
)
@click.option(
    "--text",
    nargs=2,
    metavar="SOURCE TARGET",
    help="The sentences of LINKS, one a line: also score with links to NULL, and check that positions fit.",
)
@options.as_json
def command(
    links: str,
    gold: str,
    links_format: str | None,
    links_base: str | None,
    gold_format: str | None,
    gold_base: str | None,
    first_line: int,
    text: tuple[str, str] | None,
    as_json: bool,
) -> None:
    """Score word links against gold links.

    Prints precision, recall and F on the sure and on the probable gold links and the alignment error rate (AER).
    Sentences are matched by line, or by the sentence number of NAACL files. Those without gold are not scored.

    \b
    Example:
      babelspace score-alignment links.txt gold.txt
      babelspace score-alignment links.txt.gz test.wa.nonullalign --gold-format naacl --text source.txt target.txt
    """
    from babelspace.alignment.formats import LinkFile
    from babelspace.alignment.scores import score

    one_standard_input(links=links, gold=gold)
    found = load_links(links, links_format, links_base, "links_base")
    known = load_links(gold, gold_format, gold_base, "gold_base")
    if not known.links.without_null().size:
        raise CorpusError("no gold link in it", path=gold, hint="LINKS comes first, GOLD second")
    ids = _names(found, known, first_line, (links, gold))
    pair = found.chosen(ids), known.links
    lengths = None if text is None else _lengths(text, ids)
    if lengths is not None:
        check_positions(LinkFile(ids, pair[0]), lengths, links, "links_base")
        check_positions(LinkFile(ids, pair[1]), lengths, gold, "gold_base")
    results = {"without NULL": score(*pair)}
    if lengths is not None:
        results["with NULL"] = score(*pair, null=True, sources=lengths[0], targets=lengths[1])
    _report(found, ids, results["without NULL"])
    if as_json:
        write_json({name.replace(" ", "_").lower(): result.as_dict() for name, result in results.items()})
    else:
        _table(results)


def _names(found: LinkFile, known: LinkFile, first: int, files: tuple[str, str]) -> list[str]:
    """The names in LINKS of the sentences of GOLD."""
    by_line = all(name == str(line) for line, name in enumerate(known.ids, start=1))
    if first > 1 and not by_line:
        raise click.UsageError("--first-line is for a GOLD with one line a sentence; this one numbers its sentences.")
    ids = [str(int(name) + first - 1) for name in known.ids] if by_line else known.ids
    lines = all(name == str(line) for line, name in enumerate(found.ids, start=1))
    if lines and by_line and first - 1 + len(ids) > len(found.ids):
        raise CorpusError(
            f"{len(found.ids):,} sentences, but the gold ends at sentence {first - 1 + len(ids):,}",
            path=files[0],
            hint="give the links of all gold sentences; an empty line is a sentence without links",
        )
    return ids


def _lengths(text: tuple[str, str], ids: Sequence[str]) -> tuple[list[int], list[int]]:
    left, right = load_pairs(*text)
    places = [int(name) - 1 if name.isdecimal() else -1 for name in ids]
    if places and not 0 <= min(places) <= max(places) < len(left):
        raise CorpusError(
            f"{len(left):,} sentences, but gold sentences are numbered {ids[0]} … {ids[-1]}",
            path=text[0],
            hint="--text takes the text of LINKS, sentence by sentence",
        )
    return [len(left[place]) for place in places], [len(right[place]) for place in places]


def _report(found: LinkFile, ids: Sequence[str], result: AlignmentScore) -> None:
    note(f"{result.sentences:,} sentences scored; {len(set(found.ids) - set(ids)):,} of LINKS are not in GOLD")
    empty = [ids[place] for place in result.without_gold]
    if empty:
        more = ", …" if len(empty) > NAMED else ""
        note(f"{len(empty):,} sentences of GOLD have no link and are not scored: {', '.join(empty[:NAMED])}{more}")


def _table(results: dict[str, AlignmentScore]) -> None:
    headers = ["", "links", "P sure", "R sure", "F sure", "P prob.", "R prob.", "F prob.", "AER"]
    names = ("precision_sure", "recall_sure", "f_sure", "precision_probable", "recall_probable", "f_probable", "aer")
    rows = [
        [name, f"{result.proposed:,}", *(f"{100 * getattr(result, measure):.2f}%" for measure in names)]
        for name, result in results.items()
    ]
    write_table(headers, rows, numbers=8)
