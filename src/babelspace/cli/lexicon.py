"""`babelspace lexicon`: a dictionary from word links."""

from __future__ import annotations

from pathlib import Path

import click

from babelspace.cli.output import at_work, note
from babelspace.cli.sentences import link_options, load_links, load_pairs

# Written out here, because the module that defines them is slow to import; a test compares.
FORMATS = ("tsv", "moses", "muse", "hunalign", "bicleaner")
PLAIN = ("muse", "hunalign", "bicleaner")


@click.command()
@click.argument("source")
@click.argument("target")
@click.argument("links")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE",
    help="File for the dictionary, also .gz; with --format moses the name before .f2e and .e2f.",
)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="tsv", show_default=True, help="What to write."
)
@click.option("--min-count", type=float, default=0, metavar="N", help="Least number of links.")
@click.option("--min-probability", type=float, default=0, metavar="P", help="Least probability, in both directions.")
@click.option("--min-significance", type=float, default=0, metavar="S", help="Least -log10 p of Fisher's exact test.")
@click.option("--best", type=click.IntRange(min=1), metavar="N", help="Most targets of each source word.")
@click.option(
    "--prune", type=float, default=0, metavar="X", help="Drop pairs X times less probable than the best of a word."
)
@click.option("--null", is_flag=True, help="Count words without a link as linked to NULL, as Moses does.")
@click.option("--lowercase", is_flag=True, help="Make words lower-case first.")
@link_options("links")
def command(
    source: str,
    target: str,
    links: str,
    output: Path,
    format_: str,
    min_count: float,
    min_probability: float,
    min_significance: float,
    best: int | None,
    prune: float,
    null: bool,
    lowercase: bool,
    links_format: str | None,
    links_base: str | None,
) -> None:
    """Make a dictionary from word links.

    SOURCE and TARGET hold one sentence a line, words with spaces between; LINKS their word links. Columns: tsv has
    source, target, count, P(target|source), P(source|target), log-likelihood ratio and significance; moses writes two
    files, target source P(target|source) and source target P(source|target); muse source target; hunalign target @
    source; bicleaner target source P(target|source).

    \b
    Example:
      babelspace lexicon source.txt target.txt links.txt --min-count 2 --min-significance 3 -o dictionary.tsv
      babelspace lexicon source.txt target.txt links.txt --format moses --null -o lex
    """
    from babelspace.alignment.lexicon import count_links
    from babelspace.alignment.lexicon_formats import write_lexicon

    with at_work():
        left, right = load_pairs(source, target, lowercase)
        found = load_links(links, links_format, links_base, "--links-base")
        lexicon = count_links(found.links, left, right, null=null)
        kept = lexicon.filtered(min_count, min_probability, min_significance, best, prune)
        files = write_lexicon(kept.without_null() if format_ in PLAIN else kept, output, format_)
    names = " and ".join(map(str, files))
    note(f"{len(kept):,} of {len(lexicon):,} word pairs written to {names}")
