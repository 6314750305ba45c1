"""What two documents share without any translation: names, numbers, loan words and cognates.

It needs no model, so it still speaks where a model knows few words of a document. Words and character n-grams are
hashed into columns; their weights come from the documents at hand.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.kernels.linalg.sparse import row_borders
from babelspace.kernels.topk.pair_products import sparse_pairs
from babelspace.text import Analyzer
from babelspace.text.ngrams import MARKER

# Columns of each kind of feature. Two of 100,000 spellings that meet in one of them are rare enough.
COLUMNS = 1 << 20
KINDS = ("words", "cognates")
NGRAM = 4
# Spellings remembered at a time.
MEMORY = 1 << 20


class _Columns(dict[str, int]):
    """The column of a spelling: the same in every process and on every machine."""

    def __missing__(self, feature: str) -> int:
        if len(self) >= MEMORY:
            self.clear()
        gram = feature.startswith(MARKER)
        column = zlib.crc32(feature.encode("utf-8", "surrogatepass")) % COLUMNS + COLUMNS * gram
        self[feature] = column
        return column


class SpellingCounter:
    """Texts of one language as counts of hashed words (the first `COLUMNS`) and n-grams (the next)."""

    def __init__(self, language: str) -> None:
        # Without accents, as cognates differ in them: nation, nación.
        self._analyzer = Analyzer(language, strip_marks=True, features="both", ngrams=(NGRAM, NGRAM))
        self._columns = _Columns()

    def count(self, texts: Iterable[str]) -> Any:
        """One sparse row of counts for each text."""
        rows, values = [], []
        for features in self._analyzer.many(texts):
            found = np.fromiter(map(self._columns.__getitem__, features), np.int32, len(features))
            columns, counts = np.unique(found, return_counts=True)
            rows.append(columns)
            values.append(counts.astype(np.float32))
        indptr = row_borders(np.array([len(row) for row in rows], np.int64))
        nothing = np.zeros(0, np.int32), np.zeros(0, np.float32)
        indices, data = np.concatenate([nothing[0], *rows]), np.concatenate([nothing[1], *values])
        return sp.csr_array((data, indices, indptr), shape=(len(rows), 2 * COLUMNS))


@dataclass(frozen=True)
class Overlap:
    """Weighted rows of unit length of both sides, for each kind of feature.

    A feature counts only if both sides have it: what cannot be shared says nothing. Its weight is
    log(1 + count) · log(n / d), with documents counted over both sides.
    """

    source: tuple[Any, ...]
    target: tuple[Any, ...]

    @classmethod
    def of(cls, source: Any, target: Any) -> Overlap:
        """From the counts of a `SpellingCounter` of each language."""
        frequencies = [np.bincount(side.indices, minlength=2 * COLUMNS) for side in (source, target)]
        shared = (frequencies[0] > 0) & (frequencies[1] > 0)
        documents = source.shape[0] + target.shape[0]
        idf = np.log(documents / np.maximum(frequencies[0] + frequencies[1], 1)) * shared
        kinds = [slice(kind * COLUMNS, (kind + 1) * COLUMNS) for kind in range(len(KINDS))]
        return cls(*(tuple(_unit(side[:, kind], idf[kind]) for kind in kinds) for side in (source, target)))

    def scores(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float32]:
        """The cosine of each kind (column) for each pair of documents."""
        found = [sparse_pairs(a, b, rows, columns) for a, b in zip(self.source, self.target, strict=True)]
        return np.stack(found, axis=1)


def _unit(counts: Any, idf: NDArray[np.float64]) -> Any:
    weighted = counts.copy()
    # In place: all documents of a side are weighed at once, and what is in between would be most of the memory.
    np.multiply(np.log1p(counts.data), idf[counts.indices], out=weighted.data, casting="same_kind")
    weighted.eliminate_zeros()
    rows = np.repeat(np.arange(weighted.shape[0]), np.diff(weighted.indptr))
    squares = np.square(weighted.data, dtype=np.float64)
    lengths = np.sqrt(np.bincount(rows, weights=squares, minlength=weighted.shape[0]))
    del squares
    np.divide(weighted.data, np.maximum(lengths, 1e-12)[rows], out=weighted.data, casting="same_kind")
    return weighted
