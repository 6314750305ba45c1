"""What a model is made of and how well it did, without loading it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from babelspace.errors import ArtifactError
from babelspace.runtime.artifact import ARRAYS, ENCODER, read_card


def model_info(folder: str | Path) -> dict[str, Any]:
    """The card of a saved model, with its "dimensions" (None for a space that learns none) and size in "bytes"."""
    folder = Path(folder)
    card = read_card(folder, ENCODER)
    taken = sum(file.stat().st_size for file in folder.iterdir())
    return card | {"dimensions": _dimensions(folder), "bytes": taken}


def _dimensions(folder: Path) -> int | None:
    """How many the fit gave, which may be fewer than were asked for."""
    try:
        with safe_open(folder / ARRAYS, framework="np") as arrays:
            if "space/values" not in arrays.keys():  # noqa: SIM118 (not a dict)
                return None
            return int(arrays.get_slice("space/values").get_shape()[0])
    except (OSError, SafetensorError) as problem:
        raise ArtifactError(f"{folder}: the model is damaged ({problem}). Fit it again.") from problem
