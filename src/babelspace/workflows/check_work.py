"""Folders of unfinished work: whether what is done of a match, a training or a fit on disk is as it was written."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from babelspace.corpus.blocked import check_chunk
from babelspace.errors import ArtifactError
from babelspace.runtime import artifact
from babelspace.runtime.block_files import JOURNAL, BlockFiles
from babelspace.runtime.engine import read_arrays
from babelspace.runtime.work_folder import SETTINGS

# Files of arrays that a fit on disk writes.
ARRAYS = (".counts", ".rows", ".tile")
Look = Callable[[Path], object]


def is_work(folder: Path) -> bool:
    """Whether this is a folder of unfinished work."""
    return (folder / SETTINGS).is_file() or (not (folder / artifact.CARD).exists() and bool(_stages(folder)))


def bad_work(folder: Path) -> Iterator[tuple[Path, str]]:
    """What has to be done again, and why: a file, or a folder of files that belong together."""
    for place, look in _pieces(folder):
        try:
            look(place)
        except (ArtifactError, OSError, ValueError, zipfile.BadZipFile) as problem:
            yield place, problem.fact if isinstance(problem, ArtifactError) else f"{place}: damaged ({problem})"


def take_away(place: Path) -> None:
    """Remove a piece of work, so that it is done again; texts that were dealt are all dealt again."""
    if place.is_dir():
        shutil.rmtree(place)
    elif place.suffix == ".lines":
        shutil.rmtree(place.parent)
    else:
        place.unlink(missing_ok=True)


def _pieces(folder: Path) -> Iterator[tuple[Path, Look]]:
    for journal in sorted(folder.glob(f"*/{JOURNAL}")):
        yield journal.parent, BlockFiles.check
    for stage in _stages(folder):
        yield stage, artifact.load
    for path in sorted(folder.rglob("*")):
        if path.suffix in ARRAYS:
            yield path, read_arrays
        elif path.suffix == ".lines":
            yield path, check_chunk
        elif path.suffix == ".npz":
            yield path, _check_zip


def _stages(folder: Path) -> list[Path]:
    """Saved stages of a training."""
    return sorted(path.parent for path in folder.glob(f"*/{artifact.CARD}"))


def _check_zip(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        bad = archive.testzip()
    if bad is not None:
        raise ValueError(f"{bad} is not as it was written")
