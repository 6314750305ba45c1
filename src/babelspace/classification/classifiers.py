"""What decides between classes in a space: the nearest labelled document, or a classifier of scikit-learn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression

from babelspace.errors import ParameterError
from babelspace.vectors.similarity import prepare, score_blocks

Codes = NDArray[np.int64]
Scores = NDArray[np.float64]

BASES = ("nearest", "logistic")
# On vectors of unit length; against 1 and 100 on the sample, unesco-whc and debian-descriptions, their test rows.
LOGISTIC_C = 10.0
LEAST_PROBABILITY = 1e-12


class NearestNeighbour(ClassifierMixin, BaseEstimator):
    """The class of the nearest labelled document; a class scores what its nearest document scores.

    .. math:: s_c(x) = \\max_{i : y_i = c} \\mathrm{sim}(x, x_i)

    Exact, in blocks; on equal scores the class that comes first.

    Parameters
    ----------
    similarity : "cosine", "euclidean" or "l1"

    References
    ----------
    Platt, Toutanova & Yih (2010), section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> NearestNeighbour().fit(np.eye(2), ["a", "b"]).predict(np.array([[1.0, 0.2], [0.1, 3.0]])).tolist()
    ['a', 'b']
    """

    def __init__(self, similarity: str = "cosine") -> None:
        self.similarity = similarity

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the documents, class by class."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        order = np.argsort(codes, kind="stable")
        return self.keep(X[order], codes[order])

    def keep(self, rows: Any, codes: Codes) -> Self:
        """Take rows that stand class by class."""
        self.rows_, self.codes_ = rows, codes
        self.starts_ = np.flatnonzero(np.diff(codes, prepend=-1))
        return self

    def decision_function(self, X: Any) -> Scores:
        """A score for each class; -inf throughout for a row of zeros."""
        queries, documents = prepare(X, self.similarity), prepare(self.rows_, self.similarity)
        scores = np.empty((len(queries), len(self.starts_)))
        for part, block in score_blocks(queries, documents, precise=True):
            scores[part] = np.maximum.reduceat(block, self.starts_, axis=1)
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        return self.classes_[np.argmax(self.decision_function(X), axis=1)]


class LinearScores:
    """What is left of a linear classifier when it comes back from disk: weights and intercepts of each class."""

    def __init__(self, weights: NDArray[Any], intercepts: NDArray[Any]) -> None:
        self.weights, self.intercepts = weights, intercepts

    def decision_function(self, X: Any) -> Scores:
        """A score for each class; for two classes one score, that of the second."""
        found = np.asarray(X @ self.weights.T) + self.intercepts
        return found.ravel() if found.shape[1] == 1 else found


def make_base(base: Any, similarity: str, seed: int | None = 0) -> Any:
    """A fresh classifier by name, or a copy of the given one."""
    if base == "nearest":
        return NearestNeighbour(similarity)
    if base == "logistic":
        return LogisticRegression(C=LOGISTIC_C, max_iter=2_000, random_state=seed)
    if isinstance(base, str) or not hasattr(base, "fit") or not hasattr(base, "predict"):
        raise ParameterError(
            f"unknown base {base!r}; use {' or '.join(map(repr, BASES))}, or a scikit-learn classifier such as "
            "LinearSVC()."
        )
    return clone(base)


def class_scores(classifier: Any, rows: Any, classes: int) -> Scores:
    """One score for each class: of the decision function, or logarithms of probabilities."""
    if not sp.issparse(rows):
        # BLAS rounds a row by how many stand beside it: in double precision no digit that is shown knows of its batch.
        rows = np.asarray(rows, np.float64)
    if hasattr(classifier, "decision_function"):
        found = np.asarray(classifier.decision_function(rows), np.float64)
        if found.ndim == 1:
            return np.column_stack([np.zeros(len(found)), found])
        if found.shape[1] == classes:
            return found
    if hasattr(classifier, "predict_proba"):
        chances = np.clip(np.asarray(classifier.predict_proba(rows), np.float64), LEAST_PROBABILITY, 1.0)
        return np.log(chances)
    raise ParameterError(
        f"{type(classifier).__name__} gives no score for each class, so nothing can be made a probability. "
        "Use a classifier with decision_function (one column a class) or predict_proba."
    )


def small_indices(rows: Any) -> Any:
    """The same rows; sparse ones with 32-bit indices, which is all that liblinear takes."""
    if not sp.issparse(rows):
        return rows
    matrix = sp.csr_array(rows)
    parts = (matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32))
    return sp.csr_array(parts, shape=matrix.shape)
