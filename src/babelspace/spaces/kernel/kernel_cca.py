"""Kernel canonical correlation analysis for two or more languages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import HolesError, ParameterError
from babelspace.features import Views
from babelspace.kernels.linalg.canonical_correlation import canonical_directions
from babelspace.kernels.linalg.sparse import compact, multiply
from babelspace.runtime.artifact import pack_sparse
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.parameters import SEED, Boolean, Choice, Integer, Real, check_parameters, estimator, parameter
from babelspace.runtime.seeds import Seed, generator
from babelspace.spaces.base import Dense, LinearSpace, State, rows_in_common
from babelspace.spaces.common_parameters import POWER
from babelspace.spaces.kernel.functions import KERNELS, PRECOMPUTED, KernelFunction, check_precomputed
from babelspace.spaces.kernel.kappa import GRID, RETRIEVAL_GRID, KappaCurve, retrieval_curve, spectrum_curve
from babelspace.spaces.kernel.language_kernel import DOUBLE, KernelView, Language, Recipe

KAPPA_ROWS = 600  # documents that kappa="spectrum" looks at
MOST_ROWS, FEWEST_ROWS = 800, 20  # that kappa="auto" looks at, a quarter of them held out


@estimator
class KernelCCA(LinearSpace):
    """Canonical correlation analysis in the feature space of a kernel, with a penalty κ against chance correlations.

    .. math::
        B \\xi = \\rho D \\xi, \\quad
        B = \\begin{bmatrix} 0 & K_1 K_2 \\\\ K_2 K_1 & 0 \\end{bmatrix}, \\quad
        D = \\begin{bmatrix} (K_1 + \\kappa I)^2 & 0 \\\\ 0 & (K_2 + \\kappa I)^2 \\end{bmatrix}, \\qquad
        \\phi_m(x) = k_m(x)^\\top A_m

    More languages add blocks (the SUMCOR form). With holes, a kernel is over the rows that have its language, and the
    covariance of two languages over the rows that have both. Each kernel is divided by its mean diagonal entry (after
    centring), so κ has no unit: it is the paper's κ for documents of length one (`unit`). A document without a known
    word stays the zero vector under every kernel.

    Exact: K + κI is factorised once and in place, 4 · documents² bytes for each language (8 up to 2,048 documents,
    which are solved in double precision); single precision moves eigenvalues of K by about 1e-7 of the largest, which
    is far below any useful κ. A linear kernel becomes one weight for each word, and is solved among the words where
    they are fewer than the documents. Other kernels keep the training documents, or with `method="nystrom"` the
    landmarks.

    References
    ----------
    Vinokourov, Shawe-Taylor & Cristianini (2003), eqs. 2-9 and section 5; Bach & Jordan (2002), Kernel independent
    component analysis (incomplete Cholesky); Williams & Seeger (2001), Using the Nyström method to speed up kernel
    machines.

    Examples
    --------
    >>> from babelspace import KernelCCA, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> KernelCCA(n_components=20, kernel="rbf", random_state=0).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    kernel: str = parameter(
        "linear",
        "Kernel of documents: a name of scikit-learn's kernels, or precomputed. Then Views hold training x "
        "training kernels for fit, and new x training ones for transform.",
        Choice(*KERNELS),
    )
    gamma: float | None = parameter(
        None, "Scale γ of poly, rbf and their like; none is 1 / mean squared length.", Real(above=0)
    )
    degree: float = parameter(3, "Power of the polynomial kernel.", Real())
    coef0: float = parameter(1.0, "Constant of poly and sigmoid.", Real())
    kappa: float | str = parameter(
        1.5,
        "Penalty κ against chance correlations; auto: by held-out mates, spectrum: by the paper's rule. For auto "
        "a quarter of at most 800 complete rows tell with which κ their mates are found best; spectrum takes the "
        "κ at which random pairs of documents are farthest from perfect correlation, compared with mates (the "
        "paper's figure 1), on at most 600.",
        Real(above=0),
        Choice("auto", "spectrum"),
    )
    penalty: str = parameter(
        "dual",
        "What is penalised: the dual weights (the paper), or the length of the direction (ridge CCA). That is K "
        "(K + κI) in place of (K + κI)²: with a linear kernel CCA with γ = κ · (mean squared distance from the "
        "mean document) / documents.",
        Choice("dual", "norm"),
    )
    center: bool = parameter(True, "Centre the documents in feature space; false is the paper as printed.", Boolean())
    power: float = parameter(0.0, POWER)
    method: str = parameter(
        "exact",
        "All documents, or only what a few landmarks span. These take 4 · documents · rank bytes for each "
        "language instead of documents².",
        Choice("exact", "nystrom"),
    )
    rank: int = parameter(2_000, "Landmarks of each language.", Integer(1))
    landmarks: str = parameter(
        "cholesky",
        "How landmarks are chosen: pivots of the incomplete Cholesky factor, or at random. Each pivot is the "
        "document that those before it explain least.",
        Choice("cholesky", "uniform"),
    )
    tol: float = parameter(
        0.001,
        "Largest relative residual of a dimension at which the iteration stops. Up to 2,048 documents the solver "
        "is exact. A weak penalty crowds the correlations just below 1: with 0.05 any directions would do.",
        Real(above=0),
    )
    random_state: Seed = parameter(0, SEED)
    unit: str = parameter(
        "relative",
        "What kappa counts in: mean diagonal entries of the kernel, or the kernel's own unit. The paper's κ = 1.5 "
        'belongs to raw counts: ``unit="absolute"`` on ``ViewsVectorizer(weighting="tf", normalize=False)``. With '
        "some 1,000 as mean diagonal it is .0015 in the relative unit.",
        Choice("relative", "absolute"),
    )

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        self._check_settings()
        scales = _scales(views)
        languages = self._languages(views)
        self.kappa_ = self._chosen_kappa(views, languages, rng)
        recipe = Recipe(self.kappa_, self.penalty, self.center, self.unit == "relative")
        parts = self._parts(languages, recipe, rng)
        available = self._rank(min(len(views), *(part.available for part in parts)))
        values, blocks = canonical_directions([part.side for part in parts], scales, available, rng, self.tol, DOUBLE)
        factors = np.power(np.clip(values, 0, None), self.power).astype(np.float32)
        self._take(languages, parts, [block * factors for block in blocks], values)

    def kappa_curve(self, X: Any, kappas: Any = GRID, rows: int = KAPPA_ROWS) -> KappaCurve:
        """Distances from perfect correlation of mates and of random pairs for each κ, on at most so many rows."""
        self._check_settings()
        views = Views.of(X)
        grid = np.sort(np.asarray(kappas, np.float64))
        return self._curve(views, self._languages(views), grid, rows, generator(self.random_state), alone=True)

    def _languages(self, views: Views) -> list[Language]:
        if self.kernel == PRECOMPUTED:
            for name, matrix in views.items():
                check_precomputed(matrix, name)
        kernel = KernelFunction(self.kernel, self.gamma, self.degree, self.coef0)
        return [Language(name, matrix, views.present[name], kernel) for name, matrix in views.items()]

    def _chosen_kappa(self, views: Views, languages: list[Language], rng: np.random.Generator) -> float:
        if self.kappa == "auto":
            return self._best_for_mates(views, languages, rng)
        if self.kappa == "spectrum":
            best = self._curve(views, languages, GRID, KAPPA_ROWS, rng, alone=False).best
            scales = [language.matrix(self.center, np.float64)[2] for language in languages]
            return best if self.unit == "relative" else best * float(np.mean(scales))
        return float(self.kappa)

    def _best_for_mates(self, views: Views, languages: list[Language], rng: np.random.Generator) -> float:
        """The κ of the grid with which held-out mates are found best; among equals the largest."""
        complete = np.flatnonzero(views.complete())
        if len(complete) < FEWEST_ROWS:
            raise HolesError(
                f"choosing kappa needs at least {FEWEST_ROWS} rows that have every language, got {len(complete)}. "
                "Give a number: kappa=0.05 is usual."
            )
        chosen = rng.permutation(complete)[:MOST_ROWS]
        apart = len(chosen) // 4
        kernels = [language.held_out(self.center, chosen[apart:], chosen[:apart]) for language in languages]
        factor = 1.0 if self.unit == "relative" else float(np.mean([scale for _, scale in kernels]))
        parts = [replace(part, unit=1.0 if self.unit == "relative" else scale) for part, scale in kernels]
        rank = min(self.n_components, len(chosen) - apart - 1)
        grid = RETRIEVAL_GRID * factor
        scores = retrieval_curve(parts, grid, rank, self.penalty, self.power)
        return float(grid[np.flatnonzero(scores >= scores.max() - 1e-12)[-1]])

    def _curve(
        self,
        views: Views,
        languages: list[Language],
        kappas: NDArray[np.float64],
        rows: int,
        rng: np.random.Generator,
        alone: bool,
    ) -> KappaCurve:
        complete = np.flatnonzero(views.complete())
        if len(complete) < 4:
            raise HolesError(
                f"choosing kappa needs at least 4 rows that have every language, got {len(complete)}. "
                "Give a number: kappa=1.5 is the paper's."
            )
        chosen = np.sort(rng.permutation(complete)[:rows])
        kernels = []
        for language in languages:
            own = (np.cumsum(language.mask) - 1)[chosen]
            kernels.append(language.matrix(self.center, np.float64, own)[0])
        return spectrum_curve(kernels, kappas, rng, penalty=self.penalty, alone=alone)

    def _parts(self, languages: list[Language], recipe: Recipe, rng: np.random.Generator) -> list[KernelView]:
        if self.method == "exact":
            return [language.exact(recipe) for language in languages]
        order = rng.permutation(len(languages[0].mask))
        return [
            language.nystrom(recipe, language.landmarks(self.rank, self.landmarks, order)) for language in languages
        ]

    def _take(
        self, languages: list[Language], parts: list[KernelView], blocks: list[Dense], values: NDArray[Any]
    ) -> None:
        """Keep what projection needs: weights of columns where the kernel allows it, else of support documents."""
        weights, offsets, self.support_, self.gammas_ = {}, {}, {}, {}
        for language, part, block in zip(languages, parts, blocks, strict=True):
            name = language.name
            # Mean squares of the values and their penalty then sum to one over the languages, as in CCA.
            found = part.coefficients(block) * np.float32(np.sqrt(language.documents))
            offsets[name] = (part.means @ found).astype(np.float32)
            if part.support is not None and self.kernel == PRECOMPUTED:
                spread = np.zeros((len(language.mask), found.shape[1]), np.float32)
                spread[language.mask] = found
                found = spread
            elif part.support is not None and self.kernel == "linear":
                found = multiply(compact(part.support.T), found)
            elif part.support is not None:
                self.support_[name] = part.support
                self.gammas_[name] = np.nan if language.kernel.gamma is None else language.kernel.gamma
            weights[name] = np.ascontiguousarray(found)
        columns = {language.name: language.columns for language in languages}
        self._set(weights, values, columns, offsets if self.center else None)

    def _project(self, X: Any, language: str) -> Dense:
        if language not in self.support_:
            return super()._project(X, language)
        support, weights = self.support_[language], self.weights_[language]
        gamma = None if np.isnan(self.gammas_[language]) else self.gammas_[language]
        kernel = KernelFunction(self.kernel, gamma, self.degree, self.coef0)
        own = compact(X[:, self.columns_[language]])
        vectors = np.zeros((own.shape[0], weights.shape[1]), np.float32)
        for start in range(0, own.shape[0], 1024):
            part = slice(start, start + 1024)
            vectors[part] = kernel.cross(own[part], support) @ weights - self.offsets_[language]
        vectors[np.diff(own.indptr) == 0] = 0
        return vectors

    def get_state(self) -> State:
        state = super().get_state() | {"kappa": np.array(self.kappa_)}
        for name, support in self.support_.items():
            state |= pack_sparse(f"support.{name}", support) | {f"gamma.{name}": np.array(self.gammas_[name])}
        return state

    def _restore(self, state: CheckedArrays) -> None:
        self.kappa_ = state.number("kappa", low=0)
        self.support_ = {}
        super()._restore(state)
        self.gammas_ = {name: state.number(f"gamma.{name}", finite=False) for name in self.support_}

    def _weight_rows(self, state: CheckedArrays, language: str, columns: str) -> str:
        if f"gamma.{language}" not in state:
            return columns
        documents = f"support.{language}"
        self.support_[language] = state.sparse(documents, documents, columns)
        return documents

    def _check_settings(self) -> None:
        check_parameters(self)
        if self.method == "nystrom" and self.kernel == PRECOMPUTED:
            raise ParameterError("a precomputed kernel has all its entries already. Use method='exact'.")


def _scales(views: Views) -> NDArray[np.float64]:
    """What makes covariances over the common rows comparable with variances over each language's own."""
    own = [int(views.present[name].sum()) for name in views.languages]
    return np.sqrt(np.outer(own, own)) / rows_in_common(views)
