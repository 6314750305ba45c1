"""What spaces there are, and what each of them takes."""

from __future__ import annotations

from typing import Any

from babelspace.spaces.registry import (
    SPACES,
    card,
    defaults,
    needs_counts,
    needs_translator,
    part_labels,
    parts_of,
)

__all__ = ["card", "defaults", "list_spaces", "needs_counts", "needs_translator", "part_labels", "parts_of"]


def list_spaces() -> list[dict[str, Any]]:
    """Name, title, citation, parameters with their defaults and usual grid of every space.

    Examples
    --------
    >>> {space["name"]: space["title"] for space in list_spaces()}["opca"]
    'Oriented principal component analysis'
    """
    return [
        {
            "name": name,
            "title": space.title,
            "citation": space.citation,
            "part": space.part,
            "parameters": defaults(name),
            "grid": space.grid,
        }
        for name, space in SPACES.items()
    ]
