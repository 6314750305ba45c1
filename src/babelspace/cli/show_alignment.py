"""`babelspace show-alignment`: the links of one sentence pair as grids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.align import ASSOCIATIONS
from babelspace.cli.bitext_options import link_options
from babelspace.cli.options import one_standard_input
from babelspace.cli.output import at_work, note
from babelspace.cli.values import PATH, POSITIVE, option
from babelspace.errors import CorpusError


@click.command()
@click.argument("source")
@click.argument("target")
@option("--sentence N", "Which line.", POSITIVE, default=1)
@option("--links FILE", "Links to draw.")
@option("--gold FILE", "Gold links to draw, probable ones smaller.")
@option(
    "--model FOLDER",
    "A model of `babelspace align --save`: draw its association matrix, its cepts and their links.",
    PATH,
)
@option("--association", "What the two directions of the model count.", ASSOCIATIONS, default="sum")
@option("--criterion", "Number of cepts.", ("aic", "bic"), default="aic")
@option("--lowercase", "Make words lower-case for the model.", is_flag=True)
@option("--swap", "Draw target words as rows and source words as columns.", is_flag=True)
@options.output_file("A figure, .png, .svg or .pdf (extra `plot`).  [default: text on stdout]")
@link_options("links")
@link_options("gold")
def command(
    source: str,
    target: str,
    sentence: int,
    links: str | None,
    gold: str | None,
    model: Path | None,
    association: str,
    criterion: str,
    lowercase: bool,
    swap: bool,
    output: Path | None,
    **formats: Any,
) -> None:
    """Draw the word links of a sentence pair.

    SOURCE and TARGET hold one sentence a line, words with spaces between. Rows are source words, columns target
    words; words without a link stand beside NULL.

    \b
    Example:
      babelspace show-alignment source.txt target.txt --links links.txt --sentence 21
      babelspace show-alignment source.txt target.txt --gold gold.txt --model aligner --sentence 21 -o figure.svg
    """
    from babelspace.workflows.align import Grid, as_text, draw, grid_of_links, grids_of_model
    from babelspace.workflows.bitext_files import load_pairs

    if links is None and gold is None and model is None:
        raise click.UsageError("nothing to draw: give --links, --gold or --model.")
    one_standard_input(source=source, target=target, links=links, gold=gold)
    with at_work():
        left, right = load_pairs(source, target, lowercase)
        if sentence > len(left):
            raise CorpusError(f"there is no sentence {sentence}", path=source, hint=f"it has {len(left):,} lines")
        words = left[sentence - 1], right[sentence - 1]
        grids: list[Grid] = []
        for title, path in (("gold", gold), ("links", links)):
            if path is not None:
                form = formats[f"{title}_format"], formats[f"{title}_base"]
                grids.append(grid_of_links(path, words, sentence, *form, title))
        if model is not None:
            grids.extend(grids_of_model(model, words, association, criterion))
        if swap:
            grids = [grid.swapped() for grid in grids]
            # Words to cepts still come before cepts to words.
            grids[-3:-1] = grids[-2:-4:-1] if model is not None else grids[-3:-1]
        if output is not None:
            draw(grids, output)
    if output is not None:
        note(f"sentence {sentence} drawn in {output}")
    else:
        click.echo("\n\n".join(as_text(grid) for grid in grids))
