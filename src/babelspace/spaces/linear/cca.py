"""Canonical correlation analysis for two or more languages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.linalg.canonical_correlation import (
    CanonicalSide,
    ImplicitRows,
    WhitenedRows,
    canonical_directions,
)
from babelspace.kernels.linalg.centred_rows import DenseRows, SparseRows, row_coordinates, worth_row_coordinates
from babelspace.runtime.parameters import SEED, Real, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense, LinearSpace, column_means, rows_in_common
from babelspace.spaces.common_parameters import BLOCK_TERMS, CENTER, POWER, TOLERANCE


@estimator
class CCA(LinearSpace):
    """One projection for each language, chosen so that the projections of mates are correlated.

    .. math::
        S v = \\lambda N v, \\quad
        S = \\begin{bmatrix} 0 & C_{12} \\\\ C_{21} & 0 \\end{bmatrix}, \\quad
        N = \\begin{bmatrix} C_{11} + \\gamma I & 0 \\\\ 0 & C_{22} + \\gamma I \\end{bmatrix}, \\qquad
        \\phi_m(x) = (x - \\mu_m) V_m \\Lambda^p

    More languages add blocks (the SUMCOR form). Each language uses only its own words: a spelling that two languages
    share gives no information here. Covariances between two languages are never formed; only each language's own is,
    4 · columns² bytes, or with far fewer documents than columns 16 · documents². Above `block_terms` columns (and
    documents) it is not formed either, and solved with by conjugate gradients. With holes, C_ij is over the rows that
    have both languages.

    References
    ----------
    Platt, Toutanova & Yih (2010), section 2.3, eqs. 12-13; Vinokourov, Shawe-Taylor & Cristianini (2003).

    Examples
    --------
    >>> from babelspace import CCA, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> CCA(n_components=20, random_state=0).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    gamma: float = parameter(
        3.0,
        "Ridge γ on each language's covariance; the paper tuned it to 10 (Europarl) and 3 (Wikipedia).",
        Real(above=0),
    )
    center: bool = parameter(True, CENTER)
    power: float = parameter(0.0, POWER)
    tol: float = parameter(0.05, TOLERANCE)
    random_state: Seed = parameter(0, SEED)
    block_terms: int = parameter(30_000, BLOCK_TERMS)

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        scales = 1 / rows_in_common(views)
        languages = [_CanonicalLanguage(views, name, self.gamma, self.block_terms) for name in views.languages]
        rank = self._rank(min(language.size for language in languages))
        values, whitened = canonical_directions(languages, scales, rank, rng, self.tol)
        scale = np.power(np.clip(values, 0, None), self.power).astype(np.float32)
        weights = [language.weights(block) * scale for language, block in zip(languages, whitened, strict=True)]
        offsets = [(language.mean @ own).astype(np.float32) for language, own in zip(languages, weights, strict=True)]
        self._set(
            dict(zip(views.languages, weights, strict=True)),
            values,
            {language.name: language.columns for language in languages},
            dict(zip(views.languages, offsets, strict=True)) if self.center else None,
        )


class _CanonicalLanguage:
    """One language's centred rows and covariance, in its own columns or, with far fewer documents, among those."""

    def __init__(self, views: Views, name: str, gamma: float, block_terms: int) -> None:
        mask = views.present[name]
        self.name = name
        self.columns: NDArray[np.int64] = np.unique(views[name].indices).astype(np.int64)
        own = views[name][:, self.columns]
        self.mean = column_means(views)[name][self.columns]
        self.back: Callable[[Dense], Dense] = lambda block: block
        documents, scale = int(mask.sum()), 1 / max(int(mask.sum()), 1)
        self.side: CanonicalSide
        if min(documents, len(self.columns)) > block_terms:
            self.side = ImplicitRows(SparseRows(own, self.mean, mask), gamma, scale)
        elif not worth_row_coordinates(documents, len(self.columns)):
            self.side = WhitenedRows(SparseRows(own, self.mean, mask), gamma, f"covariance of {name}", scale)
        else:
            coordinates, self.back = row_coordinates(own[mask])
            spread = np.zeros((len(mask), coordinates.shape[1]), np.float32)
            spread[mask] = coordinates - coordinates.mean(axis=0)
            self.side = WhitenedRows(DenseRows(spread), gamma, f"covariance of {name}", scale)
        self.size, self.metric = self.side.size, self.side.metric
        self.forward, self.backward = self.side.forward, self.side.backward

    def weights(self, block: Dense) -> Dense:
        """Directions in this language's own columns."""
        return self.back(self.side.weights(block))
