"""`babelspace lexicon`: a dictionary from word links."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.bitext_options import ALIGNERS, bitext_text, check_texts, link_options
from babelspace.cli.output import at_work, note, to_stdout, write_result
from babelspace.cli.values import PATH, POSITIVE, FiniteRange, option

# Written out here, because the module that defines them is slow to import; a test compares.
FORMATS = ("tsv", "moses", "muse", "hunalign", "bicleaner")
PLAIN = ("muse", "hunalign", "bicleaner")
BOUND = FiniteRange(min=0)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="BITEXT | SOURCE TARGET [LINKS]")
@options.result_file(
    "lexicon",
    "File for the dictionary; with --format moses the name before .f2e and .e2f.  [default: TSV on stdout]",
    unless="format_",
)
@option("--format", "What to write.  [default: what the suffix says]", FORMATS, name="format_")
@option("--min-count N", "Least number of links.", BOUND, default=0)
@option("--min-probability P", "Least probability, in both directions.", BOUND, default=0)
@option("--min-significance S", "Least -log10 p of Fisher's exact test.", BOUND, default=0)
@option("--best N", "Most targets of each source word.", POSITIVE)
@option("--prune X", "Drop pairs X times less probable than the best of a word.", BOUND, default=0)
@option("--null", "Count words without a link as linked to NULL, as Moses does.", is_flag=True)
@bitext_text
@option("--aligner", "What links words without LINKS.  [default: hmm]", ALIGNERS)
@option("--load FOLDER", "An aligner that align --save kept.", PATH)
@link_options("links")
@options.table_columns
@options.threads
def command(
    paths: Sequence[str],
    output: Path | None,
    format_: str | None,
    languages: Sequence[str] | None,
    tokenised: bool,
    lowercase: bool,
    aligner: str | None,
    load: Path | None,
    links_format: str | None,
    links_base: int | None,
    **kept: Any,
) -> None:
    """Make a dictionary from word links.

    BITEXT is a corpus of sentence pairs; or SOURCE and TARGET hold one sentence a line each, and LINKS their word
    links, if they are made already. Texts are cut into words by the rules of their languages; --tokenised takes the
    words between spaces as they stand. Columns: tsv has source, target, count, P(target|source), P(source|target),
    log-likelihood ratio and significance; moses (.f2e) writes two files, target source P(target|source) and source
    target P(source|target); muse (.txt) source target; hunalign (.dic) target @ source; bicleaner target source
    P(target|source).

    \b
    Example:
      babelspace lexicon memory.tmx --languages en,es --min-significance 3 -o dictionary.tbx
      babelspace lexicon source.txt target.txt links.txt --tokenised --min-count 2 -o dictionary.tsv
      babelspace lexicon source.txt target.txt links.txt --tokenised --format moses --null -o lex
    """
    from babelspace.workflows.lexicon import lexicon, load_bitext, load_or_make_links, write_lexicon

    check_texts(paths, 3)
    _check(paths, aligner, load)
    if format_ == "moses" and to_stdout(output):
        raise click.UsageError("--format moses writes two files: give their common name, for example -o lex.")
    with at_work():
        pairs = load_bitext(paths[:2], languages, tokenised=tokenised, lowercase=lowercase)
        linked = load_or_make_links(
            pairs, paths[2] if len(paths) == 3 else None, links_format, links_base, aligner, load
        )
        words = pairs.source.words, pairs.target.words
        found, counted = lexicon(*words, linked, languages=pairs.languages, **kept)
        if format_ is None:
            files = " and ".join(map(str, write_result(found, output)))
        else:
            found = found.without_null() if format_ in PLAIN else found
            place = sys.stdout if output is None or to_stdout(output) else output
            files = " and ".join(map(str, write_lexicon(found, place, format_)))
    note(f"{len(found):,} of {counted:,} word pairs" + (f" written to {files}" if files else ""))


def _check(paths: Sequence[str], aligner: str | None, load: Path | None) -> None:
    if len(paths) == 3 and (aligner or load):
        raise click.UsageError("LINKS are there already: leave out --aligner and --load.")
    if aligner and load:
        raise click.UsageError("--load brings a trained model: leave out --aligner.")
