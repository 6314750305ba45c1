"""L-Solve: ONETA with an exact inverse for the first documents only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.linalg.pseudo_inverse import Inverse, gram_inverse
from babelspace.kernels.linalg.sparse import compact
from babelspace.runtime.artifact import pack_sparse
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.parameters import Integer, estimator, parameter
from babelspace.spaces.base import Dense, Space, State
from babelspace.spaces.common_parameters import RIDGE
from babelspace.spaces.explicit.background import Background, explicit_topics
from babelspace.spaces.explicit.oneta import BLOCK, mean_square, pack_inverse, unpack_inverse, warn_dropped


@dataclass(frozen=True)
class Parts:
    """The background of one language cut in two: A (`first`), B above C (`later`), and C' (`left_inverse`)."""

    first: Any  # columns x first documents
    later: Any  # later documents x columns
    left_inverse: Any  # columns x later documents
    first_topics: NDArray[np.int64]
    later_topics: NDArray[np.int64]

    @classmethod
    def of(cls, background: Background, n_first: int, dropped: NDArray[np.int64], ridge: float) -> Parts:
        """Cut after row `n_first`; dropped rows are left out."""
        topics, documents = background.topics, background.documents()
        is_first, is_later = topics < n_first, (topics >= n_first) & ~np.isin(topics, dropped)
        later = documents[is_later]
        novel = _novel(background, n_first)[is_later]
        squares = np.asarray((novel**2).sum(axis=1), np.float64).ravel() + ridge
        left_inverse = compact(sp.csr_array((novel / squares[:, None]).T))
        return cls(compact(background.weights[:, is_first]), later, left_inverse, topics[is_first], topics[is_later])

    def split(self, X: Any) -> tuple[Any, Any]:
        """Aᵀ(x₁ - B z₂) and z₂, sparse, for documents x."""
        later = X @ self.left_inverse
        # The words of C are in the difference, too, but A has none of them.
        return (X - later @ self.later) @ self.first, later

    def arrays(self, language: str) -> dict[str, NDArray[Any]]:
        """What :meth:`restore` needs."""
        sparse = {"first": self.first, "later": self.later, "left_inverse": self.left_inverse}
        packed = {"first_topics": self.first_topics, "later_topics": self.later_topics}
        for part, matrix in sparse.items():
            packed |= pack_sparse(part, matrix)
        return {f"{language}.{part}": array for part, array in packed.items()}

    @classmethod
    def restore(cls, state: CheckedArrays, language: str) -> Parts:
        """The parts whose arrays these are."""
        first, later = f"{language}.first_topics", f"{language}.later_topics"
        topics = [state.whole(name, name, below="topics", distinct=True) for name in (first, later)]
        return cls(
            state.sparse(f"{language}.first", "columns", first),
            state.sparse(f"{language}.later", later, "columns"),
            state.sparse(f"{language}.left_inverse", "columns", later),
            *topics,
        )


@estimator
class LSolve(Space):
    """ONETA by a left inverse that factorises only the first N₁ background documents.

    .. math::
        X_m = \\begin{pmatrix} A & B \\\\ 0 & C \\end{pmatrix}, \\quad
        \\phi_m(x) = \\begin{pmatrix} (A^\\top A + \\rho s I)^{-1} A^\\top (x_1 - B z_2) \\\\ z_2 \\end{pmatrix}, \\quad
        z_{2j} = \\frac{c_j^\\top x_2}{\\lVert c_j \\rVert^2 + \\rho s}

    Rows of :math:`X_m` are words: first those of the first N₁ documents, then the others, of which C has few and which
    are taken as orthogonal. A later document with no other words than those of the first ones, in any language, leaves
    a zero column in C and is dropped from the topics of every language. With N₁ = N this is
    :class:`~babelspace.spaces.ONETA`. Memory: 4 · N₁² bytes in single precision, as there.

    Attributes
    ----------
    dropped_ : int
        Background documents that were dropped.

    References
    ----------
    McCrae, Cimiano & Klinger (2013), Orthonormal Explicit Topic Analysis for Cross-lingual Document Matching, eq. 3.

    Examples
    --------
    >>> from babelspace import LSolve, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> LSolve(n_first=150).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    n_first: int = parameter(
        1000, "Background documents N₁ whose inverse is exact, in the order of the training rows.", Integer(1)
    )
    ridge: float = parameter(3.0, RIDGE)

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        self.n_components_ = len(views)
        backgrounds = {name: Background.of(views, name, "tf-idf") for name in views.languages}
        dropped = np.unique(np.concatenate([_covered(part, self.n_first) for part in backgrounds.values()]))
        self.dropped_ = len(dropped)
        self.parts_: dict[str, Parts] = {}
        self.inverses_: dict[str, Inverse] = {}
        for name, background in backgrounds.items():
            ridge = self.ridge * mean_square(background.weights.T)
            parts = self.parts_[name] = Parts.of(background, self.n_first, dropped, ridge)
            self.inverses_[name] = gram_inverse(compact(parts.first.T), ridge, f"Gram matrix of {name}")
            warn_dropped(self.inverses_[name], name)

    def _project(self, X: Any, language: str) -> Dense:
        parts, inverse = self.parts_[language], self.inverses_[language]
        out = np.zeros((X.shape[0], self.n_components_), np.float32)
        for start in range(0, X.shape[0], BLOCK):
            block = slice(start, start + BLOCK)
            associations, later = parts.split(X[block].astype(inverse.dtype))
            out[block, parts.first_topics] = inverse.apply(associations.toarray())
            out[block, parts.later_topics] = later.toarray()
        return out

    def get_state(self) -> State:
        state: State = {"topics": np.array(self.n_components_), "dropped": np.array(self.dropped_)}
        for name in self.languages_:
            state |= self.parts_[name].arrays(name) | pack_inverse(self.inverses_[name], name)
        return state

    def _restore(self, state: CheckedArrays) -> None:
        self.n_components_, self.dropped_ = explicit_topics(state), state.count("dropped")
        self.parts_ = {name: Parts.restore(state, name) for name in self.languages_}
        self.inverses_ = {name: unpack_inverse(state, name, f"{name}.first_topics") for name in self.languages_}


def _novel(background: Background, n_first: int) -> Any:
    """The documents as sparse rows without the words of the first ones: C, with empty rows for the first."""
    known = np.diff(compact(background.weights[:, background.topics < n_first]).indptr) > 0
    return compact(sp.csr_array((background.weights * ~known[:, None]).T))


def _covered(background: Background, n_first: int) -> NDArray[np.int64]:
    """Later documents all of whose words occur in the first ones."""
    empty = np.diff(_novel(background, n_first).indptr) == 0
    return background.topics[empty & (background.topics >= n_first)]
