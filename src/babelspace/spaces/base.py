"""What every space is: an estimator from Views to vectors in one coordinate system."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import HolesError, ParameterError, UnknownLanguage
from babelspace.features import Views
from babelspace.features.on_disk import ViewsOnDisk
from babelspace.kernels.linalg.sparse import compact, multiply
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.estimator import Transformer, check_is_fitted
from babelspace.runtime.parameters import check_parameters, estimator, parameter
from babelspace.runtime.seeds import generator
from babelspace.spaces.common_parameters import DIMENSIONS

Dense = NDArray[Any]  # float32
State = dict[str, NDArray[Any]]

# Sparse vectors cost by the words of a document, not by the vocabulary: the usual cap would only throw words away.
SPARSE_TERMS = 100_000


class Space(Transformer):
    """Base of all spaces; a subclass writes `_fit`, `_project`, and its arrays in `get_state`, `_restore`."""

    similarity: ClassVar[str] = "cosine"
    # The vocabulary that suits the space, where it is not the usual one.
    most_terms: ClassVar[int | None] = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from row-aligned Views (or a dict or list of matrices), in memory or on disk."""
        if isinstance(X, ViewsOnDisk) and not self._solves_from_sums(X):
            X = X.whole()
        views = X if isinstance(X, ViewsOnDisk) else Views.of(X)
        self._check(views)
        self.languages_ = views.languages
        self.n_features_in_ = views.shape[1]
        rng = generator(getattr(self, "random_state", None))
        if isinstance(views, ViewsOnDisk):
            self._fit_on_disk(views, rng)
        else:
            self._fit(views, rng)
        return self

    def transform(self, X: Any, language: str | None = None) -> Any:
        """A matrix and its language give an array; Views give {language: array}."""
        check_is_fitted(self, "languages_")
        if language is None:
            return {name: self.transform(matrix, name) for name, matrix in Views.of(X).items()}
        if language not in self.languages_:
            raise UnknownLanguage(language, self.languages_)
        matrix = compact(X)
        if matrix.shape[1] != self.n_features_in_:
            raise ParameterError(
                f"{type(self).__name__} was fitted on {self.n_features_in_} columns, got {matrix.shape[1]}. "
                "Vectorise with the vectorizer that the space was fitted with."
            )
        return self._project(matrix, language)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean mate accuracy at 1 over all ordered pairs of languages; ties count as errors."""
        from babelspace.vectors.mates import direction_ranks

        views = Views.of(X)
        ranks = direction_ranks(self.transform(views), views.present, similarity=self.similarity)
        return float(np.mean([np.mean(found == 1) for found in ranks.values()]))

    def get_state(self) -> State:
        """Fitted arrays by name."""
        raise NotImplementedError

    def set_state(self, state: State, languages: tuple[str, ...], columns: int) -> Self:
        """Take fitted arrays back."""
        self.languages_, self.n_features_in_ = languages, columns
        arrays = CheckedArrays(state, columns=columns)
        self._restore(arrays)
        arrays.finish()
        return self

    def _check(self, views: Any) -> None:
        check_parameters(self)
        if len(views.languages) < 2:
            raise ParameterError(
                f"a space needs two or more languages, got {', '.join(views.languages)}. Add a language to the corpus."
            )
        if len(views) == 0:
            raise ParameterError("no rows to learn from. Give a corpus with at least one aligned row.")
        pivot = getattr(self, "pivot", None)
        if pivot is not None and pivot not in views.languages:
            raise UnknownLanguage(pivot, views.languages)

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        raise NotImplementedError

    def _solves_from_sums(self, views: ViewsOnDisk) -> bool:
        """Whether sums over blocks of rows are all that is needed; otherwise the weighted rows are held in memory."""
        return False

    def _fit_on_disk(self, views: ViewsOnDisk, rng: np.random.Generator) -> None:
        raise NotImplementedError

    def _project(self, X: Any, language: str) -> Any:
        raise NotImplementedError

    def _restore(self, state: CheckedArrays) -> None:
        raise NotImplementedError


@estimator
class ProjectionSpace(Space):
    """A space that is one matrix for each language: vector = x W - offset.

    Fitted: `weights_[language]` (columns x dimensions), `columns_[language]` (the columns these rows stand for, or
    None for all), `offsets_[language]`, `values_` (a number for each dimension: an eigenvalue, a singular value).
    """

    n_components: int = parameter(300, DIMENSIONS)

    def _set(
        self,
        weights: Mapping[str, Dense],
        values: NDArray[Any],
        columns: Mapping[str, NDArray[np.int64] | None] | None = None,
        offsets: Mapping[str, Dense] | None = None,
    ) -> None:
        self.weights_ = dict(weights)
        self.values_ = np.asarray(values, np.float64)
        self.columns_ = dict(columns) if columns else dict.fromkeys(weights)
        zero = np.zeros(len(self.values_), np.float32)
        self.offsets_ = dict(offsets) if offsets else dict.fromkeys(weights, zero)

    @property
    def n_components_(self) -> int:
        """Dimensions actually learned."""
        return len(self.values_)

    def _project(self, X: Any, language: str) -> Dense:
        columns = self.columns_[language]
        own = X if columns is None else compact(X[:, columns])
        vectors = multiply(own, self.weights_[language])
        # A document without a known word stays the zero vector: it has no place in the space and matches nothing.
        vectors[np.diff(own.indptr) > 0] -= self.offsets_[language]
        return vectors

    def extended(self, language: str, weights: Dense, offset: Dense) -> Self:
        """The same with one more language, whose weights stand for new columns after those that there are."""
        check_is_fitted(self, "weights_")
        size = self.n_features_in_
        other = copy.copy(self)
        all_columns = np.arange(size, dtype=np.int64)
        known = {name: all_columns if columns is None else columns for name, columns in self.columns_.items()}
        other.columns_ = {**known, language: np.arange(size, size + len(weights), dtype=np.int64)}
        other.weights_ = {**self.weights_, language: weights}
        other.offsets_ = {**self.offsets_, language: offset}
        other.languages_ = (*self.languages_, language)
        other.n_features_in_ = size + len(weights)
        return other

    def _rank(self, available: int) -> int:
        """The asked number of dimensions, cut (with a warning) to what the data can give."""
        return rank_within(self.n_components, available)

    def get_state(self) -> State:
        first = self.weights_[self.languages_[0]]
        shared = [name for name in self.languages_ if self.weights_[name] is first]
        state: State = {"values": self.values_}
        for name in self.languages_:
            state[f"offset.{name}"] = self.offsets_[name]
            if len(shared) == 1 or name not in shared:
                state[f"weights.{name}"] = self.weights_[name]
            columns = self.columns_[name]
            if columns is not None:
                state[f"columns.{name}"] = columns
        if len(shared) > 1:
            state["weights"] = first
        return state

    def _restore(self, state: CheckedArrays) -> None:
        values = state.floats("values", "dimensions", finite=False)
        columns, weights, offsets = {}, {}, {}
        for name in self.languages_:
            own = f"columns.{name}"
            columns[name] = state.whole(own, own, below="columns", distinct=True) if own in state else None
            rows = self._weight_rows(state, name, "columns" if columns[name] is None else own)
            stored = f"weights.{name}" if f"weights.{name}" in state else "weights"
            weights[name] = state.floats(stored, rows, "dimensions")
            offsets[name] = state.floats(f"offset.{name}", "dimensions")
        self._set(weights, values, columns, offsets)

    def _weight_rows(self, state: CheckedArrays, language: str, columns: str) -> str:
        """What the rows of a language's weights stand for: its columns."""
        return columns


@estimator
class LinearSpace(ProjectionSpace):
    """A projection with its dimensions in order of importance: the first d are what a fit with d dimensions gives."""

    def truncated(self, dimensions: int) -> Self:
        """The same fit with only the first dimensions."""
        check_is_fitted(self, "weights_")
        other = copy.copy(self)
        other.n_components = dimensions
        cut: dict[int, Dense] = {id(w): np.ascontiguousarray(w[:, :dimensions]) for w in self.weights_.values()}
        other.weights_ = {name: cut[id(weights)] for name, weights in self.weights_.items()}
        other.values_ = self.values_[:dimensions]
        other.offsets_ = {name: offset[:dimensions] for name, offset in self.offsets_.items()}
        return other


def rank_within(asked: int, available: int) -> int:
    """The asked number of dimensions, cut (with a warning) to what the data can give."""
    if asked > available:
        warnings.warn(f"n_components={asked} is more than these data can give; {available} are used.", stacklevel=5)
    return min(asked, available)


def column_means(views: Views) -> dict[str, NDArray[np.float64]]:
    """The mean row of each language over the rows that have it."""
    return {
        name: np.asarray(matrix.sum(axis=0), np.float64).ravel() / max(int(views.present[name].sum()), 1)
        for name, matrix in views.items()
    }


def rows_in_common(views: Views) -> NDArray[np.float64]:
    """How many rows each two languages have in common; an error where two have none."""
    present = np.array([views.present[name] for name in views.languages], np.float64)
    common = present @ present.T
    if not common.all():
        a, b = (views.languages[k] for k in np.argwhere(common == 0)[0])
        raise HolesError(
            f"no row has both {a!r} and {b!r}, so their correlation is unknown. Use opca, which takes such holes."
        )
    return common
