"""Token lists to sparse count matrices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import repeat
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def count_and_collect_terms(documents: Iterable[list[str]]) -> tuple[Any, list[str]]:
    """Counts over every term that occurs, and the terms in column order."""
    table: defaultdict[str, int] = defaultdict()
    table.default_factory = table.__len__
    rows = [np.fromiter(map(table.__getitem__, tokens), np.int32, len(tokens)) for tokens in documents]
    return _matrix(rows, len(table)), list(table)


def count_vocabulary_terms(documents: Iterable[list[str]], table: Mapping[str, int], columns: int) -> Any:
    """Counts over the terms of a table; other terms are left out."""
    rows = []
    for tokens in documents:
        found = np.fromiter(map(table.get, tokens, repeat(-1)), np.int32, len(tokens))
        rows.append(found[found >= 0])
    return _matrix(rows, columns)


def _matrix(rows: list[NDArray[np.int32]], columns: int) -> Any:
    indices = np.concatenate(rows) if rows else np.zeros(0, np.int32)
    indptr = np.zeros(len(rows) + 1, np.int32 if len(indices) < 2**31 else np.int64)
    np.cumsum([len(row) for row in rows], out=indptr[1:])
    matrix = sp.csr_array((np.ones(len(indices), np.float32), indices, indptr), shape=(len(rows), columns))
    matrix.sum_duplicates()
    return matrix
