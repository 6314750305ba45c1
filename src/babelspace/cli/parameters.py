"""Parameters of spaces and aligners on the command line: their names, and values of a kind that each takes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from babelspace.workflows.list_spaces import Table


def parameters_of(space: str) -> dict[str, Any]:
    """The parameters of a space with their defaults; those of the parts of a combination as `opca.gamma`."""
    from babelspace.workflows.list_spaces import defaults

    return defaults(space)


def parse_settings(space: str, settings: Sequence[str]) -> dict[str, Any]:
    """Values of `--set gamma=1 --set center=true`, checked against the space's parameters."""
    from babelspace.workflows.list_spaces import parameters

    return parse_values(space, parameters(space), parameters_of(space), settings)


def parse_values(owner: str, table: Table, defaults: Mapping[str, Any], settings: Sequence[str]) -> dict[str, Any]:
    """Values of `--set NAME=VALUE`, read as the table of an estimator says."""
    return dict(_setting(owner, table, defaults, setting) for setting in settings)


def _setting(owner: str, table: Table, defaults: Mapping[str, Any], setting: str) -> tuple[str, Any]:
    name, equals, text = setting.partition("=")
    if not equals or not name:
        raise _bad_set(f"{setting!r} is not NAME=VALUE; write for example --set gamma=1.")
    if name not in table:
        names = ", ".join(f"{known}={json.dumps(value)}" for known, value in defaults.items())
        raise _bad_set(f"{owner} has no parameter {name!r}; it has: {names or 'none'}.")
    try:
        return name, table[name].read(text)
    except ValueError as problem:
        default = json.dumps(defaults[name])
        raise _bad_set(f"{name} takes {problem}, got {text!r}; its default is --set {name}={default}.") from None


def read_value(space: str, name: str, text: str) -> Any:
    """The text as a value that the parameter takes; a ValueError says what that is."""
    from babelspace.workflows.list_spaces import parameters

    return parameters(space)[name].read(text)


def _bad_set(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="'--set'")
