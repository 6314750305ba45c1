"""One more language for a model, and how well it is found."""

from __future__ import annotations

from typing import Any

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.mates import evaluate_encoded
from babelspace.mining.diagnosis import LANGUAGE_SAMPLE, profile
from babelspace.mining.matching import learn_matching
from babelspace.spaces import Encoder
from babelspace.spaces.encoded_corpus import encode_corpus
from babelspace.spaces.extend import extend
from babelspace.workflows.held_out_rows import divide, language_fingerprints, paired


def extend_model(
    encoder: Encoder, corpus: AlignedCorpus, *, holdout: float | None = None, gamma: float = 3.0
) -> tuple[Encoder, dict[str, Any]]:
    """A model with the new languages of a corpus, and its scores on rows held out (empty if none are).

    Vectors of the languages that the model knew stay what they were. The held-out rows also teach
    :meth:`Encoder.match` its probabilities for pairs with a new language, and the doctor what its texts look like.

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
    fresh = set(larger.languages_) - set(encoder.languages_)
    prints = {name: told for name, told in language_fingerprints(corpus).items() if name in fresh}
    learned = larger.card_["corpus"]
    larger.card_["corpus"] = {**learned, "languages": {**learned.get("languages", {}), **prints}}
    return larger, {} if held_out is None else _measure(larger, held_out, fresh)


def _measure(encoder: Encoder, corpus: AlignedCorpus, fresh: set[str]) -> dict[str, Any]:
    """Scores of held-out rows; what they tell about new languages becomes the model's beside what it had."""
    encoded = encode_corpus(encoder, corpus, keep_words_of=LANGUAGE_SAMPLE)
    learn_matching(encoder, corpus, encoded.vectors, fresh)
    profiles = {name: told for name, told in profile(encoder, corpus, encoded).items() if name in fresh}
    encoder.card_["profile"] = {**encoder.card_.get("profile", {}), **profiles}
    return evaluate_encoded(encoder, encoded).as_dict()
