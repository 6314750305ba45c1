"""`babelspace grow`: from a few known pairs to many, round by round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, check_model_place, check_place, note, write_result, written_to
from babelspace.cli.values import BELOW_ONE, PATH, POSITIVE, option


@click.command()
@click.argument("known")
@click.argument("source")
@click.argument("target")
@options.result_file("table", "File for the document pairs.  [default: TSV on stdout]")
@option("--model FOLDER", "Keep the model of the best round.", PATH)
@option("--sentences FILE", "Keep sentence pairs: .tmx, .tsv, .xlsx, …", PATH)
@options.pile_languages
@option("--space NAME", "The space to learn.", default="opca+translation")
@option("--dim N", "Its dimensions.", POSITIVE)
@option("--precision SHARE", "Expected share of right pairs among those that teach.", BELOW_ONE, default=0.95)
@option("--rounds N", "Most rounds.", POSITIVE, default=5)
@option("--work FOLDER", "Keep rounds: a killed run goes on.", PATH)
@options.seed
@options.threads
def command(
    known: str,
    source: str,
    target: str,
    output: Path | None,
    model: Path | None,
    sentences: Path | None,
    source_language: str | None,
    target_language: str | None,
    space: str,
    dim: int | None,
    precision: float,
    **settings: Any,
) -> None:
    """Match, learn from the matched documents, match again.

    KNOWN is a corpus of paired documents to start with; SOURCE and TARGET hold documents of one language each. Rounds
    learn from whole documents and from their sentences. Every round is scored on rows of KNOWN that none learns from,
    and the loop ends when nothing certain is gained, or accuracy or precision falls.

    \b
    Example:
      babelspace grow pairs.tsv texts/en texts/es --model model --sentences bitext.tmx -o pairs.tsv
    """
    from babelspace.runtime.exports.formats import output_format
    from babelspace.workflows.grow import grow
    from babelspace.workflows.reading import load_corpus, load_documents

    if model is not None:
        check_model_place(model, "--model")
    if sentences is not None:
        check_place(sentences, "--sentences")
        output_format(sentences, "pairs")
    with at_work():
        documents = load_documents(source, source_language), load_documents(target, target_language)
        codes = [documents[0][0].language, documents[1][0].language]
        settings |= {"precision": precision} | ({} if dim is None else {"n_components": dim})
        corpus = load_corpus(known, None, codes)
        growth = grow(corpus, *documents, space, on_round=lambda one: note(one.told()), **settings)
        note(f"stopped: {growth.stopped}")
        write_result(growth.pair_table(), output)
        if model is not None:
            growth.encoder.save(model)
        if sentences is not None:
            found = growth.sentences(precision)
            found.write(sentences)
            note(f"{len(found):,} sentence pairs written to {sentences}")
    note(f"{len(growth.pairs):,} document pairs{written_to(output)}")
