"""Score a model on a corpus: mate retrieval in every direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.corpus.aligned import as_codes
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage
from babelspace.evaluation.measures import RetrievalScore, evaluate_mates
from babelspace.vectors.hubness import Correction, check_correction
from babelspace.vectors.similarity import is_sparse

if TYPE_CHECKING:
    from babelspace.spaces import Encoder


class Evaluation(dict[str, RetrievalScore]):
    """Scores by direction ("en->es", …) and their "mean"; `empty` counts documents without a place in the space."""

    empty: dict[str, int]

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Plain numbers by direction."""
        return {direction: score.as_dict() for direction, score in self.items()}


def evaluate(
    encoder: Encoder,
    corpus: AlignedCorpus,
    languages: Sequence[str] | str | None = None,
    similarity: str | None = None,
    correction: Correction = "none",
) -> Evaluation:
    """Mate retrieval between all languages that model and corpus have in common, or between those asked for.

    Rows that lack a language are left out of its directions, and so are directions without any row. A document none
    of whose words the model knows is a zero vector: it counts as an error, and `.empty[language]` counts them.

    Examples
    --------
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, evaluate, planted
    >>> parts = planted(rows=400).split()
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(parts.train)
    >>> sorted(evaluate(encoder, parts.test))
    ['en->es', 'es->en', 'mean']
    """
    measure = similarity or encoder.space.similarity
    check_correction(correction, measure)
    chosen = common_languages(encoder, corpus, languages)
    part = corpus.select(languages=chosen)
    views = encoder.views(part)
    vectors = encoder.space.transform(views)
    pairs = common_pairs(views.present, corpus.name)
    found = Evaluation(evaluate_mates(vectors, views.present, pairs, similarity=measure, correction=correction))
    found.empty = count_empty(vectors, views.present)
    return found


def common_pairs(present: Mapping[str, NDArray[np.bool_]], name: str) -> list[tuple[str, str]]:
    """The ordered pairs of languages that have rows in common; `name` is what an error calls the corpus."""
    found = [pair for pair in permutations(present, 2) if (present[pair[0]] & present[pair[1]]).any()]
    if not found:
        raise CorpusError(
            f"no aligned rows: no id of {name} has text in two of {', '.join(present)}",
            hint="the same id must name the same document in every language",
        )
    return found


def count_empty(vectors: Mapping[str, Any], present: Mapping[str, NDArray[np.bool_]]) -> dict[str, int]:
    """How many documents of each language are zero vectors; holes are no documents."""
    return {name: int(np.count_nonzero(present[name] & ~_any(rows))) for name, rows in vectors.items()}


def _any(rows: Any) -> NDArray[np.bool_]:
    """Which rows have a value other than zero."""
    if is_sparse(rows):
        return np.asarray(abs(rows).sum(axis=1)).ravel() > 0
    return np.asarray(rows).any(axis=1, keepdims=True).ravel()


def common_languages(encoder: Encoder, corpus: AlignedCorpus, languages: Sequence[str] | str | None) -> tuple[str, ...]:
    """The languages to score: those that model and corpus share, or those asked for."""
    known = tuple(name for name in corpus.languages if name in encoder.languages_)
    chosen = as_codes(languages) or known
    for language in chosen:
        if language not in known:
            raise UnknownLanguage(language, known)
    if len(chosen) < 2:
        raise ParameterError(
            f"evaluation needs two languages, got {', '.join(chosen) or 'none'}; the model has "
            f"{', '.join(encoder.languages_)}, {corpus.name} has {', '.join(corpus.languages)}. "
            "Give a corpus with two languages of the model."
        )
    return chosen
