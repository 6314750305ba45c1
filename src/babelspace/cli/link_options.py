"""Options for files of word links."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from babelspace.cli.options import together
from babelspace.cli.values import option

F = TypeVar("F", bound=Callable[..., Any])

# Written out here, because the module that defines them is slow to import; a test compares.
LINK_FORMATS = ("pharaoh", "moses", "naacl")
BASES = (0, 1)


def link_options(what: str) -> Callable[[F], F]:
    """`--links-format` and `--links-base`, or those of another file."""
    name, told = what.upper(), "[default: found out, with a note]"
    return together(
        option(f"--{what}-base", f"Whether positions in {name} count from 0 or 1.  {told}", BASES),
        option(f"--{what}-format", f"Format of {name}.  [default: by its first line]", LINK_FORMATS),
    )
