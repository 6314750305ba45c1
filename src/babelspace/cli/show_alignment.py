"""`babelspace show-alignment`: the links of one sentence pair as grids."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelspace.cli.output import at_work, note
from babelspace.cli.sentences import link_options, load_links, load_pairs
from babelspace.errors import CorpusError

if TYPE_CHECKING:
    from babelspace.alignment.formats import LinkFile
    from babelspace.alignment.pictures import Grid

Words = list[str]


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--sentence", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Which line.")
@click.option("--links", metavar="FILE", help="Links to draw.")
@click.option("--gold", metavar="FILE", help="Gold links to draw, probable ones smaller.")
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="A model of `babelspace align --save`: draw its association matrix, its cepts and their links.",
)
@click.option(
    "--association",
    type=click.Choice(("sum", "agreement")),
    default="sum",
    show_default=True,
    help="How the two directions of the model are joined.",
)
@click.option(
    "--criterion", type=click.Choice(("aic", "bic")), default="aic", show_default=True, help="Number of cepts."
)
@click.option("--lowercase", is_flag=True, help="Make words lower-case for the model.")
@click.option("--swap", is_flag=True, help="Draw target words as rows and source words as columns.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A figure, .png, .svg or .pdf (extra `plot`).  [default: text on stdout]",
)
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
    links_format: str | None,
    links_base: str | None,
    gold_format: str | None,
    gold_base: str | None,
) -> None:
    """Draw the word links of a sentence pair.

    SOURCE and TARGET hold one sentence a line, words with spaces between. Rows are source words, columns target
    words; words without a link stand beside NULL.

    \b
    Example:
      babelspace show-alignment source.txt target.txt --links links.txt --sentence 21
      babelspace show-alignment source.txt target.txt --gold gold.txt --model aligner --sentence 21 -o figure.svg
    """
    from babelspace.alignment.pictures import as_text, draw

    if links is None and gold is None and model is None:
        raise click.UsageError("nothing to draw: give --links, --gold or --model.")
    with at_work():
        left, right = load_pairs(source, target, lowercase)
        if sentence > len(left):
            raise CorpusError(f"there is no sentence {sentence}", path=source, hint=f"it has {len(left):,} lines")
        words = left[sentence - 1], right[sentence - 1]
        grids: list[Grid] = []
        if gold is not None:
            grids.append(_drawn(load_links(gold, gold_format, gold_base, "--gold-base"), sentence, *words, "gold"))
        if links is not None:
            grids.append(_drawn(load_links(links, links_format, links_base, "--links-base"), sentence, *words, "links"))
        if model is not None:
            grids.extend(_modelled(model, *words, association, criterion))
        grids = [grid.swapped() for grid in grids] if swap else grids
        if output is not None:
            draw(grids, output)
    if output is not None:
        note(f"sentence {sentence} drawn in {output}")
    else:
        click.echo("\n\n".join(as_text(grid) for grid in grids))


def _drawn(found: LinkFile, sentence: int, source: Words, target: Words, title: str) -> Grid:
    from babelspace.alignment.pictures import links_grid

    if str(sentence) not in found.ids:
        note(f"{title}: no links of sentence {sentence}")
    chosen = found.chosen([str(sentence)])
    pairs, sure = chosen[0], chosen.only_sure()[0]
    return links_grid(sure, source, target, title, [pair for pair in pairs if pair not in sure])


def _modelled(folder: Path, source: Words, target: Words, association: str, criterion: str) -> Iterator[Grid]:
    from babelspace.alignment import Bitext, load_aligner
    from babelspace.alignment.association import from_posteriors
    from babelspace.alignment.cepts import CeptAligner
    from babelspace.alignment.pictures import association_grid, cept_grids

    posteriors = load_aligner(folder).posteriors(Bitext.of([source], [target]))
    matrices = from_posteriors(posteriors.forward, posteriors.reverse, association)
    cepts = CeptAligner(criterion=criterion).align(matrices)
    yield association_grid(matrices[0], source, target)
    left, right = cepts.words(0)
    yield from cept_grids(left.tolist(), right.tolist(), source, target)
