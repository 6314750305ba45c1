"""Background documents: the explicit topics of ESA and ONETA, and how strongly a document is associated with each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.features.weighting import Weighting
from babelspace.kernels.linalg.sparse import compact
from babelspace.runtime.artifact import pack_sparse
from babelspace.runtime.checked_arrays import CheckedArrays


@dataclass(frozen=True)
class Background:
    """The background documents of one language that have a known word.

    `weights` (columns x documents) turn a document into its associations; `topics` are the rows of the Views that the
    documents stand in. A row without the language, or without a known word, has no association with anything.
    """

    weights: Any
    topics: NDArray[np.int64]
    association: str

    @classmethod
    def of(cls, views: Views, language: str, association: str) -> Background:
        """The documents of one language of the training Views."""
        documents = views[language][views.present[language]]
        rows = np.flatnonzero(views.present[language])
        if association == "bm25":
            check_counts(documents)
            documents = compact(Weighting("bm25", normalize=False).fit({language: documents}).transform(documents))
        filled = np.diff(documents.indptr) > 0
        return cls(compact(sp.csr_array(documents[filled].T)), rows[filled], association)

    def associate(self, X: Any, dtype: Any = np.float32) -> Any:
        """Sparse associations (documents x background documents) of new documents."""
        if self.association == "bm25":
            check_counts(X)
        return X.astype(dtype) @ self.weights.astype(dtype)

    def documents(self) -> Any:
        """The weighted background documents as sparse rows."""
        return compact(sp.csr_array(self.weights.T))

    def arrays(self, language: str) -> dict[str, NDArray[Any]]:
        """What :meth:`restore` needs."""
        return pack_sparse(f"weights.{language}", self.weights) | {f"topics.{language}": self.topics}

    @classmethod
    def restore(cls, arrays: CheckedArrays, language: str, association: str) -> Background:
        """The background whose arrays these are."""
        documents = f"topics.{language}"
        topics = arrays.whole(documents, documents, below="topics", distinct=True)
        return cls(arrays.sparse(f"weights.{language}", "columns", documents), topics, association)


def explicit_topics(state: CheckedArrays) -> int:
    """How many background rows a stored space has."""
    topics = state.count("topics")
    state.bind("topics", topics)
    return topics


def check_counts(X: Any) -> None:
    """Raise unless these are raw counts."""
    values = X.data
    if len(values) and (values.min() < 0 or not np.array_equal(values, np.floor(values))):
        raise ParameterError(
            f"association='bm25' needs raw counts and weighs them itself, got the value {_first_non_count(values):.4g}",
            hint='vectorise with {weighting="tf"} {normalize=False}',
        )


def _first_non_count(values: NDArray[Any]) -> float:
    return float(values[(values < 0) | (values != np.floor(values))][0])
