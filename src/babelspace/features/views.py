"""Views: one row-aligned sparse matrix for each language, the input of every space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.kernels.linalg.sparse import compact

Mask = NDArray[np.bool_]


class Words(Protocol):
    """What is known of the words behind the columns; a fitted vectorizer is one."""

    def table(self, language: str) -> Mapping[str, int]:
        """Term → column of one language."""

    def read(self, texts: Iterable[str], language: str) -> Iterator[list[str]]:
        """The features of each text, known or not, in order."""

    def speaks(self, language: str) -> str:
        """The language in which the texts of a language are read: another one where they are translated first."""


class SomeWords:
    """The words of some columns, which have new numbers."""

    def __init__(self, words: Words, columns: NDArray[np.int64]) -> None:
        self._words, self._places = words, {column: place for place, column in enumerate(columns.tolist())}

    def table(self, language: str) -> Mapping[str, int]:
        """Term → column of one language."""
        known = self._words.table(language).items()
        return {term: self._places[column] for term, column in known if column in self._places}

    def read(self, texts: Iterable[str], language: str) -> Iterator[list[str]]:
        """The features of each text, known or not, in order."""
        return self._words.read(texts, language)

    def speaks(self, language: str) -> str:
        """The language in which the texts of a language are read."""
        return self._words.speaks(language)


class Views:
    """Row-aligned matrices over one set of columns; column j is the same slot in every language.

    `present[language]` is the truth about which rows have text: a row of zeros may still be a document, all of
    whose words are unknown. Slicing rows gives Views, so scikit-learn's splitters and searches work unchanged.
    `words` is the vectorizer that made them, None for bare matrices: few spaces ask what a column means.

    Examples
    --------
    >>> import numpy as np
    >>> views = Views({"en": np.eye(3), "es": np.eye(3)})
    >>> views.shape, views.languages, len(views[:2])
    ((3, 3), ('en', 'es'), 2)
    """

    def __init__(
        self, matrices: Mapping[str, Any], present: Mapping[str, ArrayLike] | None = None, words: Words | None = None
    ) -> None:
        if not matrices:
            raise ParameterError("Views need at least one language; got none. Pass a mapping {language: matrix}.")
        self._matrices = {language: compact(matrix) for language, matrix in matrices.items()}
        self.languages: tuple[str, ...] = tuple(self._matrices)
        self.shape = self._common_shape()
        given = present or {}
        for language in given:
            if language not in self._matrices:
                raise UnknownLanguage(language, self.languages)
        masks = {name: np.asarray(given.get(name, np.ones(self.shape[0], bool)), bool) for name in self.languages}
        for language, mask in masks.items():
            if mask.shape != (self.shape[0],):
                raise ParameterError(f"present[{language!r}] has shape {mask.shape}, expected ({self.shape[0]},)")
        self.present: Mapping[str, Mask] = MappingProxyType(masks)
        self.words = words

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled, and searches on several processes send Views to each.
        return type(self), (self._matrices, dict(self.present), self.words)

    def _common_shape(self) -> tuple[int, int]:
        shapes = {language: matrix.shape for language, matrix in self._matrices.items()}
        if len(set(shapes.values())) > 1:
            raise ParameterError(
                f"Matrices of Views must have the same rows and columns, got {shapes}. "
                "For vocabularies that share no column use Views.separate(...)."
            )
        rows, columns = next(iter(shapes.values()))
        return int(rows), int(columns)

    @classmethod
    def of(cls, X: Any) -> Views:
        """Views from Views, a mapping of matrices, or a list of matrices (languages "0", "1", …)."""
        if isinstance(X, Views):
            return X
        if isinstance(X, Mapping):
            return cls(X)
        if isinstance(X, Sequence) and not isinstance(X, str) and len(X) and hasattr(X[0], "shape"):
            return cls({str(number): matrix for number, matrix in enumerate(X)})
        raise ParameterError(
            f"Expected Views, a dict {{language: matrix}} or a list of matrices, got {type(X).__name__}. "
            "Texts become Views through ViewsVectorizer().fit_transform(corpus)."
        )

    @classmethod
    def separate(cls, matrices: Mapping[str, Any], present: Mapping[str, ArrayLike] | None = None) -> Views:
        """Views of matrices whose columns mean different things: each language gets columns of its own."""
        import scipy.sparse as sp

        widths = [matrix.shape[1] for matrix in matrices.values()]
        starts = np.cumsum([0, *widths])
        placed = {}
        for start, (language, matrix) in zip(starts, matrices.items(), strict=False):
            rows = compact(matrix)
            parts = (rows.data, rows.indices + start, rows.indptr)
            placed[language] = sp.csr_array(parts, shape=(rows.shape[0], int(starts[-1])))
        return cls(placed, present)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        holes = {name: int((~mask).sum()) for name, mask in self.present.items() if not mask.all()}
        missing = f", holes={holes}" if holes else ""
        return f"Views({self.shape[0]} rows x {self.shape[1]} columns, {', '.join(self.languages)}{missing})"

    @overload
    def __getitem__(self, key: str) -> Any: ...
    @overload
    def __getitem__(self, key: slice | NDArray[Any] | Sequence[int]) -> Views: ...
    def __getitem__(self, key: Any) -> Any:
        """A language gives its matrix; an index array, mask or slice of rows gives Views."""
        if isinstance(key, str):
            if key not in self._matrices:
                raise UnknownLanguage(key, self.languages)
            return self._matrices[key]
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]  # how scikit-learn's splitters ask for rows
        if not isinstance(key, slice):
            key = np.asarray(key)
        matrices = {language: matrix[key] for language, matrix in self._matrices.items()}
        return Views(matrices, {language: mask[key] for language, mask in self.present.items()}, self.words)

    def items(self) -> Iterator[tuple[str, Any]]:
        """(language, matrix) pairs."""
        yield from self._matrices.items()

    def only(self, languages: Sequence[str]) -> Views:
        """The same rows with these languages alone."""
        matrices = {name: self[name] for name in languages}
        return Views(matrices, {name: self.present[name] for name in languages}, self.words)

    def of_columns(self, columns: NDArray[np.int64]) -> Views:
        """The same rows in these columns alone, which get new numbers."""
        matrices = {name: matrix[:, columns] for name, matrix in self.items()}
        words = None if self.words is None else SomeWords(self.words, columns)
        return Views(matrices, self.present, words)

    def blocks(self, rows: int) -> Iterator[Views]:
        """Consecutive pieces of at most `rows` rows."""
        for start in range(0, len(self), rows):
            yield self[start : start + rows]

    def complete(self) -> Mask:
        """Rows that have every language."""
        return np.logical_and.reduce(list(self.present.values()))
