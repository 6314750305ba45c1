"""A folder of unfinished work, which belongs to one piece of work alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from babelspace.errors import ArtifactError, ParameterError
from babelspace.runtime.artifact import open_regular
from babelspace.runtime.files import atomic_text, sweep

SETTINGS = "settings.json"
# Said by the settings, so that a folder with a file of this name is not taken for one of ours.
MADE_BY = "babelspace: unfinished work"


def claim(folder: Path, settings: Mapping[str, Any]) -> None:
    """Make the folder that of work with these settings; one with the work of others is an error, and left alone."""
    given = json.dumps({"made_by": MADE_BY, "settings": dict(settings)}, sort_keys=True)
    kept = folder / SETTINGS
    refuse_strange(folder)
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


def is_claimed(folder: Path) -> bool:
    """Whether this is a folder that was made for unfinished work."""
    try:
        with open_regular(folder / SETTINGS) as stream:
            said = json.loads(stream.read())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(said, dict) and said.get("made_by") == MADE_BY


def refuse_strange(folder: Path) -> None:
    """Raise if a folder that may be of somebody else holds what leads out of it: work is read and written inside."""
    for path in strange(folder):
        raise ArtifactError(
            f"{path} is a link, a pipe or a device, none of which unfinished work has; it is left alone",
            hint="remove it, or choose another folder for {work}",
        )


def strange(folder: Path) -> Iterator[Path]:
    """Links, pipes and devices in a folder, however deep."""
    for entry in sorted(os.scandir(folder), key=lambda one: one.name) if folder.is_dir() else ():
        if entry.is_dir(follow_symlinks=False):
            yield from strange(Path(entry))
        elif not entry.is_file(follow_symlinks=False):
            yield Path(entry)
