"""Term weights: a local part of the count, a global part learned on training counts, a document length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError

Column = NDArray[Any]


@dataclass(frozen=True)
class Statistics:
    """What is learned from training counts, pooled over all documents of all languages.

    `documents` is how many documents there are in which a column could occur.
    """

    documents: Column | int
    document_frequency: Column
    total_frequency: Column
    entropy: Column
    mean_length: float

    @classmethod
    def of(cls, counts: list[Any], *, apart: bool = False) -> Statistics:
        """Statistics of count matrices over the same columns; only present rows may be passed.

        Where each language has columns of its own (`apart`), the documents of the others say nothing about them: with a
        hundred languages every word would look rare.
        """
        stacked = sp.vstack(counts, format="csr")
        columns = stacked.shape[1]
        total = np.asarray(stacked.sum(axis=0), np.float64).ravel()
        share = stacked.data / np.maximum(total[stacked.indices], 1)
        entropy = -1.0 * np.bincount(stacked.indices, weights=share * np.log(share), minlength=columns)
        frequency = np.bincount(stacked.indices, minlength=columns).astype(np.float64)
        documents: Column | int = stacked.shape[0]
        if apart:
            own = np.zeros(columns, np.int64)
            for matrix in counts:
                own[np.unique(matrix.indices)] += matrix.shape[0]
            documents = np.maximum(own, 1)
        return cls(documents, frequency, total, entropy, float(total.sum()) / max(stacked.shape[0], 1))


def _inverse_document_frequency(statistics: Statistics) -> Column:
    return np.log2(statistics.documents / np.maximum(statistics.document_frequency, 1))


def _bm25_idf(statistics: Statistics) -> Column:
    frequency = statistics.document_frequency
    return np.log1p((statistics.documents - frequency + 0.5) / (frequency + 0.5))


def _log_entropy(statistics: Statistics) -> Column:
    return 1 - statistics.entropy / np.log(np.maximum(statistics.documents, 2))


def _ones(statistics: Statistics) -> Column:
    return np.ones_like(statistics.total_frequency)


def _saturated(counts: Column, lengths: Column, mean_length: float) -> Column:
    """BM25's count part with the usual k₁ = 1.2 and b = 0.75."""
    k1, b = 1.2, 0.75
    return counts * (k1 + 1) / (counts + k1 * (1 - b + b * lengths / max(mean_length, 1e-9)))


def _raw(counts: Column, lengths: Column, mean_length: float) -> Column:
    return counts


def _logarithm(counts: Column, lengths: Column, mean_length: float) -> Column:
    return np.log2(counts + 1)


Local = Callable[[Column, Column, float], Column]
Global = Callable[[Statistics], Column]

# name -> (local part, global part, what it is)
WEIGHTINGS: dict[str, tuple[Local, Global, str]] = {
    "log-tf-idf": (_logarithm, _inverse_document_frequency, "log2(f + 1) · log2(n / d)  [Platt et al. 2010, eq. 4]"),
    "tf": (_raw, _ones, "f"),
    "relative": (_raw, lambda s: 1 / np.maximum(s.total_frequency, 1), "f / F  [McCrae et al. 2013]"),
    "tf-idf": (_raw, _inverse_document_frequency, "f · log2(n / d)"),
    "sqrt": (_raw, lambda s: 1 / np.sqrt(np.maximum(s.total_frequency, 1)), "f / √F  [McCrae et al. 2013]"),
    "bm25": (_saturated, _bm25_idf, "saturated f · ln(1 + (n - d + ½) / (d + ½)), k₁ = 1.2, b = 0.75"),
    "log-entropy": (_logarithm, _log_entropy, "log2(f + 1) · (1 - H / log n)  [Dumais 1991]"),
}


class Weighting:
    """Fitted weights. With `normalize` every document gets the same length.

    That length is the root mean square length of the training documents, not one, so that regularisers keep their
    meaning whether documents are normalised or not; no cosine notices.
    """

    def __init__(self, name: str = "log-tf-idf", normalize: bool = True) -> None:
        if name not in WEIGHTINGS:
            raise ParameterError(f"unknown weighting {name!r}; known: {', '.join(WEIGHTINGS)}.")
        self.name, self.normalize = name, normalize

    def fit(
        self, counts: Mapping[str, Any], groups: NDArray[np.bool_] | None = None, *, apart: bool = False
    ) -> Weighting:
        """Learn from training counts, one matrix for each language, rows without text left out.

        `apart` says that each language has columns of its own.
        Columns of two `groups` (words, n-grams) are scaled to carry half of the total squared weight each.
        """
        self.scale_by(Statistics.of(list(counts.values()), apart=apart))
        # One language after the other: a hundred of them together would take a hundred times the columns of all.
        energy: Column = sum(map(self.energy, counts.values()), np.zeros(len(self.scale_)))
        return self.balance(energy, sum(matrix.shape[0] for matrix in counts.values()), groups)

    def scale_by(self, statistics: Statistics) -> None:
        """The global part, from training statistics."""
        self.scale_ = WEIGHTINGS[self.name][1](statistics)
        self.mean_length_ = statistics.mean_length

    def balance(self, energy: Column, documents: int, groups: NDArray[np.bool_] | None = None) -> Weighting:
        """The common length of documents, from each column's sum of squared weights over all of them."""
        if groups is not None and energy[groups].sum() > 0 and energy[~groups].sum() > 0:
            for group in (groups, ~groups):
                self.scale_[group] *= np.sqrt(energy.sum() / (2 * energy[group].sum()))
        self.norm_ = float(np.sqrt(energy.sum() / max(documents, 1))) or 1.0
        return self

    def energy(self, counts: Any) -> Column:
        """Sum of squared weights of each column."""
        weighted = self._weigh(counts)
        squares = np.bincount(weighted.indices, weights=weighted.data**2.0, minlength=weighted.shape[1])
        return squares.astype(np.float64, copy=False)

    def transform(self, counts: Any) -> Any:
        """Weighted float32 rows."""
        weighted = self._weigh(counts)
        if self.normalize:
            lengths = np.sqrt(np.bincount(_rows(weighted), weights=weighted.data**2.0, minlength=weighted.shape[0]))
            factors = self.norm_ / np.where(lengths > 0, lengths, 1)
            weighted.data = (weighted.data * factors[_rows(weighted)]).astype(np.float32)
        return weighted

    def _weigh(self, counts: Any) -> Any:
        lengths = np.asarray(counts.sum(axis=1), np.float64).ravel()
        local = WEIGHTINGS[self.name][0]
        values = local(counts.data.astype(np.float64), lengths[_rows(counts)], self.mean_length_)
        data = (values * self.scale_[counts.indices]).astype(np.float32)
        return sp.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)


def _rows(matrix: Any) -> NDArray[np.intp]:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
