"""Character n-grams beside translated words: they are compared as they are spelled."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.linalg.sparse import compact
from babelspace.text.ngrams import MARKER

Columns = NDArray[np.bool_]


def ngram_columns(views: Views) -> Columns:
    """Which columns are character n-grams; of bare matrices, which tell no words, none."""
    found = np.zeros(views.shape[1], bool)
    for language in views.languages if views.words is not None else ():
        table = views.words.table(language)  # type: ignore[union-attr]
        found[[column for term, column in table.items() if term.startswith(MARKER)]] = True
    return found


def only_columns(views: Views, kept: Columns) -> Views:
    """The same Views with nothing in the other columns."""
    matrices = {name: scale_columns(matrix, kept.astype(np.float32)) for name, matrix in views.items()}
    for matrix in matrices.values():
        matrix.eliminate_zeros()
    return Views(matrices, views.present, views.words)


def scale_columns(matrix: Any, scale: NDArray[np.float32]) -> Any:
    """A sparse matrix whose columns are multiplied."""
    parts = (matrix.data * scale[matrix.indices], matrix.indices.copy(), matrix.indptr.copy())
    return sp.csr_array(parts, shape=matrix.shape)


def with_spellings(table: Any, spelled: Columns, alike: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Any:
    """A table of translation in which the spelled columns stand for nothing but the same spelling."""
    words = sp.csr_array(sp.diags_array((~spelled).astype(np.float32)) @ table)
    copied = spelled[alike[0]]
    rows, targets = alike[0][copied], alike[1][copied]
    copies = sp.csr_array((np.ones(len(rows), np.float32), (rows, targets)), shape=table.shape)
    return compact(words + copies)
