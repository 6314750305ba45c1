"""What a workflow has to tell while it works."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from babelspace.errors import Advice


@dataclass(frozen=True)
class Stage:
    """A step that is done, and what is known since: plain values that JSON can hold."""

    name: str
    facts: Mapping[str, Any] = field(default_factory=dict)


OnStage = Callable[[Stage], None]


def tell(on_stage: OnStage | None, name: str, **facts: Any) -> None:
    """Tell a stage to whoever listens."""
    if on_stage is not None:
        on_stage(Stage(name, facts))


_hearer: ContextVar[Callable[[Advice], None] | None] = ContextVar("babelspace_advice", default=None)


def advise(fact: str, hint: str = "") -> None:
    """A warning that the caller of the workflow sees; the command line prints it as a note."""
    _give(Advice(fact, hint=hint))


@contextmanager
def advice_told_to(hear: Callable[[Advice], None]) -> Iterator[None]:
    """Advice of the body goes to `hear`: Python's warnings cannot tell which of several threads they belong to.

    Examples
    --------
    >>> told = []
    >>> with advice_told_to(told.append):
    ...     advise("rows are few;", "give more ({rows=100})")
    >>> str(told[0])
    'rows are few; give more (rows=100)'
    """
    token = _hearer.set(hear)
    try:
        yield
    finally:
        _hearer.reset(token)


def _give(advice: Advice) -> None:
    hear = _hearer.get()
    if hear is None:
        warnings.warn(advice, stacklevel=4)
    else:
        hear(advice)


def advise_if_below_spelling(scores: Mapping[str, Any]) -> None:
    """A warning where a space finds fewer translations than words as they are spelled do, without learning anything."""
    base = scores.get("untranslated")
    if base is None or scores["mean"]["top1"] >= base["mean"]["top1"]:
        return
    learned, spelled = scores["mean"]["top1"], base["mean"]["top1"]
    _give(
        Advice(
            f"this space finds {learned:.1%} of the translations, words as they are spelled {spelled:.1%}:",
            hint="try {space='translation'} or {features='both'}, or let the rows decide ({space='auto'})",
        )
    )
