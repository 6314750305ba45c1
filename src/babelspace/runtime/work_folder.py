"""A folder of unfinished work, which belongs to one piece of work alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from babelspace.errors import ParameterError
from babelspace.runtime.files import atomic_text, sweep

SETTINGS = "settings.json"


def claim(folder: Path, settings: Mapping[str, Any]) -> None:
    """Make the folder that of work with these settings; one with the work of others is an error, and left alone."""
    given = json.dumps(dict(settings), sort_keys=True)
    kept = folder / SETTINGS
    # What a kill left while the folder was claimed, or taken away, is nobody's work.
    for place in (folder, kept) if folder.is_dir() else (folder,):
        sweep(place)
    if kept.exists() and kept.read_bytes() != given.encode():
        raise ParameterError(
            f"{folder} holds unfinished work on other documents, with another model or with other settings; "
            "it is left alone",
            hint="choose another folder for {work}, or delete this one",
        )
    if folder.exists() and not kept.exists() and any(folder.iterdir()):
        raise ParameterError(
            f"{folder} exists and holds something else; it is left alone", hint="choose another folder for {work}"
        )
    if not kept.exists():
        with atomic_text(kept) as stream:
            stream.write(given)
