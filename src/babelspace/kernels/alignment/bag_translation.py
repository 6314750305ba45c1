"""One EM step of a word translation table learned from paired bags of words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.kernels.parallel import parallel

Floats = NDArray[np.float64]


class Columns(NamedTuple):
    """A sparse matrix by columns: where each column starts, its rows and its values."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, matrix: Any) -> Columns:
        """From any sparse matrix."""
        turned = sp.csc_array(matrix)
        turned.sort_indices()
        return cls(turned.indptr.astype(np.int64), turned.indices.astype(np.int32), turned.data.astype(np.float32))


class TranslationPattern(NamedTuple):
    """Pairs of words: pair p of source word e (starts[e] <= p < starts[e + 1]) has the target word targets[p].

    `by_target` lists the pairs by target word, those of word f from target_starts[f] on; `sources` are theirs.
    """

    starts: NDArray[np.int64]
    targets: NDArray[np.int32]
    target_starts: NDArray[np.int64]
    by_target: NDArray[np.int64]
    sources: NDArray[np.int32]

    @classmethod
    def of(cls, pattern: Any) -> TranslationPattern:
        """The stored entries of a csr matrix (source words x target words), which must be sorted."""
        sources = np.repeat(np.arange(pattern.shape[0], dtype=np.int32), np.diff(pattern.indptr))
        order = np.argsort(pattern.indices, kind="stable")
        target_starts = np.zeros(pattern.shape[1] + 1, np.int64)
        np.cumsum(np.bincount(pattern.indices, minlength=pattern.shape[1]), out=target_starts[1:])
        return cls(
            pattern.indptr.astype(np.int64), pattern.indices.astype(np.int32), target_starts, order, sources[order]
        )


# Kernels that an older version compiled are unpickled under this name before numba finds them stale.
Table = TranslationPattern


def explained(
    source: Columns, target: Columns, table: TranslationPattern, probability: Floats, null: Floats, rows: int
) -> Floats:
    """z = p(f | document) of every entry of the target: Σ_e share(e) t(f | e) + null(f)."""
    out = np.empty(len(target.values), np.float64)
    _explained(source, target, table, probability, null, rows, out)
    return out


def expected_counts(
    source: Columns, target: Columns, table: TranslationPattern, probability: Floats, ratio: Floats, rows: int
) -> Floats:
    """c(e, f) = t(f | e) Σ_n share(n, e) ratio(n, f) of every pair; `ratio` is the target's weight over its z."""
    out = np.empty(len(probability), np.float64)
    _expected(source, target, table, probability, ratio, rows, out)
    return out


@parallel()
def _explained(source, target, table, probability, null, rows, out):
    # Each target word is summed by one thread: results do not depend on their number.
    for word in nb.prange(len(target.starts) - 1):
        begin, end = target.starts[word], target.starts[word + 1]
        if begin == end:
            continue
        total = np.full(rows, null[word])
        for place in range(table.target_starts[word], table.target_starts[word + 1]):
            chance = probability[table.by_target[place]]
            if chance == 0.0:
                continue
            partner = table.sources[place]
            for entry in range(source.starts[partner], source.starts[partner + 1]):
                total[source.rows[entry]] += chance * source.values[entry]
        for entry in range(begin, end):
            out[entry] = total[target.rows[entry]]


@parallel()
def _expected(source, target, table, probability, ratio, rows, out):
    for word in nb.prange(len(source.starts) - 1):
        if table.starts[word] == table.starts[word + 1]:
            continue
        share = np.zeros(rows)
        for entry in range(source.starts[word], source.starts[word + 1]):
            share[source.rows[entry]] = source.values[entry]
        for pair in range(table.starts[word], table.starts[word + 1]):
            partner = table.targets[pair]
            total = 0.0
            if probability[pair] > 0.0:
                for entry in range(target.starts[partner], target.starts[partner + 1]):
                    total += share[target.rows[entry]] * ratio[entry]
            out[pair] = probability[pair] * total
