"""Models on disk: a folder with a JSON card, safetensors arrays and text files; never pickle."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from io import BufferedRandom, BufferedReader
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ArtifactError, BabelspaceError
from babelspace.runtime import files
from babelspace.runtime.files import atomic_folder

FORMAT = 2
CARD, ARRAYS = "card.json", "arrays.safetensors"
# The kind of what commands call a model, that of aligners, and the folder of a classifier inside its model.
ENCODER, ALIGNER, CLASSIFIER = "encoder", "aligner", "classifier"
MODEL_MADE_BY = "{fit_model()}"
# How often a folder that is replaced again and again is read anew.
ATTEMPTS = 20


@dataclass
class Artifact:
    """What a model needs to come back: a card of plain JSON, named arrays, named lists of lines."""

    card: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    lines: dict[str, list[str]] = field(default_factory=dict)


def save(artifact: Artifact, folder: str | Path) -> None:
    """Write to a temporary folder, read back, then take the place of what was there."""
    from safetensors.numpy import save_file

    folder = Path(folder)
    refuse_foreign(folder)
    # safetensors writes strided or Fortran-ordered arrays as if they were C-ordered.
    arrays = {name: np.asarray(array, order="C") for name, array in artifact.arrays.items()}
    with atomic_folder(folder) as fresh:
        files.system.write(save_file, arrays, fresh / ARRAYS)
        for name, lines in artifact.lines.items():
            # JSON strings, one a line: a term may hold any character, a line break included.
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            files.system.write((fresh / f"{name}.txt").write_bytes, text.encode())
        names = [ARRAYS, *(f"{name}.txt" for name in sorted(artifact.lines))]
        write_card(fresh / CARD, {"format": FORMAT, **artifact.card}, names)
        _same(arrays, load(fresh).arrays, folder)


def load(folder: str | Path, kind: str | None = None, made_by: str = MODEL_MADE_BY) -> Artifact:
    """Read an artifact (of a kind) and check every byte of it; a problem says which file and what to do."""
    folder, told = Path(folder), ""
    for _ in range(ATTEMPTS):
        before, problem, told_before = folder_identity(folder), None, told
        try:
            found = _load(folder, kind, made_by)
        except ArtifactError as error:
            problem, told = error, str(error)
        # Somebody may have put another model there meanwhile: then the card is of one, the arrays are of the other. Two
        # of them in a row can look like none, so a problem counts if it is there twice.
        if folder_identity(folder) == before and (problem is None or told == told_before):
            break
    if problem is not None:
        raise problem
    return found


def _load(folder: Path, kind: str | None, made_by: str) -> Artifact:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    card = read_card(folder, kind, made_by)
    names = check_files(folder, card.pop("files", None))
    if ARRAYS not in names:
        raise damaged(folder, f"{ARRAYS} is missing")
    try:
        arrays = load_file(folder / ARRAYS)
        lines = {name.removesuffix(".txt"): _read_lines(folder / name) for name in names if name != ARRAYS}
    except (OSError, SafetensorError, ValueError, KeyError, RecursionError) as problem:
        raise damaged(folder, str(problem)) from problem
    return Artifact(card, arrays, lines)


def damaged(folder: Path, problem: str) -> ArtifactError:
    """The error for a folder that is not as it was written."""
    return ArtifactError(f"{folder}: damaged ({problem})", hint="make it again, or copy it again from where it came")


def write_card(path: Path, card: Mapping[str, Any], names: Iterable[str] = ()) -> None:
    """The card with the SHA-256 of every named file beside it, and of itself."""
    full = {**card, "files": {name: _digest(path.parent, name) for name in names}}
    full["sha256"] = card_digest(full)
    files.system.write(path.write_bytes, f"{json.dumps(full, indent=2, ensure_ascii=False)}\n".encode())


def check_files(folder: Path, files: Any) -> list[str]:
    """The files that a card names: plain files of that folder alone, with the SHA-256 it gives."""
    if not isinstance(files, dict):
        raise damaged(folder, f"{CARD} names no files")
    for name, digest in files.items():
        if not is_plain_name(name):
            raise damaged(folder, f"{CARD} names {name!r}, which is no file of this folder")
        if _digest(folder, name) != digest:
            raise damaged(folder, f"{name} is not as it was written")
    return list(files)


def is_plain_name(name: Any) -> bool:
    """Whether this can only be the name of something inside the folder that it is looked for in."""
    # What no file system takes (NUL, half a character) is not printable.
    return isinstance(name, str) and name not in (".", "..") and Path(name).name == name != "" and name.isprintable()


def _digest(folder: Path, name: str) -> str:
    try:
        with open_regular(folder / name) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as problem:
        raise damaged(folder, f"{name}: {problem.strerror or problem}") from problem


def open_regular(path: Path, mode: Literal["rb", "r+b"] = "rb") -> BufferedReader | BufferedRandom:
    """A regular file, to be read, or made and changed; a link could lead anywhere, and a pipe never end."""
    flags = os.O_RDONLY if mode == "rb" else os.O_RDWR | os.O_CREAT
    handle = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)
    stream = os.fdopen(handle, "rb") if mode == "rb" else os.fdopen(handle, "r+b")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        stream.close()
        raise OSError(errno.EINVAL, "no regular file", str(path))
    return stream


def refuse_link(path: Path, error: type[BabelspaceError]) -> None:
    """Raise if what should be part of a folder is a link: it could lead anywhere."""
    if path.is_symlink():
        raise error(f"{path} is a link, which is not followed", hint="put in its place what it points at, or remove it")


def folder_identity(folder: Path) -> tuple[int, ...] | None:
    """Tells a folder from another one of the same name, also from one that was given the number of a deleted one."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_ctime_ns


def card_digest(card: Mapping[str, Any]) -> str:
    """Of what the card says, however it is indented."""
    plain = {name: value for name, value in card.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def read_card(folder: str | Path, kind: str | None = None, made_by: str = MODEL_MADE_BY) -> dict[str, Any]:
    """The card alone, without the arrays."""
    card = checked_card(Path(folder) / CARD, FORMAT, ArtifactError, "model", "fit the model again", made_by)
    if kind is not None and card.get("kind", kind) != kind:
        raise ArtifactError(f"{folder} holds {card['kind']!r}, not {kind!r}", hint=f"make one: {made_by}")
    return card


def checked_card(
    path: Path, version: int, error: type[BabelspaceError], what: str, again: str, make: str
) -> dict[str, Any]:
    """The JSON that a folder has about itself, or an error that hints at what to do to `make` one."""
    try:
        with open_regular(path) as stream:
            card = json.loads(stream.read().decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError) as problem:
        raise error(f"{path.parent}: no {what} there ({path.name} is missing)", hint=f"make one: {make}") from problem
    except (OSError, ValueError, RecursionError) as problem:
        raise error(f"{path}: cannot be read ({problem})", hint=again) from problem
    if not isinstance(card, dict) or card.get("format") != version:
        given = card.get("format") if isinstance(card, dict) else None
        told = f"{path}: format {given!r}, this version reads format {version}"
        raise error(told, hint=f"{again} with this version")
    if card.pop("sha256", None) != card_digest(card):
        raise error(f"{path}: not as it was written", hint=again)
    return card


def refuse_foreign(folder: Path) -> None:
    """Raise if saving there would replace something that is not a model."""
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists() and not (folder / CARD).is_file():
        raise ArtifactError(f"{folder} exists and is not a babelspace model; it is left alone. Choose another name.")


def _read_lines(path: Path) -> list[str]:
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line]
    # Together: a call for each line is felt at the start of every command.
    read: list[str] = json.loads(f"[{','.join(lines)}]")
    if len(read) != len(lines) or not all(isinstance(line, str) for line in read):
        raise ValueError(f"{path.name} holds a line that is no string")
    return read


def _same(written: Mapping[str, NDArray[Any]], read: Mapping[str, NDArray[Any]], folder: Path) -> None:
    for name, array in written.items():
        if not np.array_equal(array, read[name], equal_nan=array.dtype.kind == "f"):
            raise ArtifactError(f"{folder}: array {name!r} did not read back as written; nothing was saved.")


def pack_sparse(name: str, matrix: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a sparse matrix under one name."""
    # Who only reads a card does not wait for it.
    import scipy.sparse as sp

    matrix = sp.csr_array(matrix)
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    return {f"{name}.{part}": array for part, array in parts.items()} | {f"{name}.shape": np.array(matrix.shape)}


def plain_value(value: Any) -> Any:
    """A setting as JSON has it: NumPy numbers become Python's, tuples lists."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(name): plain_value(part) for name, part in value.items()}
    return [plain_value(part) for part in value] if isinstance(value, (tuple, list)) else value
