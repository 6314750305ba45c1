"""`babelspace spaces`: the table of spaces, and the parameters of one."""

from __future__ import annotations

import json
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.output import write_json, write_table


@click.command()
@click.argument("name", required=False)
@options.as_json
def command(name: str | None, as_json: bool) -> None:
    """List the spaces, their parameters and whom to cite.

    With NAME: what each parameter of that space may be, and what it does. Parameters are set with `fit --set`;
    n_components is --dim and random_state is --seed. Names joined by + are a combination.

    \b
    Example:
      babelspace spaces
      babelspace spaces opca
      babelspace fit sample:help --space cca --set gamma=10 -o model
    """
    from babelspace.workflows.list_spaces import describe_space, list_spaces

    if as_json:
        write_json(list_spaces() if name is None else describe_space(name))
    elif name is None:
        write_table(["name", "title", "citation", "parameters"], [_cells(row) for row in list_spaces()])
    else:
        _write_parameters(name)


def _cells(row: dict[str, Any]) -> list[str]:
    parameters = " ".join(f"{name}={json.dumps(value)}" for name, value in row["parameters"].items())
    return [row["name"], row["title"], row["citation"], parameters or "none"]


def _write_parameters(name: str) -> None:
    """One space: its parameters with default, range and a sentence."""
    from babelspace.workflows.list_spaces import card, defaults, parameters

    values, space = defaults(name), card(name)
    cells = [[key, json.dumps(values[key]), part.allowed, part.sentence] for key, part in parameters(name).items()]
    title = f"{name}: {space.title} ({space.citation})"
    write_table(["parameter", "default", "allowed", "meaning"], cells, title=title)
