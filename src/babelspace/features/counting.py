"""Token lists to sparse count matrices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice, repeat
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Numbers = NDArray[np.int32]

# Documents that are counted together.
BLOCK = 256


def count_and_collect_terms(documents: Iterable[list[str]]) -> tuple[Any, list[str]]:
    """Counts over every term that occurs, and the terms in column order."""
    table: defaultdict[str, int] = defaultdict()
    table.default_factory = table.__len__
    blocks = [_numbered(block, map(table.__getitem__, chain.from_iterable(block))) for block in _blocks(documents)]
    return _matrix(blocks, len(table)), list(table)


def count_vocabulary_terms(documents: Iterable[list[str]], table: Mapping[str, int], columns: int) -> Any:
    """Counts over the terms of a table; other terms are left out."""
    blocks = [_numbered(block, map(table.get, chain.from_iterable(block), repeat(-1))) for block in _blocks(documents)]
    return _matrix(blocks, columns)


def _blocks(documents: Iterable[list[str]]) -> Iterator[list[list[str]]]:
    """Documents in groups that share the cost of a call."""
    rest = iter(documents)
    while block := list(islice(rest, BLOCK)):
        yield block


def _numbered(block: list[list[str]], numbers: Iterable[int]) -> tuple[Numbers, Numbers]:
    """The numbers of the terms of some documents, those below 0 left out, and how many are left of each document."""
    lengths = np.fromiter(map(len, block), np.int32, len(block))
    found = np.fromiter(numbers, np.int32, int(lengths.sum()))
    kept = found >= 0
    if kept.all():
        return found, lengths
    rows = np.repeat(np.arange(len(block)), lengths)
    return found[kept], np.bincount(rows[kept], minlength=len(block)).astype(np.int32)


def _matrix(blocks: list[tuple[Numbers, Numbers]], columns: int) -> Any:
    nothing = np.zeros(0, np.int32)
    indices, lengths = (
        np.concatenate([nothing, *parts]) for parts in (zip(*blocks, strict=True) if blocks else ((), ()))
    )
    indptr = np.zeros(len(lengths) + 1, np.int32 if len(indices) < 2**31 else np.int64)
    np.cumsum(lengths, out=indptr[1:])
    matrix = sp.csr_array((np.ones(len(indices), np.float32), indices, indptr), shape=(len(lengths), columns))
    matrix.sum_duplicates()
    return matrix
