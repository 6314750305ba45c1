"""Values of options that take several, with commas between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from babelspace.cli.parameters import parameters_of, read_value

Callback = Callable[[click.Context, click.Parameter, str | None], Any]


def listed(parse: Callable[[str], Any], example: str) -> Callback:
    """A callback for values with commas between."""

    def callback(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[Any, ...]:
        if value is None:
            return ()
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


def on_off(text: str) -> bool:
    """`on` or `off`."""
    known = {"on": True, "off": False}
    if text not in known:
        raise ValueError(f"{text!r} is not on or off")
    return known[text]


def parsed_grids(given: Sequence[str], spaces: Sequence[str]) -> dict[str, dict[str, list[Any]]] | None:
    """`opca.gamma=.1,1` over the usual grid of the space, which may be a part of a combination."""
    from babelspace.workflows.list_spaces import card, parts_of

    known = dict.fromkeys([*spaces, *(part for space in spaces for part in parts_of(space))])
    grids: dict[str, dict[str, list[Any]]] = {}
    for text in given:
        space, dot, rest = text.partition(".")
        name, equals, values = rest.partition("=")
        if not (dot and equals and values):
            raise _bad_grid(f"{text!r} is not SPACE.NAME=VALUES; write for example --grid opca.gamma=.1,1,10.")
        if space not in known:
            raise _bad_grid(f"{space!r} is not compared; --spaces has {', '.join(known)}.")
        allowed = _to_try(space)
        if name not in allowed:
            raise _bad_grid(
                f"{space} has no {name!r} to try; it has: {', '.join(allowed) or 'none'} (and --dims, --seed)."
            )
        usual = {key: list(tried) for key, tried in card(space).grid.items()}
        grids.setdefault(space, usual)[name] = [_value(space, name, part, text) for part in values.split(",")]
    return grids or None


def _to_try(space: str) -> dict[str, Any]:
    """Parameters with their defaults, apart from those that have options, and those of parts."""
    others = ("n_components", "random_state", "spaces", "parameters")
    return {name: value for name, value in parameters_of(space).items() if name not in others and "." not in name}


def _value(space: str, name: str, text: str, whole: str) -> Any:
    try:
        return read_value(space, name, text)
    except ValueError as problem:
        default = parameters_of(space)[name]
        raise _bad_grid(f"{text.strip()!r} in {whole!r} is not {problem}; the default is {default}.") from None


def _bad_grid(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="'--grid'")
