"""Options for files of word links."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

# Written out here, because the module that defines them is slow to import; a test compares.
LINK_FORMATS = ("pharaoh", "moses", "naacl")
BASES = click.Choice(("0", "1"))


def position_base(value: str | None) -> int | None:
    """The base as a number."""
    return None if value is None else int(value)


def link_options(what: str) -> Callable[[F], F]:
    """`--links-format` and `--links-base`, or those of another file."""

    def decorate(command: F) -> F:
        text = f"Format of {what.upper()}.  [default: by its first line]"
        command = click.option(f"--{what}-format", type=click.Choice(LINK_FORMATS), help=text)(command)
        text = f"Whether positions in {what.upper()} count from 0 or 1.  [default: found out, with a note]"
        return click.option(f"--{what}-base", type=BASES, help=text)(command)

    return decorate
