"""`babelspace lexicon`: a dictionary from word links."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from babelspace.cli import options
from babelspace.cli.link_options import link_options, position_base
from babelspace.cli.options import one_standard_input
from babelspace.cli.output import at_work, note, to_stdout

# Written out here, because the module that defines them is slow to import; a test compares.
FORMATS = ("tsv", "moses", "muse", "hunalign", "bicleaner")
PLAIN = ("muse", "hunalign", "bicleaner")
BOUND = options.FiniteRange(min=0)


@click.command()
@click.argument("source")
@click.argument("target")
@click.argument("links")
@options.output_file(
    "File for the dictionary, also .gz or .xz; with --format moses the name before .f2e and .e2f.  [default: stdout]"
)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="tsv", show_default=True, help="What to write."
)
@click.option("--min-count", type=BOUND, default=0, metavar="N", help="Least number of links.")
@click.option("--min-probability", type=BOUND, default=0, metavar="P", help="Least probability, in both directions.")
@click.option("--min-significance", type=BOUND, default=0, metavar="S", help="Least -log10 p of Fisher's exact test.")
@click.option("--best", type=click.IntRange(min=1), metavar="N", help="Most targets of each source word.")
@click.option(
    "--prune", type=BOUND, default=0, metavar="X", help="Drop pairs X times less probable than the best of a word."
)
@click.option("--null", is_flag=True, help="Count words without a link as linked to NULL, as Moses does.")
@click.option("--lowercase", is_flag=True, help="Make words lower-case first.")
@link_options("links")
def command(
    source: str,
    target: str,
    links: str,
    output: Path | None,
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
    from babelspace.workflows.lexicon import lexicon, links_of_sentences, load_pairs, write_lexicon

    one_standard_input(source=source, target=target, links=links)
    if format_ == "moses" and to_stdout(output):
        raise click.UsageError("--format moses writes two files: give their common name, for example -o lex.")
    with at_work():
        left, right = load_pairs(source, target, lowercase)
        linked = links_of_sentences(links, left, right, links_format, position_base(links_base))
        kept, counted = lexicon(
            left,
            right,
            linked,
            min_count=min_count,
            min_probability=min_probability,
            min_significance=min_significance,
            best=best,
            prune=prune,
            null=null,
        )
        kept = kept.without_null() if format_ in PLAIN else kept
        place = sys.stdout if output is None or to_stdout(output) else output
        files = " and ".join(map(str, write_lexicon(kept, place, format_)))
    note(f"{len(kept):,} of {counted:,} word pairs" + (f" written to {files}" if files else ""))
