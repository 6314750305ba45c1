"""Options as their help shows them, and the kinds of values that options and arguments take."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class FiniteRange(click.FloatRange):
    """A range of numbers; nan would pass every comparison with its ends."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number in the range {self._describe_range()}.", param, ctx)
        return number


POSITIVE, COUNT = click.IntRange(min=1), click.IntRange(min=0)
SHARE, BELOW_ONE = FiniteRange(0, 1), FiniteRange(0, 1, max_open=True)
PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


def option(shown: str, text: str, kind: Any = None, *, name: str | None = None, **others: Any) -> Callable[[F], F]:
    """An option as its help shows it, for example `option("--head N", "Use only the first N words.", POSITIVE)`.

    A tuple of words as its kind means one of them; `name` is what the command calls it, if not the same.
    """
    flags = [part.rstrip(",") for part in shown.split() if part.startswith("-")]
    metavar = " ".join(part for part in shown.split() if not part.startswith("-")) or None
    kind = click.Choice(kind) if isinstance(kind, tuple) else kind
    return click.option(*flags, *([name] if name else []), type=kind, metavar=metavar, help=text, **others)
