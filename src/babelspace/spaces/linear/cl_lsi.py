"""Cross-language latent semantic indexing."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.features.on_disk import ViewsOnDisk
from babelspace.kernels.linalg.eigenvectors import fix_signs, leading_eigenpairs
from babelspace.kernels.linalg.sparse import compact, mirror_triangle, multiply
from babelspace.runtime.parameters import SEED, Real, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import LinearSpace
from babelspace.spaces.common_parameters import TOLERANCE
from babelspace.spaces.linear.moments import gram_on_disk, worth_summing

# Columns up to which products of columns on disk are summed; beyond, the sparse rows are smaller.
LARGEST_PRODUCTS = 30_000


@estimator
class CLLSI(LinearSpace):
    """Latent semantic analysis of the concatenated documents of each row.

    .. math:: D = \\sum_m D_m \\approx U_d \\Sigma_d V_d^\\top, \\qquad \\phi_m(x) = x V_d \\Sigma_d^p

    D adds up the languages' weighted rows. The paper's eq. 5 adds their counts and takes the logarithm then, which
    differs for terms that several languages spell alike in one row: log(f + 1) + log(g + 1) here against
    log(f + g + 1) there, and here each document has been scaled to length one. So a row weighs its languages alike,
    however long their texts.
    A new document is folded in with the other languages left empty. Rows with a language missing take part with
    what they have. Only sparse products are made; no vocabulary² matrix exists.

    References
    ----------
    Dumais, Letsche, Littman & Landauer (1997), Automatic Cross-Language Retrieval Using Latent Semantic Indexing;
    Platt, Toutanova & Yih (2010), section 2.1; McCrae, Cimiano & Klinger (2013), section 3 (power = -1).

    Examples
    --------
    >>> from babelspace import CLLSI, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> CLLSI(n_components=20, random_state=0).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    tol: float = parameter(0.2, TOLERANCE)
    random_state: Seed = parameter(0, SEED)
    power: float = parameter(
        0.0,
        "Each dimension is multiplied by its singular value to this power p: 0 plain (Platt et al.), -1 whitened "
        "(McCrae et al.).",
        Real(),
    )

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        joint = joint_matrix(views)
        self._keep(views.languages, *truncated_svd(joint, self._rank(min(joint.shape)), rng, self.tol))

    def _solves_from_sums(self, views: ViewsOnDisk) -> bool:
        return worth_summing(views) and views.shape[1] <= LARGEST_PRODUCTS

    def _fit_on_disk(self, views: ViewsOnDisk, rng: np.random.Generator) -> None:
        """From DᵀD, summed block by block: 4 · columns² bytes, whatever the number of rows."""
        products = gram_on_disk(views, "joint", _joint_rows)
        mirror_triangle(products)
        rank = self._rank(min(views.shape))
        squares, vectors = leading_eigenpairs(
            lambda block: products @ block, views.shape[1], rank, rng, tolerance=self.tol
        )
        self._keep(views.languages, np.sqrt(np.maximum(squares, 0)), vectors)

    def _keep(self, languages: tuple[str, ...], values: NDArray[np.float64], vectors: NDArray[np.float32]) -> None:
        if self.power:
            known = values > values.max(initial=0) * 1e-6
            vectors = vectors * np.where(known, np.where(known, values, 1) ** self.power, 0).astype(np.float32)
        self._set(dict.fromkeys(languages, vectors), values)


def joint_matrix(views: Views) -> Any:
    """The documents of each row concatenated: one slot for a term of all languages."""
    return compact(reduce(add, (matrix for _, matrix in views.items())))


def _joint_rows(views: Views, scales: NDArray[np.float64]) -> Any:
    return joint_matrix(views)


def truncated_svd(
    matrix: Any, rank: int, rng: np.random.Generator, tolerance: float = 0.05
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The leading singular values and right singular vectors (columns x rank) of a sparse matrix."""
    transposed = compact(sp.csr_array(matrix.T))
    if matrix.shape[0] >= matrix.shape[1]:
        squares, vectors = leading_eigenpairs(
            lambda block: multiply(transposed, multiply(matrix, block)), matrix.shape[1], rank, rng, tolerance=tolerance
        )
        return np.sqrt(np.maximum(squares, 0)), vectors
    squares, left = leading_eigenpairs(
        lambda block: multiply(matrix, multiply(transposed, block)), matrix.shape[0], rank, rng, tolerance=tolerance
    )
    values = np.sqrt(np.maximum(squares, 0))
    scale = np.where(values > values[0] * 1e-6, values, np.inf).astype(np.float32)
    return values, fix_signs(multiply(transposed, left) / scale)
