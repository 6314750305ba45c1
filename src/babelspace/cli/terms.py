"""`babelspace terms`: the terms of a bitext in both languages."""

from __future__ import annotations

from pathlib import Path

import click

from babelspace.cli import options
from babelspace.cli.bitext import bitext_options, linked
from babelspace.cli.output import at_work, note, to_stdout, write_table


@click.command()
@click.argument("bitext")
@options.result_file("terms", "File for the terms.  [default: a table on stdout]")
@click.option(
    "--phrases", type=click.Path(path_type=Path), metavar="FILE", help="Also a phrase table, as Moses reads it."
)
@click.option(
    "--min-frequency", type=click.IntRange(min=1), default=2, show_default=True, metavar="N", help="Least count."
)
@click.option(
    "--min-probability",
    type=options.FiniteRange(0, 1),
    default=0.1,
    show_default=True,
    metavar="P",
    help="Least geometric mean of both directions' probabilities.",
)
@click.option("--longest", type=click.IntRange(min=1), default=5, show_default=True, metavar="N", help="Most words.")
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="Only the N most important terms.")
@bitext_options
@options.threads
def command(
    bitext: str,
    output: Path | None,
    phrases: Path | None,
    min_frequency: int,
    min_probability: float,
    longest: int,
    most: int | None,
    languages: str | None,
    aligner: str,
    load: Path | None,
    threads: int | None,
) -> None:
    """Find the terms of a bitext and their translations.

    BITEXT is a corpus of sentence pairs: a .tmx, a .tsv, a prefix of line-aligned files …

    \b
    Example:
      babelspace terms bitext.tmx -o terms.tbx
      babelspace terms bitext.tmx --min-frequency 5 --phrases phrase-table.gz -o terms.xlsx
    """
    from babelspace.workflows.terminology import extract_terms, phrase_table

    with at_work(threads):
        pairs = linked(bitext, languages, aligner, load)
        found = extract_terms(
            pairs, min_frequency=min_frequency, min_probability=min_probability, longest=longest, most=most
        )
        if phrases is not None:
            table = phrase_table(pairs, longest)
            table.write_moses(phrases)
            note(f"{len(table):,} phrase pairs written to {phrases}")
        if output is None or to_stdout(output):
            rows = [
                [
                    row["source"],
                    row["target"],
                    str(row["frequency"]),
                    f"{row['probability']:.3f}",
                    f"{row['c_value']:.1f}",
                ]
                for row in found.records()
            ]
            write_table(["source", "target", "frequency", "probability", "C-value"], rows, numbers=3)
        else:
            found.write(output)
    where = "" if to_stdout(output) else f" written to {output}"
    note(f"{len(found):,} terms of {len(pairs):,} sentence pairs{where}")
