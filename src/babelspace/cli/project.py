"""`babelspace project`: labels carried over to the other language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.bitext_options import bitext_options, linked
from babelspace.cli.output import at_work, note
from babelspace.cli.values import PATH, option


@click.command()
@click.argument("bitext")
@click.argument("labels")
@option("-o, --output FILE", "For the labels.", PATH, required=True)
@bitext_options
@options.threads
def command(bitext: str, labels: str, output: Path, **linking: Any) -> None:
    """Carry labels over to the other language through word links.

    LABELS is CoNLL (a word and its tag, B-PER, I-PER, O, a line; a blank line after each sentence) or .jsonl with
    {"sentence": 0, "start": 2, "end": 4, "label": "PER"}, words counted from 0. The output has the same form, with the
    probability of each label.

    \b
    Example:
      babelspace project bitext.tmx names.conll --languages en,es -o names.es.conll
    """
    from babelspace.workflows.terminology import project_file

    with at_work():
        pairs = linked(bitext, **linking)
        count = project_file(pairs, labels, output)
    note(f"{count:,} labelled spans of {len(pairs):,} sentence pairs written to {output}")
