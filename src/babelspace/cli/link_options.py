"""Options for files of word links."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from babelspace.cli.options import together

F = TypeVar("F", bound=Callable[..., Any])

# Written out here, because the module that defines them is slow to import; a test compares.
LINK_FORMATS = click.Choice(("pharaoh", "moses", "naacl"))
BASES = click.Choice((0, 1))


def link_options(what: str) -> Callable[[F], F]:
    """`--links-format` and `--links-base`, or those of another file."""
    name, told = what.upper(), "[default: found out, with a note]"
    return together(
        click.option(f"--{what}-base", type=BASES, help=f"Whether positions in {name} count from 0 or 1.  {told}"),
        click.option(f"--{what}-format", type=LINK_FORMATS, help=f"Format of {name}.  [default: by its first line]"),
    )
