"""A kernel between documents of one language that knows which words belong together from a corpus of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from babelspace.classification.classifiers import small_indices
from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.runtime.parameters import (
    Boolean,
    Instance,
    Real,
    Text,
    check_parameters,
    estimator,
    parameter,
    required,
)
from babelspace.spaces import Encoder
from babelspace.vectors.similarity import as_dense, prepare


@estimator
class SemanticKernel(TransformerMixin, BaseEstimator):
    """Documents compared through the term-term matrix W Wᵀ of a space that was learned on another corpus.

    .. math::
        K(x, y) = \\lambda\\, \\frac{x W W^\\top y^\\top}{|xW|\\,|yW|} + (1 - \\lambda)\\, \\frac{x y^\\top}{|x|\\,|y|}

    Words that the two corpora do not have in common are cut from the first term; the second is the plain bag of words.
    λ = 1 without the lengths is the paper's kernel. `transform` gives vectors whose inner products are the kernel, for
    linear support vector machines; calling it gives the Gram matrix, for `SVC(kernel="precomputed")`.

    References
    ----------
    Vinokourov, Shawe-Taylor & Cristianini (2003), eq. 10.

    Examples
    --------
    >>> from babelspace import CCA, Encoder, SemanticKernel, ViewsVectorizer, planted
    >>> corpus, other = planted(rows=200), planted(rows=50, languages="en", seed=1)
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), CCA(n_components=10)).fit(corpus)
    >>> kernel = SemanticKernel(encoder, mixture=0.5).fit(other.texts("en"))
    >>> gram = kernel(other.texts("en")[:3])
    >>> gram.shape, gram.diagonal().round(4).tolist()
    ((3, 3), [1.0, 1.0, 1.0])
    """

    encoder: Encoder = required(
        "An encoder that was fitted on the corpus of two languages. It stays as it is, also in clones.",
        Instance("a fitted Encoder", ("encode", "languages_")),
    )
    language: str = parameter("en", "The language of the documents.", Text())
    mixture: float = parameter(1.0, "The share λ of the semantic part; the paper's kernel has 1.", Real(low=0, high=1))
    normalize: bool = parameter(True, "Divide by the lengths.", Boolean())
    vectorizer: ViewsVectorizer | None = parameter(
        None,
        "How the documents are counted and weighted; none is log(tf)-idf of words that occur three times. It learns "
        "from the documents, not from the encoder's corpus.",
        Instance("a ViewsVectorizer", ("fit", "transform_texts")),
    )

    def __sklearn_clone__(self) -> SemanticKernel:
        # A clone of the encoder would have forgotten its space.
        return type(self)(self.encoder, self.language, self.mixture, self.normalize, self.vectorizer)

    def fit(self, X: Sequence[str], y: Any = None) -> Self:
        """Learn the words of these documents and their weights; labels are not used."""
        check_is_fitted(self.encoder, "languages_")
        if self.language not in self.encoder.languages_:
            raise UnknownLanguage(self.language, self.encoder.languages_)
        check_parameters(self)
        given = self.vectorizer or ViewsVectorizer(drop_top=0, min_count=3, max_terms=None)
        self.words_ = clone(given).fit(
            AlignedCorpus([str(row) for row in range(len(X))], {self.language: list(X)}, name="the documents")
        )
        self.common_ = self._common()
        return self

    def transform(self, X: Sequence[str]) -> Any:
        """Vectors whose inner products are the kernel: sparse unless λ = 1."""
        check_is_fitted(self, "words_")
        words = self.words_.transform_texts(X, self.language)
        parts = []
        if self.mixture > 0:
            vectors = self.encoder.space.transform(words @ self.common_, self.language)
            parts.append(math.sqrt(self.mixture) * self._scaled(vectors))
        if self.mixture < 1:
            parts.append(math.sqrt(1 - self.mixture) * self._scaled(words))
        if len(parts) == 1 and not sp.issparse(parts[0]):
            return parts[0]
        return small_indices(sp.hstack([sp.csr_array(part) for part in parts], format="csr"))

    def __call__(self, X: Sequence[str], Y: Sequence[str] | None = None) -> Any:
        """The kernel between all documents of X and Y (or X)."""
        left = self.transform(X)
        right = left if Y is None else self.transform(Y)
        return as_dense(left @ right.T)

    def _scaled(self, rows: Any) -> Any:
        return prepare(rows).rows if self.normalize else rows

    def _common(self) -> Any:
        """Columns of the documents to columns of the space: a one for each word that both have."""
        mine = self.words_.vocabulary_.table(self.language)
        theirs = self.encoder.vectorizer.vocabulary_.table(self.language)
        pairs = [(column, theirs[word]) for word, column in mine.items() if word in theirs]
        if not pairs:
            raise ParameterError(
                f"no word of the {len(mine):,} in these documents is among the {len(theirs):,} that the space knows in "
                f"{self.language}. Check the language, and that both are counted in the same way."
            )
        rows, columns = np.array(pairs, np.int32).T
        shape = (self.words_.vocabulary_.size, self.encoder.vectorizer.vocabulary_.size)
        return sp.csr_array((np.ones(len(pairs), np.float32), (rows, columns)), shape=shape)
