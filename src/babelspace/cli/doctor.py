"""`babelspace doctor`: how well a model fits documents, before they are matched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelspace.cli import options
from babelspace.cli.hints import hint_on_the_command_line
from babelspace.cli.options import one_standard_input
from babelspace.cli.output import at_work, share, write_json, write_table
from babelspace.cli.values import PATH

if TYPE_CHECKING:
    from babelspace.workflows.doctor import Diagnosis, Finding


@click.command()
@click.argument("model", type=PATH)
@click.argument("source")
@click.argument("target")
@options.pile_languages
@options.table_columns
@options.threads
@options.as_json
def command(
    model: Path, source: str, target: str, source_language: str | None, target_language: str | None, as_json: bool
) -> None:
    """Tell before matching how well a model fits documents.

    SOURCE and TARGET are piles as for match. Shown are the share of unknown words, whether the language is the one that
    is claimed, the length, the distance from the training documents, hubs, and the share of documents whose nearest
    will be their mate (if each has one); what is not fine comes with what to do about it.

    \b
    Example:
      babelspace doctor model en.jsonl.gz es.jsonl.gz
    """
    from babelspace.workflows.doctor import doctor
    from babelspace.workflows.reading import load_documents, load_model

    one_standard_input(source=source, target=target)
    with at_work():
        encoder = load_model(model)
        sources = load_documents(source, source_language)
        targets = load_documents(target, target_language)
        found = doctor(encoder, sources, targets)
    if as_json:
        advice = [{"advice": hint_on_the_command_line(finding.hint)} for finding in found.findings]
        told = found.as_dict()
        write_json(told | {"findings": [a | b for a, b in zip(told["findings"], advice, strict=True)]})
        return
    _show(found)


def _show(found: Diagnosis) -> None:
    rows = [_row(finding) for finding in found.findings]
    write_table(["", "side", "looked at", "here", "in training"], rows, numbers=2)
    for finding in found.findings:
        if not finding.fine:
            click.echo(f"! {finding.name} ({finding.side}): {hint_on_the_command_line(finding.hint)}")


def _row(finding: Finding) -> list[str]:
    baseline = "–" if finding.baseline is None else _number(finding, finding.baseline)
    return ["ok" if finding.fine else "!", finding.side, finding.name, _number(finding, finding.value), baseline]


def _number(finding: Finding, value: float) -> str:
    return f"{value:.0f}" if finding.name == "words" else f"{value:.1f}" if finding.name == "hubness" else share(value)
