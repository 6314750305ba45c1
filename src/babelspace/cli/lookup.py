"""`babelspace lookup`: how a word or phrase was translated."""

from __future__ import annotations

from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.bitext_options import bitext_options, linked
from babelspace.cli.output import at_work, note, write_json
from babelspace.cli.values import COUNT, POSITIVE, option


@click.command()
@click.argument("bitext")
@click.argument("query")
@option("--language CODE", "That of the query.  [default: the source language]")
@option("--inflected", "Also other forms of the words.", is_flag=True)
@option("-k N", "Translations.", POSITIVE, name="most", default=5)
@option("--examples N", "Examples of each.", COUNT, default=1)
@bitext_options
@options.threads
@options.as_json
def command(
    bitext: str,
    query: str,
    language: str | None,
    inflected: bool,
    most: int,
    examples: int,
    as_json: bool,
    **linking: Any,
) -> None:
    """Show how a word or phrase was translated, with examples.

    BITEXT is a corpus of sentence pairs. In QUERY, * stands for any letters of a word, and alone for any word. What
    belongs together is marked with brackets in both sentences.

    \b
    Example:
      babelspace lookup bitext.tmx "house of commons" --language en
      babelspace lookup bitext.tmx "govern*" --examples 3
    """
    from babelspace.workflows.terminology import look_up

    with at_work():
        pairs = linked(bitext, **linking)
        found = look_up(pairs, query, language, inflected=inflected, most=most, examples=max(examples, 1))
    if as_json:
        write_json({"query": query, "occurrences": found.occurrences, "translations": found.records()})
        return
    for number, words in enumerate(found.translation):
        click.echo(f"{found.probability[number]:.3f}  {found.count[number]:>5}  {words}")
        for example in found.examples[number][:examples]:
            left, right = example.marked()
            click.echo(f"       {left}\n       {right}")
    where = f"in {len(pairs):,} sentence pairs, {found.unlinked:,} without a link"
    note(f"{found.occurrences:,} occurrences of {query!r} {where}")
