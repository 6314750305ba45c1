"""ONETA of low rank, from the leading eigenvectors of the Gram matrix: ON-Eigen and Explicit LSI."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.linalg import row_stable
from babelspace.kernels.linalg.eigenvectors import leading_eigenpairs
from babelspace.kernels.linalg.pseudo_inverse import Spectrum, leading_spectrum
from babelspace.kernels.linalg.sparse import compact, gram, multiply
from babelspace.runtime import progress
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.parameters import SEED, Choice, Integer, Parameter, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense, Space, State, rank_within
from babelspace.spaces.common_parameters import RIDGE, TOLERANCE
from babelspace.spaces.explicit.background import Background, explicit_topics
from babelspace.spaces.explicit.oneta import OrthonormalTopics, mean_square
from babelspace.spaces.linear.cl_lsi import joint_matrix

EIGENVECTORS = Parameter("Eigenvectors or singular vectors that stand for the inverse.", Integer(1))


@estimator
class ONEigen(OrthonormalTopics):
    """ONETA with K eigenvectors in place of the inverse.

    .. math::
        \\phi_m(x) = U_K (\\Sigma_K + \\rho \\, s_m I)^{-1} U_K^\\top X_m^\\top x, \\qquad
        X_m^\\top X_m \\approx U_K \\Sigma_K U_K^\\top

    With all N eigenvectors this is :class:`~babelspace.spaces.ONETA`. Few eigenvectors come from a block Krylov
    iteration on sparse products; more than a third of N from a dense solver (24 · N² bytes). Eigenvalues of zero
    are left out. Vectors still have one coordinate for each background document.

    References
    ----------
    McCrae, Cimiano & Klinger (2013), Orthonormal Explicit Topic Analysis for Cross-lingual Document Matching, eq. 1.

    Examples
    --------
    >>> from babelspace import ONEigen, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> ONEigen(n_components=40).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    association = "tf-idf"  # the other measure has no symmetric matrix to take eigenvectors of

    n_components: int = parameter(300, EIGENVECTORS)
    ridge: float = parameter(1.0, RIDGE)
    tol: float = parameter(0.05, TOLERANCE)
    random_state: Seed = parameter(0, SEED)

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        self.n_components_ = len(views)
        self.backgrounds_ = {name: Background.of(views, name, "tf-idf") for name in views.languages}
        rank = rank_of(self.n_components, self.backgrounds_)
        self.inverses_ = {
            name: leading_topics(background, rank, self.ridge, rng, self.tol)
            for name, background in self.backgrounds_.items()
        }


@estimator
class ExplicitLSI(Space):
    """Into a latent space, each language's own or that of all together, and from there to explicit topics.

    .. math::
        \\phi_m(x) = V_K (\\Sigma_K + \\rho \\, s_m \\Sigma_K^{-1})^{-1} U_K^\\top x, \\qquad
        X_m \\approx U_K \\Sigma_K V_K^\\top

    In exact arithmetic this is the map of :class:`~babelspace.spaces.ONEigen` with the same K and ρ (the V of one SVD
    are the eigenvectors of the other's Gram matrix), so any difference between the two is one of solvers. What
    differs is the cost: dense matrices of columns x K and N x K, and a projection that never meets the N associations
    of a document.

    With ``decomposition="joint"`` the SVD is that of the concatenated documents, as in LSI, and each language has its
    words' rows of one U. V is orthonormal, so cosines then are those of :class:`~babelspace.spaces.CLLSI` with
    ``power=-1`` (and ρ = 0).

    References
    ----------
    McCrae, Cimiano & Klinger (2013), Orthonormal Explicit Topic Analysis for Cross-lingual Document Matching, eq. 2.

    Examples
    --------
    >>> from babelspace import ExplicitLSI, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> ExplicitLSI(n_components=40).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    n_components: int = parameter(300, EIGENVECTORS)
    ridge: float = parameter(1.0, RIDGE)
    tol: float = parameter(0.05, TOLERANCE)
    random_state: Seed = parameter(0, SEED)
    decomposition: str = parameter(
        "separate",
        "One decomposition for each language, or one of the concatenated documents.",
        Choice("separate", "joint"),
    )

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        self.n_components_ = len(views)
        backgrounds = self._backgrounds(views)
        rank = rank_of(self.n_components, backgrounds)
        self.terms_: dict[str, Dense] = {}
        self.columns_: dict[str, NDArray[np.int64]] = {}
        self.documents_: dict[str, Dense] = {}
        self.topics_ = {name: background.topics for name, background in backgrounds.items()}
        for name, background in backgrounds.items():
            if self.documents_ and self.decomposition == "joint":
                first = next(iter(self.documents_))
                self.terms_[name], self.columns_[name] = self.terms_[first], self.columns_[first]
                self.documents_[name] = self.documents_[first]
                continue
            found = leading_topics(background, rank, self.ridge, rng, self.tol)
            self.columns_[name] = np.flatnonzero(np.diff(background.weights.indptr))
            # X V = U Σ, and dividing by Σ² + ρ leaves U (Σ + ρ Σ⁻¹)⁻¹.
            latent = background.weights[self.columns_[name]].astype(np.float64) @ (found.left / found.values)
            self.terms_[name] = latent.astype(np.float32)
            self.documents_[name] = found.left.astype(np.float32)

    def _backgrounds(self, views: Views) -> dict[str, Background]:
        """The documents of each language, or for all languages those of the rows."""
        if self.decomposition == "separate":
            return {name: Background.of(views, name, "tf-idf") for name in views.languages}
        rows = joint_matrix(views)
        filled = np.flatnonzero(np.diff(rows.indptr))
        return dict.fromkeys(views.languages, Background(compact(sp.csr_array(rows[filled].T)), filled, "tf-idf"))

    def _project(self, X: Any, language: str) -> Dense:
        latent = multiply(compact(X[:, self.columns_[language]]), self.terms_[language])
        out = np.zeros((X.shape[0], self.n_components_), np.float32)
        out[:, self.topics_[language]] = row_stable.multiply_transposed(latent, self.documents_[language])
        return out

    def get_state(self) -> State:
        state: State = {"topics": np.array(self.n_components_)}
        for name in self.languages_:
            state[f"terms.{name}"], state[f"columns.{name}"] = self.terms_[name], self.columns_[name]
            state[f"documents.{name}"], state[f"topics.{name}"] = self.documents_[name], self.topics_[name]
        return state

    def _restore(self, state: CheckedArrays) -> None:
        self.n_components_ = explicit_topics(state)
        self.terms_, self.columns_, self.documents_, self.topics_ = {}, {}, {}, {}
        for name in self.languages_:
            columns, topics, rank = f"columns.{name}", f"topics.{name}", f"rank.{name}"
            self.columns_[name] = state.whole(columns, columns, below="columns", distinct=True)
            self.topics_[name] = state.whole(topics, topics, below="topics", distinct=True)
            self.terms_[name] = state.floats(f"terms.{name}", columns, rank)
            self.documents_[name] = state.floats(f"documents.{name}", topics, rank)


def rank_of(asked: int, backgrounds: dict[str, Background]) -> int:
    """The asked number of eigenvectors, cut (with a warning) to what the largest background can give."""
    return rank_within(asked, max(min(background.weights.shape) for background in backgrounds.values()))


def leading_topics(
    background: Background, rank: int, ridge: float, rng: np.random.Generator, tolerance: float
) -> Spectrum:
    """The leading eigenvectors of XᵀX, whose columns are the background documents, with the ridge on their values."""
    documents = background.documents()
    size = documents.shape[0]
    absolute = ridge * mean_square(documents)
    if size <= max(3 * rank, 256):
        with progress.task(f"eigenvectors: {size:,}² matrix, {progress.room(24 * size**2)}"):
            return leading_spectrum(gram(documents.T, mirror=False, dtype=np.float64), rank, absolute)
    columns = compact(sp.csr_array(documents.T))
    values, vectors = leading_eigenpairs(
        lambda block: multiply(documents, multiply(columns, block)), size, rank, rng, tolerance=tolerance
    )
    # Single precision knows no smaller eigenvalues.
    kept = values > size * np.finfo(np.float32).eps * values.max(initial=0)
    return Spectrum.of(vectors[:, kept], values[kept] + absolute)
