"""Cr5: crosslingual reduced-rank ridge regression."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.linalg.eigenvectors import fix_signs, leading_eigenpairs
from babelspace.kernels.linalg.ridge_regression import RidgeRegression, ridge_regression
from babelspace.runtime import progress
from babelspace.runtime.parameters import SEED, Real, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense, LinearSpace
from babelspace.spaces.common_parameters import CENTER, TOLERANCE

# Up to so many rows the sum of hat matrices is formed, language after language, and only one is in memory.
DENSE_ROWS = 4096


@estimator
class Cr5(LinearSpace):
    """Each row is a concept, and the words of each language predict it by ridge regression of low rank.

    .. math::
        \\min_{\\operatorname{rank} W \\le d} \\sum_m \\lVert Y_m - D_m W_m \\rVert^2
        + n_m \\gamma \\lVert W_m \\rVert^2, \\qquad
        \\sum_m H_m U = U \\Lambda, \\quad
        H_m = D_m R_m^{-1} D_m^\\top / n_m, \\quad R_m = D_m^\\top D_m / n_m + \\gamma I, \\qquad
        \\phi_m(x) = (x - \\mu_m) R_m^{-1} D_m^\\top U / n_m

    with one indicator of Y for each row, and D centred. Only the hat matrices :math:`H_m` of the languages are added:
    time and memory grow with the number of texts, whatever the number of pairs of languages, and a language may lack
    any rows. Each language uses its own words alone; a spelling that two share gives no information. Up to 4,096 rows
    one language at a time is in memory (16 · rows² bytes); above, the factor of every language (4 · columns², or 8 ·
    rows² with far fewer documents than columns).

    References
    ----------
    Josifoski, Paskov, Paskov, Jaggi & West (2019), Crosslingual Document Embedding as Reduced-Rank Ridge Regression;
    Mukherjee & Zhu (2011), Reduced Rank Ridge Regression and Its Kernel Extensions.

    Examples
    --------
    >>> from babelspace import Cr5, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200, languages=("en", "es", "de"), holes=0.2))
    >>> Cr5(n_components=20, random_state=0).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    gamma: float = parameter(3.0, "Ridge γ on each language's covariance.", Real(above=0))
    center: bool = parameter(True, CENTER)
    tol: float = parameter(0.05, TOLERANCE)
    random_state: Seed = parameter(0, SEED)

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        languages = [_RegressedLanguage(views, name, self.gamma) for name in views.languages]
        # Centring takes one dimension from the rows.
        rank = self._rank(min(max(len(views) - 1, 1), sum(len(language.columns) for language in languages)))
        solve = _among_all_rows if len(views) <= DENSE_ROWS else _by_products
        values, concepts, regressions = solve(languages, rank, rng, self.tol)
        # Columns of unit variance instead of unit length: no cosine notices, and numbers stay readable.
        concepts = concepts * np.float32(np.sqrt(len(views)))
        weights, offsets = {}, {}
        with progress.task("projections", len(languages)) as advance:
            for language, regression in zip(languages, regressions, strict=True):
                own = (regression or language.regression()).weights(concepts[language.mask])
                weights[language.name] = own
                offsets[language.name] = (language.mean @ own).astype(np.float32)
                advance(1)
        columns: dict[str, NDArray[np.int64] | None] = {language.name: language.columns for language in languages}
        self._set(weights, values, columns, offsets if self.center else None)


class _RegressedLanguage:
    """One language's rows in its own columns."""

    def __init__(self, views: Views, name: str, gamma: float) -> None:
        self.name, self.gamma, self.mask = name, gamma, views.present[name]
        self.columns: NDArray[np.int64] = np.unique(views[name].indices).astype(np.int64)
        self.rows = views[name][self.mask][:, self.columns]

    @property
    def mean(self) -> NDArray[np.float64]:
        return np.asarray(self.rows.mean(axis=0), np.float64).ravel()

    def regression(self) -> RidgeRegression:
        return ridge_regression(self.rows, self.gamma, self.name)


Solution = tuple[NDArray[np.float64], Dense, list[RidgeRegression | None]]


def _among_all_rows(
    languages: list[_RegressedLanguage], rank: int, rng: np.random.Generator, tolerance: float
) -> Solution:
    """The sum of hat matrices as one matrix; regressions are made again when they are needed."""
    size = len(languages[0].mask)
    total = np.zeros((size, size))
    with progress.task(f"concepts: {size:,}² matrix", len(languages)) as advance:
        for language in languages:
            present = np.flatnonzero(language.mask)
            total[np.ix_(present, present)] += language.regression().hat() if len(present) else 0
            advance(1)
    values, vectors = scipy.linalg.eigh(total / len(languages), subset_by_index=[size - rank, size - 1])
    return values[::-1].copy(), fix_signs(vectors[:, ::-1].astype(np.float32)), [None] * len(languages)


def _by_products(
    languages: list[_RegressedLanguage], rank: int, rng: np.random.Generator, tolerance: float
) -> Solution:
    """The sum of hat matrices as an operator."""
    size = len(languages[0].mask)
    regressions = [language.regression() for language in languages]

    def operator(block: Dense) -> Dense:
        out = np.zeros_like(block)
        for language, regression in zip(languages, regressions, strict=True):
            out[language.mask] += regression.predict(block[language.mask])
        return out / np.float32(len(languages))

    values, vectors = leading_eigenpairs(operator, size, rank, rng, tolerance=tolerance)
    return values, vectors, list(regressions)
