"""What an index says of itself, for those who look at many and search none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babelspace.errors import StoreError
from babelspace.runtime.artifact import checked_card

FORMAT = 2
CARD = "index.json"


def is_index(folder: Path) -> bool:
    """Whether there is an index in this folder."""
    return (folder / CARD).is_file()


def read_card(folder: Path) -> dict[str, Any]:
    """The card of an index, checked."""
    return checked_card(folder / CARD, FORMAT, StoreError, "index", "make the index again", "{build_index()}")
