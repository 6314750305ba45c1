"""Full machine translation by an external translator, which the vectorizer calls before it counts words."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.runtime.parameters import SEED, Text, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import LinearSpace
from babelspace.spaces.common_parameters import TOLERANCE
from babelspace.spaces.lexical.translation import chosen_pivot
from babelspace.spaces.lexical.untranslated import Untranslated
from babelspace.spaces.linear.cl_lsi import truncated_svd


class Translated(Untranslated):
    """The weighted words of texts that were translated into one language before.

    .. math:: \\phi(x) = x

    The translator belongs to the vectorizer, the only part that sees texts: ``ViewsVectorizer(translator=…)``. Bare
    matrices are taken as those of translated texts.

    References
    ----------
    Platt, Toutanova & Yih (2010), Translingual Document Representations from Discriminative Projections, section 3.3.

    Examples
    --------
    >>> from babelspace import AlignedCorpus, Encoder, Translated, ViewsVectorizer
    >>> corpus = AlignedCorpus(["1", "2"], {"en": ["red wine", "white bread"], "es": ["vino tinto", "pan blanco"]})
    >>> words = {"vino": "wine", "tinto": "red", "pan": "bread", "blanco": "white"}
    >>> def translate(texts, language, into):
    ...     return [" ".join(words[word] for word in text.split()) for text in texts]
    >>> vectorizer = ViewsVectorizer(drop_top=0, min_count=1, translator={"into": "en", "function": translate})
    >>> Encoder(vectorizer, Translated()).fit(corpus).score(corpus)
    1.0
    """

    needs_translator: ClassVar[bool] = True

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        check_translated(views)


@estimator
class TranslatedLSA(LinearSpace):
    """Translated texts followed by latent semantic analysis of the documents that needed no translation.

    .. math:: D_{pivot} \\approx U_d \\Sigma_d V_d^\\top, \\qquad \\phi(x) = x V_d

    References
    ----------
    Platt, Toutanova & Yih (2010), Translingual Document Representations from Discriminative Projections, section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> from babelspace.spaces import TranslatedLSA
    >>> TranslatedLSA(n_components=1).fit({"en": np.eye(2), "es": np.eye(2)}).transform(np.eye(2), "es").shape
    (2, 1)
    """

    needs_translator: ClassVar[bool] = True

    pivot: str | None = parameter(
        None,
        "The language whose training documents are analysed; none is the one that texts are translated into. Of bare "
        "matrices it is the one with the most documents.",
        Text(),
    )
    tol: float = parameter(0.2, TOLERANCE)
    random_state: Seed = parameter(0, SEED)

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        documents = views[chosen_pivot(views, self.pivot or check_translated(views))]
        values, vectors = truncated_svd(documents, self._rank(min(documents.shape)), rng, self.tol)
        self._set(dict.fromkeys(views.languages, vectors), values)


def check_translated(views: Views) -> str | None:
    """The language that all texts are in; None for bare matrices."""
    words: Any = views.words
    if words is None:
        return None
    spoken = {name: words.speaks(name) for name in views.languages}
    if len(set(spoken.values())) > 1:
        raise ParameterError(
            f"texts in {', '.join(sorted(set(spoken.values())))} are not translated into one language",
            hint='give the vectorizer a translator for each: {translator={"es": "apertium -u spa-eng"}}',
        )
    return spoken[views.languages[0]]
