"""`babelspace extend`: one more language for a saved model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, share
from babelspace.cli.values import BELOW_ONE, PATH, option


@click.command()
@click.argument("model", type=PATH)
@click.argument("corpus")
@options.model_folder()
@options.languages("Read only these languages of the corpus.")
@options.corpus_format
@option(
    "--holdout SHARE",
    "Share of the rows (by hash of their id) to keep apart and score the model on.  [default: 0.1, if enough]",
    BELOW_ONE,
)
@option("--gamma", "Ridge of the regression.", float, default=3.0)
@options.threads
def command(
    model: Path,
    corpus: str,
    output: Path,
    languages: Sequence[str] | None,
    corpus_format: str | None,
    holdout: float | None,
    gamma: float,
) -> None:
    """Add languages that a model does not know yet.

    The corpus pairs them with one or more languages that the model knows. All that the model knew stays as it is: old
    vectors and indexes serve the new model, too.

    \b
    Example:
      babelspace fit sample:help --languages en,es --space opca -o model
      babelspace extend model sample:help --languages es,de -o larger
    """
    from babelspace.workflows.extend import extend_model
    from babelspace.workflows.reading import load_corpus, load_model

    with at_work():
        encoder = load_model(model)
        rows = load_corpus(corpus, corpus_format, languages)
        larger, scores = extend_model(encoder, rows, holdout=holdout, gamma=gamma)
        larger.save(output)
    fresh = ", ".join(name for name in larger.languages_ if name not in encoder.languages_)
    if scores:
        note(f"held-out rows: mates found first {share(scores['mean']['top1'])}")
    note(f"saved {output}: {fresh} added to {', '.join(encoder.languages_)}")
