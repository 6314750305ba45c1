"""Parameters of spaces on the command line: their names, and values of the kind that each takes."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

TRUTH = {"true": True, "false": False}


def parameters_of(space: str) -> dict[str, Any]:
    """The parameters of a space with their defaults; those of the parts of a combination as `opca.gamma`."""
    from babelspace.spaces.registry import defaults

    return defaults(space)


def parse_settings(space: str, settings: Sequence[str]) -> dict[str, Any]:
    """Values of `--set gamma=1 --set center=true`, checked against the space's parameters."""
    allowed = parameters_of(space)
    return dict(_setting(space, allowed, setting) for setting in settings)


def _setting(space: str, allowed: Mapping[str, Any], setting: str) -> tuple[str, Any]:
    name, equals, text = setting.partition("=")
    if not equals or not name:
        raise _bad_set(f"{setting!r} is not NAME=VALUE; write for example --set gamma=1.")
    if name not in allowed:
        names = ", ".join(f"{known}={json.dumps(value)}" for known, value in allowed.items())
        raise _bad_set(f"{space} has no parameter {name!r}; it has: {names or 'none'}.")
    try:
        return name, read_value(space, name, text)
    except ValueError as problem:
        default = json.dumps(allowed[name])
        raise _bad_set(f"{name} takes {problem}, got {text!r}; its default is --set {name}={default}.") from None


def read_value(space: str, name: str, text: str) -> Any:
    """The text as a value of a kind that the parameter is annotated with; a ValueError names these kinds."""
    kinds = _kinds(space, name)
    for kind in kinds:
        try:
            return READERS[kind][1](text.strip())
        except (KeyError, ValueError):
            continue
    raise ValueError(" or ".join(READERS[kind][0] for kind in kinds))


def _nothing(text: str) -> None:
    if text not in ("none", "null"):
        raise ValueError(text)


def _structure(text: str) -> Any:
    if not text.startswith(("[", "{")):
        raise ValueError(text)
    return json.loads(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


# In the order in which they are tried.
READERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "None": ("none", _nothing),
    "bool": ("true or false", TRUTH.__getitem__),
    "int": ("a whole number", int),
    "float": ("a number", _finite),
    "Sequence": ("a list as JSON", _structure),
    "Mapping": ("an object as JSON", _structure),
    "str": ("a word", str),
}


def _kinds(space: str, name: str) -> list[str]:
    """What a parameter may be, from its annotation, or from its default where that says something else."""
    from babelspace.spaces.registry import card, part_labels

    label, dot, rest = name.partition(".")
    if dot:
        parts = space.split("+")
        return _kinds(dict(zip(part_labels(parts), parts, strict=True))[label], rest)
    parameter = inspect.signature(card(space).load()).parameters[name]
    told = {part.strip().partition("[")[0] for part in str(parameter.annotation).split("|")}
    return [kind for kind in READERS if kind in told or kind == type(parameter.default).__name__]


def _bad_set(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="'--set'")
