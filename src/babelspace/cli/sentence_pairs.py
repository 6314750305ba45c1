"""`babelspace sentences`: the sentences of documents that belong together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, write_result, written_to
from babelspace.cli.values import PATH, option


@click.command()
@click.argument("source")
@click.argument("target")
@options.result_file("pairs", "File for the pairs.  [default: TSV on stdout]")
@option("--pairs TSV", "Which documents belong together, from match.  [default: same ids]")
@option("--model FOLDER", "A model that knows words.", PATH)
@options.pile_languages
@option("--comparable", "Only some sentences have a partner, in any order.", is_flag=True)
@options.pair_precision
@option("--wrapped", "Lines were filled to a width: single line breaks are spaces.", is_flag=True)
@options.threads
def command(
    source: str,
    target: str,
    output: Path | None,
    pairs: str | None,
    model: Path | None,
    source_language: str | None,
    target_language: str | None,
    precision: float,
    **mining: Any,
) -> None:
    """Pair the sentences of documents that belong together.

    SOURCE and TARGET each hold documents of one language, as for match. Documents with the same id belong together, or
    those that --pairs names. Without --model all words are learned from these documents.

    \b
    Example:
      babelspace sentences texts/en texts/es --pairs pairs.tsv --model model -o bitext.tmx
      babelspace sentences en.jsonl fr.jsonl --comparable --model model --precision .9 -o bitext.tsv
    """
    from babelspace.workflows.mine_sentences import mine_sentences, read_pairs
    from babelspace.workflows.reading import load_documents, load_model

    with at_work():
        encoder = None if model is None else load_model(model)
        known = None if pairs is None else read_pairs(pairs)
        sides = load_documents(source, source_language), load_documents(target, target_language)
        every = mine_sentences(*sides, known, encoder, precision=0, **mining)
        found = every.trusted(precision)
        write_result(found, output)
    expected = found.expected_precision
    promised = "" if expected is None else f"; expected precision {expected:.3f}"
    note(f"{len(found):,} sentence pairs{written_to(output)}{promised}")
    note(f"without a partner: {found.unpaired[0]:,} source and {found.unpaired[1]:,} target sentences")
    if len(every) and not len(found):
        note(f"none is so probable as --precision {precision:g} asks for; the best has {every.probability.max():.3f}")
