"""Models on disk: a folder with a JSON card, safetensors arrays and text files; never pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ArtifactError, BabelspaceError
from babelspace.runtime.files import atomic_folder

FORMAT = 1
CARD, ARRAYS = "card.json", "arrays.safetensors"
# The kind of what commands call a model.
ENCODER = "encoder"


@dataclass
class Artifact:
    """What a model needs to come back: a card of plain JSON, named arrays, named lists of lines."""

    card: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    lines: dict[str, list[str]] = field(default_factory=dict)


def save(artifact: Artifact, folder: str | Path) -> None:
    """Write to a temporary folder, read back, then rename into place."""
    from safetensors.numpy import save_file

    folder = Path(folder)
    refuse_foreign(folder)
    # safetensors writes strided or Fortran-ordered arrays as if they were C-ordered.
    arrays = {name: np.asarray(array, order="C") for name, array in artifact.arrays.items()}
    with atomic_folder(folder) as fresh:
        card = {"format": FORMAT, **artifact.card, "lines": sorted(artifact.lines)}
        (fresh / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        save_file(arrays, fresh / ARRAYS)
        for name, lines in artifact.lines.items():
            # JSON strings, one a line: a term may hold any character, a line break included.
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (fresh / f"{name}.txt").write_text(text, encoding="utf-8", newline="\n")
        _same(arrays, load(fresh).arrays, folder)


def load(folder: str | Path, kind: str | None = None) -> Artifact:
    """Read an artifact (of a kind); every problem says which file and what to do."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    folder = Path(folder)
    card = read_card(folder, kind)
    try:
        arrays = load_file(folder / ARRAYS)
        names = card.pop("lines")
        lines = {name: _read_lines(folder / f"{name}.txt") for name in names}
    except (OSError, SafetensorError, ValueError, KeyError) as problem:
        raise ArtifactError(f"{folder}: the model is damaged ({problem}). Fit it again.") from problem
    return Artifact(card, arrays, lines)


def read_card(folder: str | Path, kind: str | None = None) -> dict[str, Any]:
    """The card alone, without the arrays."""
    card = checked_card(Path(folder) / CARD, FORMAT, ArtifactError, "model", "fit the model again", "{fit_model()}")
    if kind is not None and card.get("kind", kind) != kind:
        raise ArtifactError(f"{folder} holds {card['kind']!r}, not {kind!r}", hint="make one: {fit_model()}")
    return card


def checked_card(
    path: Path, version: int, error: type[BabelspaceError], what: str, again: str, make: str
) -> dict[str, Any]:
    """The JSON that a folder has about itself, or an error that hints at what to do to `make` one."""
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as problem:
        raise error(f"{path.parent}: no {what} there ({path.name} is missing)", hint=f"make one: {make}") from problem
    except (OSError, ValueError, RecursionError) as problem:
        raise error(f"{path}: cannot be read ({problem})", hint=again) from problem
    if not isinstance(card, dict) or card.get("format") != version:
        given = card.get("format") if isinstance(card, dict) else None
        told = f"{path}: format {given!r}, this version reads format {version}"
        raise error(told, hint=f"{again} with this version")
    return card


def refuse_foreign(folder: Path) -> None:
    """Raise if saving there would replace something that is not a model."""
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists() and not (folder / CARD).is_file():
        raise ArtifactError(f"{folder} exists and is not a babelspace model; it is left alone. Choose another name.")


def _read_lines(path: Path) -> list[str]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _same(written: Mapping[str, NDArray[Any]], read: Mapping[str, NDArray[Any]], folder: Path) -> None:
    for name, array in written.items():
        if not np.array_equal(array, read[name], equal_nan=array.dtype.kind == "f"):
            raise ArtifactError(f"{folder}: array {name!r} did not read back as written; nothing was saved.")


def pack_sparse(name: str, matrix: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a sparse matrix under one name."""
    matrix = sp.csr_array(matrix)
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    return {f"{name}.{part}": array for part, array in parts.items()} | {f"{name}.shape": np.array(matrix.shape)}


def unpack_sparse(name: str, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """The sparse matrix stored under a name."""
    parts = [arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr")]
    return sp.csr_array(tuple(parts), shape=tuple(arrays[f"{name}.shape"]))


def plain_value(value: Any) -> Any:
    """A setting as JSON has it: NumPy numbers become Python's, tuples lists."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(name): plain_value(part) for name, part in value.items()}
    return [plain_value(part) for part in value] if isinstance(value, (tuple, list)) else value
