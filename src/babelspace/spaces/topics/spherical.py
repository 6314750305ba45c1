"""Topics over weighted documents of length one: a coupled spherical admixture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.linalg.sparse import compact, multiply
from babelspace.kernels.topics.nonnegative_least_squares import nonnegative_rows
from babelspace.runtime import progress
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.parameters import SEED, Integer, Real, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense, Space, State, rank_within
from babelspace.spaces.linear.cl_lsi import truncated_svd

# Sweeps over the topics of a new document; more move its weights by less than retrieval can tell.
FOLD_IN = 30


@estimator
class CSAM(Space):
    """One mixture of topics for all documents of a row, topics being directions of log(tf)-idf vectors.

    .. math::
        \\min_{\\theta \\ge 0, \\, \\phi \\ge 0} \\; \\sum_d \\sum_{m \\in d}
        \\Big\\| \\frac{x_{dm}}{\\|x_{dm}\\|} - \\sum_t \\theta_{dt} \\, \\phi_{tm} \\Big\\|^2

    The model that Platt et al. point to in their section 4: an admixture as PLSA is, of weighted documents on the unit
    sphere instead of counts, so that what is rare weighs more and length weighs nothing. For a mean of length one the
    squared distance is 2 - 2 cos, the exponent of the von Mises-Fisher density of a spherical admixture; the length of
    a mean is left free here, and the prior of θ is flat, which makes it a non-negative factorisation that never gets
    worse. The languages of a row share θ, each document counting the same, however long: with squared distances that
    is the coupling of :class:`CPLSA` (agreement at no price), solved exactly. A row that lacks a language is explained
    by what it has. Coordinate descent starts from the signs of the singular vectors, so nothing but these is random.

    A new document gets its own θ by non-negative least squares in its language alone. Vectors are shares of topics,
    compared by L1 distance. Fitted: `words_` ({language: columns x topics}), `topic_words_`, `topic_sizes_`,
    `objective_` (minus the sum above after each iteration), `n_iter_`.
    Memory: 8 · (rows + columns) · topics + 12 · entries bytes.

    References
    ----------
    Reisinger, Waters, Silverthorn & Mooney (2010), Spherical Topic Models; Platt, Toutanova & Yih (2010), section 4.
    Cichocki & Phan (2009), Fast Local Algorithms for Large Scale Nonnegative Matrix and Tensor Factorizations.
    Boutsidis & Gallopoulos (2008), SVD based initialization: A head start for nonnegative matrix factorization.

    Examples
    --------
    >>> from babelspace import CSAM, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> CSAM(n_components=20).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    similarity: ClassVar[str] = "l1"
    n_components: int = parameter(200, "Topics.", Integer(1))
    max_iter: int = parameter(40, "Iterations at most; each improves θ of all rows, then φ of all words.", Integer(1))
    tol: float = parameter(1e-4, "Stop when an iteration takes less than this share off the distances.", Real(low=0))
    random_state: Seed = parameter(0, SEED)

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        documents = {name: unit_rows(matrix) for name, matrix in views.items()}
        # Columns that a language never uses would be zero in all of its topics.
        columns = {name: np.unique(matrix.indices).astype(np.int64) for name, matrix in documents.items()}
        own = {name: compact(documents[name][:, columns[name]]) for name in views.languages}
        weights, words = self._started(own, rng)
        columns_by_words = {name: compact(sp.csr_array(matrix.T)) for name, matrix in own.items()}
        patterns = _patterns(views)
        total = sum(float(matrix.multiply(matrix).sum()) for matrix in own.values())
        found: list[float] = []
        with progress.task(f"{weights.shape[1]} topics", self.max_iter) as advance:
            while len(found) < self.max_iter and not self._done(found):
                weights, fit = _documents_step(own, words, weights, patterns)
                found.append(fit - total)
                for name, matrix in columns_by_words.items():
                    products, gram = multiply(matrix, weights), _gram(weights[views.present[name]])
                    words[name] = nonnegative_rows(products, gram, words[name], 1)
                advance(1)
        self._set(columns, *_of_length_one(words, weights))
        self.objective_, self.n_iter_ = np.array(found), len(found)

    def _started(self, own: Mapping[str, Any], rng: np.random.Generator) -> tuple[Dense, dict[str, Dense]]:
        """Of each pair of singular vectors its positive or its negative half, whichever is larger."""
        joint = compact(sp.hstack(list(own.values()), format="csr"))
        values, right = truncated_svd(joint, rank_within(self.n_components, min(joint.shape)), rng)
        left = multiply(joint, right) / np.maximum(values, 1e-12).astype(np.float32)
        sides = [(np.maximum(sign * left, 0), np.maximum(sign * right, 0)) for sign in (1, -1)]
        sizes = [np.linalg.norm(one, axis=0) * np.linalg.norm(two, axis=0) for one, two in sides]
        chosen = np.where(sizes[0] >= sizes[1], 0, 1)
        weights, words = (np.where(chosen == 0, sides[0][side], sides[1][side]) for side in (0, 1))
        weights *= values.astype(np.float32)
        ends = np.cumsum([matrix.shape[1] for matrix in own.values()])[:-1]
        return weights, dict(zip(own, np.split(words, ends), strict=True))

    def _done(self, found: list[float]) -> bool:
        return len(found) > 1 and found[-1] - found[-2] < self.tol * abs(found[-2])

    def _set(self, columns: dict[str, NDArray[np.int64]], words: dict[str, Dense], sizes: NDArray[np.float64]) -> None:
        self.columns_, self.words_, self.topic_sizes_ = columns, words, sizes
        self._grams = {name: _gram(part) for name, part in words.items()}

    def _project(self, X: Any, language: str) -> Dense:
        documents = unit_rows(compact(X[:, self.columns_[language]]))
        products = multiply(documents, self.words_[language])
        gram = self._grams[language]
        start = np.zeros_like(products)
        weights = nonnegative_rows(products, gram, start, FOLD_IN)
        sums = weights.sum(axis=1, keepdims=True)
        return weights / np.where(sums > 0, sums, 1)

    @property
    def n_components_(self) -> int:
        """Topics."""
        return len(self.topic_sizes_)

    @property
    def topic_words_(self) -> dict[str, Dense]:
        """{language: topics x columns}: each topic's weights of the words of that language, as shares."""
        found = {}
        for name, words in self.words_.items():
            wide = np.zeros((self.n_components_, self.n_features_in_), np.float32)
            wide[:, self.columns_[name]] = (words / np.maximum(words.sum(axis=0), 1e-30)).T
            found[name] = wide
        return found

    @property
    def trace_(self) -> dict[str, NDArray[np.float64]]:
        """Minus the sum of squared distances after each iteration."""
        return {"all": self.objective_}

    def get_state(self) -> State:
        state: State = {"values": self.topic_sizes_, "objective": self.objective_}
        for name in self.languages_:
            state |= {f"words.{name}": self.words_[name], f"columns.{name}": self.columns_[name]}
        return state

    def _restore(self, state: CheckedArrays) -> None:
        sizes = state.floats("values", "topics", low=0)
        columns, words = {}, {}
        for name in self.languages_:
            own = f"columns.{name}"
            columns[name] = state.whole(own, own, below="columns", distinct=True)
            words[name] = state.floats(f"words.{name}", own, "topics", low=0)
        self._set(columns, words, sizes)
        self.objective_ = state.floats("objective", None)
        self.n_iter_ = len(self.objective_)


def unit_rows(matrix: Any) -> Any:
    """Documents of length one; those without a word stay zero."""
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1), np.float64).ravel())
    scale = np.repeat(1 / np.where(lengths > 0, lengths, 1), np.diff(matrix.indptr))
    return sp.csr_array(((matrix.data * scale).astype(np.float32), matrix.indices, matrix.indptr), shape=matrix.shape)


def _patterns(views: Views) -> list[tuple[list[str], NDArray[np.int64]]]:
    """Which rows have which languages."""
    present = np.array([views.present[name] for name in views.languages]).T
    kinds, kind = np.unique(present, axis=0, return_inverse=True)
    return [
        ([name for name, there in zip(views.languages, mask, strict=True) if there], np.flatnonzero(kind.ravel() == k))
        for k, mask in enumerate(kinds)
    ]


def _documents_step(
    own: Mapping[str, Any], words: Mapping[str, Dense], weights: Dense, patterns: list[tuple[list[str], Any]]
) -> tuple[Dense, float]:
    """Better θ of all rows, and how much of the squared lengths it explains."""
    products = np.sum([multiply(matrix, words[name]) for name, matrix in own.items()], axis=0)
    grams = {name: _gram(part) for name, part in words.items()}
    better, explained = np.zeros_like(weights), 0.0
    for languages, rows in patterns:
        if not languages:
            continue
        gram = np.sum([grams[name] for name in languages], axis=0)
        part = nonnegative_rows(products[rows], gram, weights[rows], 1)
        explained += float(np.sum(part * (2 * products[rows] - part @ gram), dtype=np.float64))
        better[rows] = part
    return better, explained


def _gram(matrix: Dense) -> Dense:
    return np.asarray(matrix.T @ matrix, np.float32)


def _of_length_one(words: Mapping[str, Dense], weights: Dense) -> tuple[dict[str, Dense], NDArray[np.float64]]:
    """Topics whose words have length one on the mean over the languages, and each topic's share of all weights."""
    squares = np.mean([np.sum(part.astype(np.float64) ** 2, axis=0) for part in words.values()], axis=0)
    length = np.sqrt(np.where(squares > 0, squares, 1))
    sizes = weights.sum(axis=0, dtype=np.float64) * length
    scaled = {name: (part / length).astype(np.float32) for name, part in words.items()}
    return scaled, sizes / max(float(sizes.sum()), 1e-300)
