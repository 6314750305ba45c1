"""One more language for a model, and how well it is found."""

from __future__ import annotations

from typing import Any

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.mates import evaluate_encoded
from babelspace.mining.matching import calibrate_languages
from babelspace.spaces import Encoder
from babelspace.spaces.encoded import encode_corpus
from babelspace.spaces.extend import extend
from babelspace.workflows.rows import divide, paired


def extend_model(
    encoder: Encoder, corpus: AlignedCorpus, *, holdout: float | None = None, gamma: float = 3.0
) -> tuple[Encoder, dict[str, Any]]:
    """A model with the new languages of a corpus, and its scores on rows held out (empty if none are).

    Vectors of the languages that the model knew stay what they were. The held-out rows also teach
    :meth:`Encoder.match` its probabilities for pairs with a new language.

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, fit_model, planted
    >>> from babelspace.workflows.extend import extend_model
    >>> corpus = planted(rows=600, languages=("en", "es", "de"), words=100)
    >>> two = corpus.select(range(600), ["en", "es"])
    >>> encoder = fit_model(two, vectorizer=ViewsVectorizer(drop_top=0), n_components=20, holdout=0.2)
    >>> three, scores = extend_model(encoder, corpus.select(range(600), ["es", "de"]), holdout=0.2)
    >>> three.languages_, scores["mean"]["top1"] > 0.5
    (('en', 'es', 'de'), True)
    """
    train, held_out, _ = divide(paired(corpus), holdout)
    larger = extend(encoder, train, gamma)
    if held_out is None:
        return larger, {}
    encoded = encode_corpus(larger, held_out)
    scores = evaluate_encoded(larger, encoded).as_dict()
    learned = calibrate_languages(larger, held_out, encoded.vectors)
    fresh = set(larger.languages_) - set(encoder.languages_)
    pairs = {pair: told for pair, told in learned.items() if fresh & set(pair.split("|"))}
    larger.card_ = {**larger.card_, "calibration": {**encoder.card_.get("calibration", {}), **pairs}}
    return larger, scores
