"""Cross-language explicit semantic analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from babelspace.features import Views
from babelspace.kernels.linalg.sparse import compact
from babelspace.kernels.topk.strongest_entries import strongest
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.parameters import Integer, estimator, parameter
from babelspace.spaces.base import Space, State
from babelspace.spaces.common_parameters import ASSOCIATION
from babelspace.spaces.explicit.background import Background, explicit_topics


@estimator
class CLESA(Space):
    """Each training row is a topic; a document is its associations with the background documents of its own language.

    .. math::
        \\phi_m(x)_j = x \\cdot b_{jm} \\quad\\text{(tf-idf)}, \\qquad
        \\phi_m(x)_j = \\sum_w x_w \\, \\log\\!\\Bigl(1 + \\frac{n - d_w + ½}{d_w + ½}\\Bigr)
        \\frac{f_{wj} (k_1 + 1)}{f_{wj} + k_1 (1 - b + b \\, l_j / \\bar l)} \\quad\\text{(bm25)}

    Row j is the same topic in every language, so vectors of different languages can be compared. Nothing is
    learned and everything stays sparse. A row without a language is a topic with which no document of it is associated.

    The association "tf-idf" is the inner product of the weighted vectors, whatever their weighting; with documents of
    one length (the vectorizer's default) it is their cosine. "bm25" is the Okapi score of the background document for x
    as a query, k₁ = 1.2, b = 0.75, with n documents, document frequencies d and lengths l of the background documents
    of that language. Queries and background are weighed differently there, so it takes raw counts:
    ``ViewsVectorizer(weighting="tf", normalize=False)``.

    References
    ----------
    Gabrilovich & Markovitch (2007), Computing Semantic Relatedness Using Wikipedia-based Explicit Semantic Analysis;
    Sorg & Cimiano (2008), Cross-lingual Information Retrieval with Explicit Semantic Analysis, (2010), An Experimental
    Comparison of Explicit Semantic Analysis Implementations for Cross-Language Retrieval (bm25, pruning).

    Examples
    --------
    >>> from babelspace import CLESA, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> CLESA().fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    association: str = parameter("tf-idf", ASSOCIATION)
    prune: int | None = parameter(
        None,
        "Keep only so many of the strongest associations of a document; none keeps all. Among equals, those of "
        "earlier rows.",
        Integer(1),
    )

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        self.n_components_ = len(views)
        self.backgrounds_ = {name: Background.of(views, name, self.association) for name in views.languages}

    def _project(self, X: Any, language: str) -> Any:
        background = self.backgrounds_[language]
        found = compact(background.associate(X))
        if self.prune is not None:
            found = strongest(found, self.prune)
        parts = found.data, background.topics.astype(found.indices.dtype)[found.indices], found.indptr
        return sp.csr_array(parts, shape=(X.shape[0], self.n_components_))

    def get_state(self) -> State:
        state: State = {"topics": np.array(self.n_components_)}
        for name, background in self.backgrounds_.items():
            state |= background.arrays(name)
        return state

    def _restore(self, state: CheckedArrays) -> None:
        self.n_components_ = explicit_topics(state)
        self.backgrounds_ = {name: Background.restore(state, name, self.association) for name in self.languages_}
