"""What lies in a folder: models, classifiers, aligners, indexes, corpora, and results of earlier work."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from babelspace.corpus.readers.formats import FORMATS
from babelspace.corpus.readers.opening import numbered_lines
from babelspace.errors import BabelspaceError, CorpusError
from babelspace.mining.review import SUFFIX as REVIEW
from babelspace.runtime.artifact import ALIGNER, CARD, CLASSIFIER, ENCODER, read_card
from babelspace.search.card import CARD as INDEX_CARD, is_index, read_card as read_index_card

KINDS = ("model", "classifier", "aligner", "index", "corpus", "review", "result")
# Folders inside folders that are looked into, and things that are told: a home directory by mistake costs no minutes.
DEPTH, MOST = 3, 2_000
# They tell what their folder is, and are no texts, not even where they are broken.
CARDS = (CARD, INDEX_CARD)
PAIRS = ("source", "target", "probability")


@dataclass(frozen=True)
class FoundArtifact:
    """A thing that was found: its name is its path below the folder, with slashes."""

    name: str
    kind: str
    path: Path
    facts: dict[str, Any] = field(default_factory=dict)


def find_artifacts(folder: str | Path) -> list[FoundArtifact]:
    """Everything in a folder that babelspace can work with, in order of name.

    The folder may itself be a model or an index: it is then all that is found, under its own name.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from babelspace import ViewsVectorizer, fit_model, planted
    >>> folder = Path(mkdtemp())
    >>> encoder = fit_model(planted(rows=60), vectorizer=ViewsVectorizer(drop_top=0), n_components=5, holdout=0)
    >>> encoder.save(folder / "a")
    >>> [(found.name, found.kind, found.facts["languages"]) for found in find_artifacts(folder)]
    [('a', 'model', ['en', 'es'])]
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CorpusError("no such folder", path=folder, hint="give a folder, a model or an index")
    alone = identify(folder, folder.name)
    if alone is not None and alone.kind in ("model", "classifier", "aligner", "index"):
        return [alone]
    found = islice(_below(folder, folder, DEPTH), MOST)
    return sorted(found, key=lambda one: (KINDS.index(one.kind), one.name))


def identify(path: Path, name: str) -> FoundArtifact | None:
    """What is at a path; None if it is nothing that is known, or cannot be read.

    A file may be wrong in any way: it is passed over, and whoever names it is told why by what reads it.
    """
    try:
        if not path.exists():
            return None
        if is_index(path):
            card = read_index_card(path)
            return FoundArtifact(name, "index", path, {"languages": _languages(card), "store": card.get("store")})
        if (path / CARD).is_file():
            return _model(path, name)
        if path.suffix == REVIEW and path.is_file():
            return FoundArtifact(name, "review", path, {"bytes": path.stat().st_size})
        return _file(path, name)
    except (BabelspaceError, OSError, ValueError, RecursionError):
        return None


def _below(folder: Path, root: Path, depth: int) -> Iterator[FoundArtifact]:
    """Hidden names are passed over: half-written files have such, and so has what the service keeps for itself."""
    for path in _children(folder):
        if path.name.startswith(".") or path.name in CARDS or not path.resolve().is_relative_to(root.resolve()):
            continue
        one = identify(path, path.relative_to(root).as_posix())
        if one is not None:
            yield one
        elif depth > 1:
            yield from _below(path, root, depth - 1)


def _children(folder: Path) -> list[Path]:
    """What is in a folder; nothing where it may not be looked into (`lost+found`), or is none."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _model(path: Path, name: str) -> FoundArtifact | None:
    card = read_card(path)
    if card.get("kind", ENCODER) != ENCODER:
        if card["kind"] != ALIGNER:
            return None
        return FoundArtifact(name, "aligner", path, {"aligner": card.get("aligner")})
    facts = {"space": card.get("space"), "languages": _languages(card), "scores": card.get("scores", {})}
    return FoundArtifact(name, "classifier" if (path / CLASSIFIER).is_dir() else "model", path, facts)


def _languages(card: dict[str, Any]) -> list[str]:
    found = card.get("languages", [])
    if not isinstance(found, list) or not all(isinstance(code, str) for code in found):
        raise ValueError(f"languages are {found!r}")
    return found


def _file(path: Path, name: str) -> FoundArtifact | None:
    fits = next((known for known, format in FORMATS.items() if known != "moses" and format.matches(path)), None)
    if fits is None:
        return None
    if fits in ("tsv", "jsonl") and _holds_pairs(path, fits):
        return FoundArtifact(name, "result", path, {"result": "pairs", "bytes": path.stat().st_size})
    return FoundArtifact(
        name, "corpus", path, {"format": fits, "bytes": path.stat().st_size if path.is_file() else None}
    )


def _holds_pairs(path: Path, format: str) -> bool:
    """Whether the first line is that of pairs as matching writes them."""
    _, line = next(iter(numbered_lines(path)), (0, ""))
    if format == "tsv":
        return tuple(line.rstrip("\n").split("\t")[: len(PAIRS)]) == PAIRS
    first = json.loads(line)
    return isinstance(first, dict) and all(name in first for name in PAIRS)
