"""Values of options that take several, with commas between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from babelspace.cli import options

Callback = Callable[[click.Context, click.Parameter, str], Any]


def listed(parse: Callable[[str], Any], example: str) -> Callback:
    """A callback for values with commas between."""

    def callback(ctx: click.Context, param: click.Parameter, value: str) -> tuple[Any, ...]:
        try:
            return tuple(dict.fromkeys(parse(part.strip()) for part in value.split(",")))
        except ValueError as problem:
            raise click.BadParameter(f"{value!r}: {problem or 'not understood'}; write for example {example}") from None

    return callback


def some_of(allowed: Sequence[str]) -> Callback:
    """A callback for some of the allowed words."""

    def parse(word: str) -> str:
        if word not in allowed:
            raise ValueError(f"{word!r} is not one of {', '.join(allowed)}")
        return word

    return listed(parse, ",".join(allowed[:2]))


def positive(text: str) -> int:
    """A whole number of 1 or more."""
    if not text.isdecimal() or not int(text):
        raise ValueError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def whole_number(text: str) -> int:
    """A whole number of 0 or more."""
    if not text.isdecimal():
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def three_shares(ctx: click.Context, param: click.Parameter, value: str) -> tuple[float, ...]:
    """`.8,.1,.1` as three shares."""
    try:
        shares = tuple(float(part) for part in value.split(","))
    except ValueError:
        shares = ()
    if len(shares) != 3 or not all(0 < share < 1 for share in shares) or sum(shares) > 1 + 1e-9:
        raise click.BadParameter(f"{value!r} is not three shares that sum to at most 1; write for example .8,.1,.1")
    return shares


def parsed_grids(given: Sequence[str], spaces: Sequence[str]) -> dict[str, dict[str, list[Any]]] | None:
    """`opca.gamma=.1,1` over the usual grid of the space."""
    from babelspace.spaces.registry import card

    grids: dict[str, dict[str, list[Any]]] = {}
    for text in given:
        space, dot, rest = text.partition(".")
        name, equals, values = rest.partition("=")
        if not (dot and equals and values):
            raise _bad_grid(f"{text!r} is not SPACE.NAME=VALUES; write for example --grid opca.gamma=.1,1,10.")
        if space not in spaces:
            raise _bad_grid(f"{space!r} is not compared; --spaces has {', '.join(spaces)}.")
        allowed = options.parameters_of(space)
        if name not in allowed or name in ("n_components", "random_state"):
            known = [key for key in allowed if key not in ("n_components", "random_state")]
            raise _bad_grid(
                f"{space} has no {name!r} to try; it has: {', '.join(known) or 'none'} (and --dims, --seed)."
            )
        usual = {key: list(tried) for key, tried in card(space).grid.items()}
        grids.setdefault(space, usual)[name] = [_value(part, allowed[name], text) for part in values.split(",")]
    return grids or None


def _value(text: str, default: Any, whole: str) -> Any:
    """A value of the kind that the parameter's default has."""
    text = text.strip()
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[text.lower()]
        return type(default)(text) if isinstance(default, (int, float)) else text
    except (KeyError, ValueError):
        kind = {bool: "true or false", int: "a whole number", float: "a number"}[type(default)]
        raise _bad_grid(f"{text!r} in {whole!r} is not {kind}; the default is {default}.") from None


def _bad_grid(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="'--grid'")
