"""`babelspace spaces`: the table of spaces."""

from __future__ import annotations

import json
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.output import write_json, write_table
from babelspace.cli.parameters import parameters_of


@click.command()
@options.as_json
def command(as_json: bool) -> None:
    """List the spaces, their parameters and whom to cite.

    Parameters are set with `fit --set`; n_components is --dim and random_state is --seed.

    \b
    Example:
      babelspace spaces
      babelspace fit sample:help --space cca --set gamma=10 -o model
    """
    from babelspace.spaces.registry import SPACES

    rows = [
        {
            "name": name,
            "title": card.title,
            "citation": card.citation,
            "part": card.part,
            "parameters": parameters_of(name),
            "grid": card.grid,
        }
        for name, card in SPACES.items()
    ]
    if as_json:
        write_json(rows)
    else:
        write_table(["name", "title", "citation", "parameters"], [_cells(row) for row in rows])


def _cells(row: dict[str, Any]) -> list[str]:
    parameters = " ".join(f"{name}={json.dumps(value)}" for name, value in row["parameters"].items())
    return [row["name"], row["title"], row["citation"], parameters or "none"]
