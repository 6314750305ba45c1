"""One more language for a fitted model, which leaves all others as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.errors import CorpusError, ParameterError
from babelspace.kernels.linalg.ridge_regression import ridge_regression
from babelspace.spaces.base import Dense, ProjectionSpace
from babelspace.spaces.encoder import Encoder
from babelspace.spaces.registry import name_of

FEWEST_ROWS = 2


def extend(encoder: Encoder, corpus: AlignedCorpus, gamma: float = 3.0) -> Encoder:
    """A model with the languages of a corpus that it does not know yet; vectors of known languages stay what they are.

    .. math:: \\phi_{new}(x) = (x - \\mu) \\left( D^\\top D / n + \\gamma I \\right)^{-1} D^\\top T / n + \\bar T

    The words of a new language predict, by ridge regression, the vectors T that the model gives the documents of the
    same rows in the languages that it knows (their mean where a row has several). So indexes and classifiers made with
    the model serve the new one, too.

    Parameters
    ----------
    encoder : a fitted model with one matrix a language (opca, cca, cl-lsi, cr5, s2net)
    corpus : rows that have a new language beside one or more that the model knows
    gamma : the ridge γ, in the units of CCA's

    Examples
    --------
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, planted
    >>> from babelspace.spaces.extend import extend
    >>> corpus = planted(rows=300, languages=("en", "es", "de"))
    >>> known, later = corpus.select(range(200), ["en", "es"]), corpus.select(range(200), ["es", "de"])
    >>> encoder = extend(Encoder(ViewsVectorizer(drop_top=0), OPCA(20)).fit(known), later)
    >>> encoder.languages_, encoder.score(corpus.select(range(200, 300), ["en", "de"])) > 0.5
    (('en', 'es', 'de'), True)
    """
    space = encoder.space
    if not isinstance(space, ProjectionSpace) or type(space)._project is not ProjectionSpace._project:
        raise ParameterError(
            f"{name_of(space)} cannot take up another language: it is not one matrix for each language",
            hint="fit a model with opca, cca, cl-lsi, cr5 or s2net",
        )
    fresh = [language for language in corpus.languages if language not in encoder.languages_]
    known = [language for language in corpus.languages if language in encoder.languages_]
    if not fresh or not known:
        raise CorpusError(
            f"{corpus.name} has {', '.join(corpus.languages)}, the model knows {', '.join(encoder.languages_)}; "
            "a new language is learned beside a known one",
            hint="give rows that have one language of the model and one that it does not know",
        )
    targets, described = _targets(encoder, corpus, known)
    for language in fresh:
        rows = corpus.present(language) & described
        if rows.sum() < FEWEST_ROWS:
            raise CorpusError(
                f"{int(rows.sum())} rows of {corpus.name} have {language!r} and a text that the model can place",
                hint="the same id must name the same document in both languages",
            )
        encoder = _with(encoder, corpus.select(rows, [language]), language, targets[rows], gamma)
    return encoder


def _targets(encoder: Encoder, corpus: AlignedCorpus, known: list[str]) -> tuple[Dense, NDArray[np.bool_]]:
    """The mean vector of each row over the languages that the model knows, and which rows have one."""
    vectors = encoder.transform(corpus.select(range(len(corpus)), known))
    counts = np.sum([rows.any(axis=1) for rows in vectors.values()], axis=0)
    total = np.sum(list(vectors.values()), axis=0, dtype=np.float32)
    return total / np.maximum(counts, 1)[:, None].astype(np.float32), counts > 0


def _with(encoder: Encoder, corpus: AlignedCorpus, language: str, targets: Dense, gamma: float) -> Encoder:
    vectorizer = encoder.vectorizer.extended(corpus, language)
    start = encoder.vectorizer.vocabulary_.size
    rows = vectorizer.transform_texts([text or "" for text in corpus.texts(language)], language)[:, start:]
    weights = ridge_regression(rows, gamma, language).weights(targets)
    mean = np.asarray(rows.mean(axis=0), np.float64).ravel()
    offset = (mean @ weights - targets.mean(axis=0)).astype(np.float32)
    learned_space: Any = encoder.space
    space: ProjectionSpace = learned_space.extended(language, weights, offset)
    other = Encoder(vectorizer, space)
    other.languages_, other.dictionary_ = space.languages_, encoder.dictionary_
    other.held_out_ = dict(encoder.held_out_)
    learned = encoder.card_["corpus"]
    added = {**learned.get("extended", {}), language: {"corpus": corpus.name, "rows": len(corpus)}}
    documents = {**learned["documents"], language: len(corpus)}
    other.card_ = {**encoder.card_, "corpus": {**learned, "documents": documents, "extended": added}}
    return other
