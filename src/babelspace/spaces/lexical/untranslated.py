"""Untranslated: the baseline that compares weighted words as they are spelled."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from babelspace.features import Views
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.spaces.base import SPARSE_TERMS, Space, State


class Untranslated(Space):
    """The weighted vectors themselves, over a vocabulary in which one spelling is one slot.

    .. math:: \\phi(x) = x

    Names, numbers and cognates carry it; every retrieval table shows it, so that a gain can be told from an overlap.
    Needs a vectorizer with ``vocabulary="shared"``.

    References
    ----------
    Platt, Toutanova & Yih (2010), Translingual Document Representations from Discriminative Projections, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from babelspace.spaces import Untranslated
    >>> Untranslated().fit({"en": np.eye(2), "es": np.eye(2)}).transform(np.eye(2), "es").shape
    (2, 2)
    """

    most_terms: ClassVar[int | None] = SPARSE_TERMS

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        """Nothing to learn."""

    def _project(self, X: Any, language: str) -> Any:
        return X

    def get_state(self) -> State:
        return {}

    def _restore(self, state: CheckedArrays) -> None:
        """Nothing was learned."""
