"""Folders of unfinished work: whether what is done of a match, a loop, a training or a fit is as it was written."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from babelspace.corpus.blocked import PLACES, check_chunk
from babelspace.errors import ArtifactError
from babelspace.mining.checkpoint import COMPARED
from babelspace.runtime import artifact
from babelspace.runtime.block_files import JOURNAL, BlockFiles
from babelspace.runtime.engine import read_arrays
from babelspace.runtime.work_folder import is_claimed, strange
from babelspace.spaces.topics.checkpoint import TRAINING
from babelspace.workflows.grow_rounds import read_round

Look = Callable[[Path], object]
NUMBER = "[0-9]" * 5


def is_work(folder: Path) -> bool:
    """Whether this is a folder of unfinished work; what only looks like one, or holds one, is not."""
    return is_claimed(folder) or any(_kind(stage) == TRAINING for stage in _cards(folder))


def bad_work(folder: Path) -> Iterator[tuple[Path, str, bool]]:
    """What is wrong, why, and whether it can be taken away, and so be done again."""
    odd = list(strange(folder))
    for path in odd:
        yield path, f"{path} is a link, a pipe or a device, none of which unfinished work has", False
    for place, look, ours in () if odd else _pieces(folder):
        try:
            look(place)
        except (ArtifactError, OSError, ValueError, zipfile.BadZipFile) as problem:
            told = problem.fact if isinstance(problem, ArtifactError) else f"{place}: damaged ({problem})"
            yield place, told, ours


def take_away(place: Path) -> None:
    """Remove a piece of work, so that it is done again; a text that was dealt is dealt again whole."""
    if (place / JOURNAL).is_file():
        # What it told of is written anew.
        (place / JOURNAL).unlink()
    elif place.is_dir():
        for name in (artifact.CARD, artifact.ARRAYS):
            (place / name).unlink(missing_ok=True)
        if not any(place.iterdir()):
            place.rmdir()
    elif place.suffix == ".lines":
        number = place.name[: place.name.index("-")]
        for pattern in (f"{number}.json", f"{number}-{NUMBER}.lines", f"{number}-{NUMBER}{PLACES}"):
            for path in place.parent.glob(pattern):
                path.unlink()
    else:
        place.unlink(missing_ok=True)


def _pieces(folder: Path) -> Iterator[tuple[Path, Look, bool]]:
    """Everything by the names that it was given; whatever else lies there is somebody else's."""
    if not is_claimed(folder):
        for stage in _cards(folder):
            if (kind := _kind(stage)) in (TRAINING, None):
                yield stage, artifact.load, kind == TRAINING
        return
    for side in ("source", "target"):
        if (folder / side / JOURNAL).is_file():
            yield folder / side, BlockFiles.check, True
    for pattern, look in PIECES.items():
        for path in sorted(folder.glob(pattern)):
            yield path, look, True


def _cards(folder: Path) -> list[Path]:
    """Folders that may be saved stages of a training."""
    return sorted(path.parent for path in folder.glob(f"*/{artifact.CARD}") if not path.parent.is_symlink())


def _kind(stage: Path) -> Any:
    """What a card says that it is of, right or not; None where it says nothing."""
    try:
        with artifact.open_regular(stage / artifact.CARD) as stream:
            card = json.loads(stream.read())
    except (OSError, ValueError, RecursionError):
        return None
    return card.get("kind") if isinstance(card, dict) else None


def _check_zip(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        bad = archive.testzip()
    if bad is not None:
        raise ValueError(f"{bad} is not as it was written")


PIECES: dict[str, Look] = {
    f"texts/{NUMBER}-{NUMBER}.lines": check_chunk,
    f"counts/{NUMBER}.counts": read_arrays,
    f"rows/{NUMBER}.rows": read_arrays,
    f"rows/gram/*-{NUMBER}[0-9].tile": read_arrays,
    COMPARED: _check_zip,
    "round-[0-9].json": read_round,
    "round-[0-9][0-9].json": read_round,
}
