"""Names that come from outside: each is a path below the folder that is served, and nothing else."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path, PurePosixPath

from babelspace.service.refusals import Refused
from babelspace.workflows.inventory import CARDS

SAMPLE = "sample:"
LONGEST = 1000


def inside(folder: Path, name: str, only: str | None = None) -> Path:
    """The path of a name; nothing outside the folder (also not through a link), nothing hidden.

    Examples
    --------
    >>> inside(Path("/srv"), "corpora/en.jsonl").as_posix()
    '/srv/corpora/en.jsonl'
    >>> inside(Path("/srv"), "../etc/passwd")
    Traceback (most recent call last):
    babelspace.service.refusals.Refused: '../etc/passwd' is no name of anything here
    Hint: names have no dots in front and no ..
    """
    parts = PurePosixPath(name).parts
    strange = not name.isprintable() or "\\" in name or len(name) > LONGEST or name.startswith("/")
    if strange or not parts or any(part.startswith(".") for part in parts):
        raise _no_name(name, "names have no dots in front and no ..")
    try:
        path, root = (folder / name).resolve(), folder.resolve()
        # What is not there may come; a name that is too long, or behind a closed door, is none.
        with suppress(FileNotFoundError, NotADirectoryError):
            path.stat()
    except (OSError, ValueError):
        raise _no_name(name) from None
    if not path.is_relative_to(root) or (only is not None and parts != (only,)):
        raise _no_name(name, f"only {only} is served" if only is not None else "")
    return path


def readable(folder: Path, name: str, only: str | None = None) -> str:
    """The path of a corpus or file that is there; `sample:help` is the embedded one."""
    if name.startswith(SAMPLE):
        return name
    path = inside(folder, name, only)
    if not path.exists():
        raise _no_name(name)
    _check_links(path, folder.resolve())
    return str(path)


def _check_links(path: Path, root: Path) -> None:
    """Whoever uploads a folder must not make a reader follow a link out of it."""
    for one in path.rglob("*") if path.is_dir() else ():
        if one.is_symlink() and not one.resolve().is_relative_to(root):
            raise Refused(422, f"{one.relative_to(root).as_posix()!r} is a link that leads out of the folder")


def _no_name(name: str, hint: str = "") -> Refused:
    return Refused(404, f"{name[:LONGEST]!r} is no name of anything here", hint=hint)


def check_place(path: Path, folder: Path) -> None:
    """Raise if something would be put into the folder of a model or an index, or would make a folder look like one."""
    if path.name in CARDS:
        raise Refused(422, f"{path.name!r} belongs to models and indexes, which are made here")
    for above in path.parents:
        if above == folder.resolve():
            return
        if above.is_file():
            raise Refused(409, f"{above.name!r} is a file, and nothing can be put into it")
        if any((above / card).is_file() for card in CARDS):
            raise Refused(409, f"{above.name!r} is a model or an index, and nothing else is put into it")
