"""One seam for engines: a function is mapped over blocks of rows, and results are summed in a fixed order.

What a block gives depends on the block alone, and sums follow a tree that the number of blocks decides: this process,
several, or a cluster give the same bits. Functions and blocks are sent to where they are computed, so they must be
importable and small; what is large stays in files that every worker can read.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import parse_qs, urlsplit

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ArtifactError, ParameterError
from babelspace.runtime import files, progress
from babelspace.runtime.engines.local import ThisProcess
from babelspace.runtime.files import atomic_file

Value = TypeVar("Value")
Arrays = Mapping[str, NDArray[Any]]

ALLOWED = "local, processes://4, dask://scheduler:8786, dask://local?workers=4, or a Client of Dask"


class Engine(Protocol):
    """Where blocks are worked on."""

    name: str

    @property
    def workers(self) -> int:
        """How many there are now."""

    def results(self, function: Callable[..., Any], items: Iterable[Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        """`function(item, *shared)` for each item, in the order of the items; few are under way at a time."""

    def close(self) -> None:
        """Let go of workers that were started for this."""


@contextmanager
def open_engine(engine: Any = None) -> Iterator[Engine]:
    """The engine of an address, as a context; None is this process, an open engine stays open.

    Examples
    --------
    >>> with open_engine("local") as engine:
    ...     map_sum(abs, [-1, -2, -3], engine)
    6
    """
    if engine is not None and not isinstance(engine, str) and hasattr(engine, "results"):
        yield engine
        return
    opened = _opened(engine)
    try:
        yield opened
    finally:
        opened.close()


def _opened(engine: Any) -> Engine:
    if engine is None or engine == "local":
        return ThisProcess()
    if not isinstance(engine, str):
        from babelspace.runtime.engines.dask_cluster import DaskCluster

        return DaskCluster.of_client(engine)
    parts = urlsplit(engine)
    if parts.scheme == "processes" or engine == "processes":
        from babelspace.runtime.engines.processes import Processes

        return Processes(_count(parts.netloc, engine))
    if parts.scheme == "dask" and parts.netloc:
        from babelspace.runtime.engines.dask_cluster import DaskCluster

        if parts.netloc == "local":
            return DaskCluster.local(_count("".join(parse_qs(parts.query).get("workers", [""])), engine))
        return DaskCluster.at(parts.netloc)
    raise ParameterError(f"unknown engine {engine!r}; allowed: {ALLOWED}", hint="try {engine='processes://2'}")


def _count(text: str, engine: str) -> int | None:
    """How many workers; None for as many as there are cores."""
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise ParameterError(f"{engine!r} asks for {text!r} workers; allowed: 1 or more, or none named: all cores")
    return int(text)


def map_blocks(
    function: Callable[..., Value], items: Iterable[Any], engine: Engine, *shared: Any, title: str = ""
) -> Iterator[Value]:
    """`function(item, *shared)` for each item, in order; `shared` is sent to each worker once.

    Examples
    --------
    >>> with open_engine() as engine:
    ...     list(map_blocks(pow, [1, 2, 3], engine, 2))
    [1, 4, 9]
    """
    known = len(items) if isinstance(items, Sequence) else None
    with progress.task(title or "blocks", known) as advance:
        for result in engine.results(function, items, shared):
            advance(1)
            yield result


def map_sum(
    function: Callable[..., Value], items: Iterable[Any], engine: Engine, *shared: Any, title: str = ""
) -> Value:
    """The sum of what a function gives for each item, in the order of `tree_sum`."""
    return tree_sum(map_blocks(function, items, engine, *shared, title=title))


def map_write(
    function: Callable[..., Arrays],
    items: Sequence[Any],
    paths: Sequence[Path],
    engine: Engine,
    *shared: Any,
    title: str = "",
) -> None:
    """Write the arrays that a function gives for each item into its file; files that are there are kept as they are.

    The worker writes, and a file appears whole or not at all: after a kill the same call makes only what is missing.
    """
    missing = [(item, path) for item, path in zip(items, paths, strict=True) if not path.exists()]
    for path in {path.parent for _, path in missing}:
        path.mkdir(parents=True, exist_ok=True)
    for _ in map_blocks(_write, missing, engine, function, *shared, title=title):
        pass


def _write(place: tuple[Any, Path], function: Callable[..., Arrays], *shared: Any) -> None:
    from safetensors.numpy import save_file

    item, path = place
    arrays = {name: np.ascontiguousarray(array) for name, array in function(item, *shared).items()}
    with atomic_file(path) as fresh:
        files.system.write(save_file, arrays, fresh, {"digest": _digest(arrays)})


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file of `map_write`, if they are what was written."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as stored:
            arrays: dict[str, NDArray[Any]] = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
            digest = (stored.metadata() or {}).get("digest")
    except (OSError, SafetensorError, ValueError) as problem:
        raise damaged_block(path, str(problem)) from problem
    if digest != _digest(arrays):
        raise damaged_block(path, "not as it was written")
    return arrays


@contextmanager
def block_told(path: Path) -> Iterator[None]:
    """Arrays that are as they were written, and yet not what was asked for, are damage, too."""
    try:
        yield
    except (KeyError, TypeError, ValueError, RecursionError) as problem:
        raise damaged_block(path, str(problem)) from problem


def damaged_block(path: Path, problem: str) -> ArtifactError:
    """The error for a file of unfinished work that cannot be used."""
    return ArtifactError(f"{path}: damaged ({problem})", hint="delete this folder of unfinished work and start again")


def _digest(arrays: Arrays) -> str:
    found = hashlib.blake2b(digest_size=16)
    for name, array in sorted(arrays.items()):
        found.update(f"{name} {array.dtype} {array.shape} ".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()


def tree_sum(values: Iterable[Value], add: Callable[[Value, Value], Value] = operator.add) -> Value:
    """Neighbours are added, then neighbouring sums: the tree depends on how many values there are, on nothing else.

    Sums are made as soon as both sides are there, so that of n values only log2(n) are held.

    Examples
    --------
    >>> tree_sum("abcde", "({}+{})".format)
    '(((a+b)+(c+d))+e)'
    """
    waiting: list[tuple[int, Value]] = []
    for value in values:
        size = 1
        while waiting and waiting[-1][0] == size:
            size, value = 2 * size, add(waiting.pop()[1], value)
        waiting.append((size, value))
    if not waiting:
        raise ParameterError("there is nothing to sum: no blocks. Give a corpus with at least one row.")
    total = waiting.pop()[1]
    while waiting:
        total = add(waiting.pop()[1], total)
    return total
