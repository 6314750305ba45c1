"""The table of spaces: docs, `babelspace spaces` and the contract tests iterate over it."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any

from babelspace.errors import ParameterError


@dataclass(frozen=True)
class SpaceCard:
    """One space: where it lives, what to call it, whom to cite."""

    target: str
    title: str
    citation: str
    part: str
    grid: dict[str, list[Any]] = field(default_factory=dict)
    """Parameters worth searching on dev, dimension apart."""

    def load(self) -> type:
        """The class."""
        module, name = self.target.split(":")
        return getattr(importlib.import_module(module), name)


SPACES: dict[str, SpaceCard] = {
    "untranslated": SpaceCard(
        "babelspace.spaces.untranslated:Untranslated",
        "Weighted words as spelled, no learning",
        "Platt, Toutanova & Yih 2010",
        "P9",
    ),
    "cl-lsi": SpaceCard(
        "babelspace.spaces.lsi:CLLSI",
        "Cross-language latent semantic indexing",
        "Dumais et al. 1997",
        "P2",
    ),
    "cca": SpaceCard(
        "babelspace.spaces.cca:CCA",
        "Canonical correlation analysis",
        "Vinokourov et al. 2003",
        "P4",
        {"gamma": [1.0, 3.0, 10.0, 30.0, 100.0]},
    ),
    "opca": SpaceCard(
        "babelspace.spaces.opca:OPCA",
        "Oriented principal component analysis",
        "Platt, Toutanova & Yih 2010",
        "P3, P14",
        {"gamma": [0.03, 0.1, 0.3, 1.0]},
    ),
}


def card(name: str) -> SpaceCard:
    """The card of a space, or an error that lists the known ones."""
    if name not in SPACES:
        raise ParameterError(f"unknown space {name!r}; known: {', '.join(SPACES)}. See: babelspace spaces")
    return SPACES[name]


def make(name: str, **parameters: Any) -> Any:
    """A space by its registry name; parameters that it does not have are an error."""
    kind = card(name).load()
    allowed = kind._get_param_names()  # type: ignore[attr-defined]
    unknown = sorted(set(parameters) - set(allowed))
    if unknown:
        raise ParameterError(f"{name} has no parameter {', '.join(unknown)}; it has: {', '.join(allowed) or 'none'}.")
    return kind(**parameters)


def name_of(space: object) -> str:
    """The registry name of a space instance."""
    kind = type(space)
    for name, entry in SPACES.items():
        if entry.target == f"{kind.__module__}:{kind.__qualname__}":
            return name
    raise ParameterError(f"{kind.__name__} is not in the table of spaces; known: {', '.join(SPACES)}.")
