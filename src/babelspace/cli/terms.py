"""`babelspace terms`: the terms of a bitext in both languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.bitext_options import bitext_options, linked
from babelspace.cli.output import at_work, note, to_stdout, write_table, written_to
from babelspace.cli.values import PATH, POSITIVE, SHARE, option


@click.command()
@click.argument("bitext")
@options.result_file("terms", "File for the terms.  [default: a table on stdout]")
@option("--phrases FILE", "Also a phrase table, as Moses reads it.", PATH)
@option("--min-frequency N", "Least count.", POSITIVE, default=2)
@option("--min-probability P", "Least geometric mean of both directions' probabilities.", SHARE, default=0.1)
@option("--longest N", "Most words.", POSITIVE, default=5)
@option("--most N", "Only the N most important terms.", POSITIVE)
@bitext_options
@options.threads
def command(
    bitext: str,
    output: Path | None,
    phrases: Path | None,
    longest: int,
    languages: str | None,
    aligner: str,
    load: Path | None,
    **kept: Any,
) -> None:
    """Find the terms of a bitext and their translations.

    BITEXT is a corpus of sentence pairs: a .tmx, a .tsv, a prefix of line-aligned files …

    \b
    Example:
      babelspace terms bitext.tmx -o terms.tbx
      babelspace terms bitext.tmx --min-frequency 5 --phrases phrase-table.gz -o terms.xlsx
    """
    from babelspace.workflows.terminology import extract_terms, phrase_table

    with at_work():
        pairs = linked(bitext, languages, aligner, load)
        found = extract_terms(pairs, longest=longest, **kept)
        if phrases is not None:
            table = phrase_table(pairs, longest)
            table.write_moses(phrases)
            note(f"{len(table):,} phrase pairs written to {phrases}")
        if output is None or to_stdout(output):
            rows = [
                [source, target, str(frequency), f"{probability:.3f}", f"{c_value:.1f}"]
                for source, target, frequency, probability, c_value in zip(
                    found.source, found.target, found.frequency, found.probability, found.c_value, strict=True
                )
            ]
            write_table(["source", "target", "frequency", "probability", "C-value"], rows, numbers=3)
        else:
            found.write(output)
    note(f"{len(found):,} terms of {len(pairs):,} sentence pairs{written_to(output)}")
