"""Cross-language latent semantic indexing."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.linalg.eigenvectors import fix_signs, leading_eigenpairs
from babelspace.kernels.linalg.sparse import compact, multiply
from babelspace.runtime.parameters import SEED, Table
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import LinearSpace
from babelspace.spaces.common_parameters import DIMENSIONS, TOLERANCE


class CLLSI(LinearSpace):
    """Latent semantic analysis of the concatenated documents of each row.

    .. math:: D = \\sum_m D_m \\approx U_d \\Sigma_d V_d^\\top, \\qquad \\phi_m(x) = x V_d

    A new document is folded in with the other languages left empty. Rows with a language missing take part with
    what they have. Only sparse products are made; no vocabulary² matrix exists.

    Parameters
    ----------
    n_components : int
        Dimensions d.
    tol : float
        Largest relative residual of a dimension at which the iteration stops. The spectrum is flat where it is cut, so
        the last dimensions are arbitrary anyway and retrieval does not notice 0.2; tests of formulas want less.
    random_state : int, Generator or None
        Start of the block Krylov iteration.

    References
    ----------
    Dumais, Letsche, Littman & Landauer (1997), Automatic Cross-Language Retrieval Using Latent Semantic Indexing;
    Platt, Toutanova & Yih (2010), section 2.1.

    Examples
    --------
    >>> from babelspace.corpus import planted
    >>> from babelspace.features import ViewsVectorizer
    >>> from babelspace.spaces import CLLSI
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> CLLSI(n_components=20, random_state=0).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    _parameters: ClassVar[Table] = {
        "n_components": DIMENSIONS,
        "tol": TOLERANCE,
        "random_state": SEED,
    }

    def __init__(self, n_components: int = 300, tol: float = 0.2, random_state: Seed = 0) -> None:
        self.n_components = n_components
        self.tol = tol
        self.random_state = random_state

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        joint = compact(reduce(add, (matrix for _, matrix in views.items())))
        values, vectors = truncated_svd(joint, self._rank(min(joint.shape)), rng, self.tol)
        self._set(dict.fromkeys(views.languages, vectors), values)


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
