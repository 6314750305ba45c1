"""How well a model fits documents, told before they are matched."""

from __future__ import annotations

from collections.abc import Sequence

from babelspace.corpus import Document
from babelspace.mining.diagnosis import PROFILE, Diagnosis as Diagnosis, Finding as Finding, diagnose
from babelspace.spaces import Encoder
from babelspace.workflows.stages import advise


def doctor(encoder: Encoder, source: Sequence[Document], target: Sequence[Document]) -> Diagnosis:
    """Look at documents of two languages with the eyes of a model: what is wrong, what to expect, what to do.

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, fit_model, planted
    >>> corpus = planted(rows=400)
    >>> encoder = fit_model(corpus.select(range(300)), vectorizer=ViewsVectorizer(drop_top=0), n_components=20)
    >>> rest = corpus.select(range(300, 400))
    >>> 0.5 < doctor(encoder, rest.documents("en"), rest.documents("es")).predicted_top1 <= 1
    True
    """
    if PROFILE not in encoder.card_:
        fact = "this model holds no picture of its training documents: nothing to compare with;"
        advise(fact, "fit it with rows held out ({fit_model(holdout=0.1)})")
    return diagnose(encoder, source, target)
