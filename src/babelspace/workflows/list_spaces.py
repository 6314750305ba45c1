"""What spaces there are, and what each of them takes."""

from __future__ import annotations

from typing import Any

from babelspace.runtime.parameters import Table as Table
from babelspace.spaces.registry import (
    SPACES,
    card as card,
    defaults as defaults,
    most_terms as most_terms,
    needs_counts as needs_counts,
    needs_translator as needs_translator,
    parameters as parameters,
    parts_of as parts_of,
)


def list_spaces() -> list[dict[str, Any]]:
    """Name, title, citation, parameters with their defaults and usual grid of every space.

    Examples
    --------
    >>> {space["name"]: space["title"] for space in list_spaces()}["opca"]
    'Oriented principal component analysis'
    """
    return [_row(name) for name in SPACES]


def describe_space(name: str) -> dict[str, Any]:
    """One space, or a combination: what each of its parameters may be and does, as JSON schema has it.

    Examples
    --------
    >>> describe_space("opca")["parameters"]["gamma"]["exclusiveMinimum"]
    0
    """
    values = defaults(name)
    schemas = {key: {**part.schema(), "default": values[key]} for key, part in parameters(name).items()}
    return {**_row(name), "parameters": schemas}


def _row(name: str) -> dict[str, Any]:
    space = card(name)
    told = {"name": name, "title": space.title, "citation": space.citation, "part": space.part}
    return {**told, "parameters": defaults(name), "grid": space.grid}
