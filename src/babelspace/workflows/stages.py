"""What a workflow has to tell while it works."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
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


def advise(fact: str, hint: str = "") -> None:
    """A warning that the caller of the workflow sees; the command line prints it as a note."""
    warnings.warn(Advice(fact, hint=hint), stacklevel=3)


def advise_if_below_spelling(scores: Mapping[str, Any]) -> None:
    """A warning where a space finds fewer translations than words as they are spelled do, without learning anything."""
    base = scores.get("untranslated")
    if base is None or scores["mean"]["top1"] >= base["mean"]["top1"]:
        return
    learned, spelled = scores["mean"]["top1"], base["mean"]["top1"]
    warnings.warn(
        Advice(
            f"this space finds {learned:.1%} of the translations, words as they are spelled {spelled:.1%}:",
            hint="try {space='translation'} or {features='both'}, or let the rows decide ({space='auto'})",
        ),
        stacklevel=3,
    )
