"""`babelspace fit-unpaired`: from piles of documents and a dictionary to a saved model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.fit import Report, parameters_given, vectorizer_of
from babelspace.cli.output import at_work
from babelspace.cli.translating import word_source
from babelspace.cli.values import POSITIVE, option


@click.command()
@click.argument("corpus")
@options.model_folder()
@option(
    "--lexicon EN-ES=FILE",
    "A dictionary; words of the first language stand first. One for each language beside the pivot.",
    multiple=True,
    required=True,
)
@option("--space NAME", "See: babelspace spaces.", default="cca")
@option("--dim N", "Dimensions.  [default: 300; topic models fewer]", POSITIVE)
@option("--pivot LANGUAGE", "The language that all dictionaries have.  [default: most documents]")
@option("--pairs CORPUS", "Known pairs: they score the model and teach match its probabilities.")
@options.languages("Learn only these languages.")
@options.corpus_format
@options.space_settings
@options.vectorizer_options
@options.seed
@options.threads
@options.as_json
def command(
    corpus: str,
    output: Path,
    lexicon: Sequence[str],
    space: str,
    dim: int | None,
    pivot: str | None,
    pairs: str | None,
    languages: Sequence[str] | None,
    corpus_format: str | None,
    settings: Sequence[str],
    seed: int,
    as_json: bool,
    **features: Any,
) -> None:
    """Learn a space from a dictionary instead of pairs.

    Every document is set beside its own translation, word by word, and the space learns from these. Which ids two
    languages share is ignored. How good the model is can only be told from some known pairs (--pairs), which also teach
    match its probabilities.

    \b
    Example:
      babelspace fit-unpaired piles/ --lexicon en-es=dictionary.tsv -o model
      babelspace fit-unpaired piles/ --lexicon en-es=dictionary.tsv --pairs known.tsv --dim 200 -o model
    """
    from babelspace import fit_from_dictionary
    from babelspace.workflows.reading import load_corpus

    report = Report(as_json)
    with at_work():
        given = parameters_given(space, dim, settings)
        piles = load_corpus(corpus, corpus_format, languages)
        known = None if pairs is None else load_corpus(pairs, None, list(piles.languages))
        report.reading_done()
        encoder = fit_from_dictionary(
            piles,
            word_source(lexicon)["lexicon"],
            space,
            pairs=known,
            pivot=pivot,
            vectorizer=vectorizer_of(space, features, piles.languages),
            seed=seed,
            on_stage=report.stage,
            **given,
        )
        encoder.save(output)
    report.end(output)
