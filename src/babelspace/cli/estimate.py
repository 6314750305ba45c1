"""`babelspace estimate`: what a job will take, before it is started."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelspace.cli import options
from babelspace.cli.output import size, write_facts, write_json
from babelspace.cli.values import PATH, POSITIVE, option

if TYPE_CHECKING:
    from babelspace.workflows.estimate import Estimate


@click.group()
def command() -> None:
    """Tell how much memory and disk a job will take.

    Files are looked at, not read: their sizes and some of their documents tell the rest. Jobs make the same estimate
    when they are started, and refuse what the machine has no room for.

    \b
    Example:
      babelspace estimate fit corpus/ --space opca --dim 500
      babelspace estimate match model en.jsonl es.jsonl
    """


@command.command()
@click.argument("corpus")
@option("--space NAME", "See: babelspace spaces.", default="opca")
@option("--dim N", "Dimensions.", POSITIVE)
@option("--max-terms N", "Terms of each language.", POSITIVE)
@options.languages("Only these languages.")
@options.as_json
def fit(
    corpus: str, space: str, dim: int | None, max_terms: int | None, languages: Sequence[str] | None, as_json: bool
) -> None:
    """Of learning a space from paired documents.

    \b
    Example:
      babelspace estimate fit sample:help --space cca --dim 200
    """
    from babelspace.workflows.estimate import estimate_space
    from babelspace.workflows.sample_documents import look_at

    _tell(estimate_space(look_at(corpus, languages), space, dim, max_terms), as_json)


@command.command()
@click.argument("model", type=PATH)
@click.argument("source")
@click.argument("target")
@option("--work", "Vectors are kept in files (match --work).", is_flag=True)
@options.as_json
def match(model: Path, source: str, target: str, work: bool, as_json: bool) -> None:
    """Of finding the translations among two piles of documents.

    \b
    Example:
      babelspace estimate match model en.jsonl es.jsonl --work
    """
    from babelspace.workflows.estimate import estimate_match
    from babelspace.workflows.reading import load_model
    from babelspace.workflows.sample_documents import look_at

    _tell(estimate_match(load_model(model), look_at(source), look_at(target), work=work), as_json)


@command.command()
@click.argument("model", type=PATH)
@click.argument("documents")
@options.as_json
def index(model: Path, documents: str, as_json: bool) -> None:
    """Of making documents searchable.

    \b
    Example:
      babelspace estimate index model documents.jsonl
    """
    from babelspace.workflows.estimate import estimate_index
    from babelspace.workflows.reading import load_model
    from babelspace.workflows.sample_documents import look_at

    _tell(estimate_index(load_model(model), look_at(documents)), as_json)


def _tell(found: Estimate, as_json: bool) -> None:
    from babelspace.workflows.estimate import room

    free = room()
    if as_json:
        write_json({"job": found.job, "memory": found.memory, "disk": found.disk, "free": free, **found.as_dict()})
        return
    facts = [(name, size(count)) for name, count in found.parts.items() if count]
    known = "" if free is None else f" of {size(free)} that are free"
    write_facts([*facts, ("memory", f"about {size(found.memory)}{known}"), ("disk", f"about {size(found.disk)}")])
