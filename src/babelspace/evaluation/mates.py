"""Score a model on a corpus: mate retrieval in every direction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import permutations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.corpus.aligned import as_codes
from babelspace.errors import CorpusError, ParameterError
from babelspace.evaluation.larger_pools import ExpectedTop1, expected_top1
from babelspace.evaluation.measures import RetrievalScore, evaluate_mates, scores_of_ranks
from babelspace.spaces.encoded_corpus import EncodedCorpus, encode_corpus
from babelspace.text.language_codes import known_language
from babelspace.vectors.hubness import Correction, check_correction
from babelspace.vectors.mates import direction_ranks
from babelspace.vectors.similarity import is_sparse

if TYPE_CHECKING:
    from babelspace.spaces import Encoder


class Evaluation(dict[str, RetrievalScore]):
    """Scores by direction ("en->es", …) and their "mean".

    `untranslated` has the same for words compared as they are spelled (None where spellings share no columns),
    `queries` for short queries and `average_precision` the mean precision at fixed recalls where they were asked for.
    `expected_top1` tells what to expect among more documents than were there: {1000: …, 10000: …, 100000: …}.
    `rows` counts the rows that were scored, `empty` documents without a place in the space by language, `skipped` names
    directions without a row.
    """

    rows: int = 0
    empty: Mapping[str, int] = MappingProxyType({})
    skipped: Sequence[str] = ()
    untranslated: Evaluation | None = None
    queries: Mapping[str, RetrievalScore] | None = None
    average_precision: Mapping[str, float] | None = None
    expected_top1: Mapping[int, ExpectedTop1] = MappingProxyType({})

    def as_dict(self) -> dict[str, Any]:
        """As JSON: an entry for each direction, "mean", and "untranslated", "queries" with the same if there are."""
        found: dict[str, Any] = {direction: score.as_dict() for direction, score in self.items()}
        if self.untranslated is not None:
            found["untranslated"] = self.untranslated.as_dict()
        if self.queries is not None:
            found["queries"] = {direction: score.as_dict() for direction, score in self.queries.items()}
        if self.average_precision is not None:
            found["average_precision"] = dict(self.average_precision)
        if self.expected_top1:
            found["expected_top1"] = {str(pool): told.as_dict() for pool, told in self.expected_top1.items()}
        return found


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
    check_correction(correction, similarity or encoder.space.similarity)
    part = corpus.select(languages=common_languages(encoder, corpus, languages))
    return evaluate_encoded(encoder, encode_corpus(encoder, part), similarity, correction)


def evaluate_encoded(
    encoder: Encoder,
    encoded: EncodedCorpus,
    similarity: str | None = None,
    correction: Correction = "none",
    among: Collection[tuple[str, str]] | None = None,
) -> Evaluation:
    """`evaluate` on a corpus in languages of the model that was read already; `among` some pairs of them alone."""
    views, corpus = encoded.views, encoded.corpus
    pairs = common_pairs(views.present, corpus.name)
    if among is not None:
        pairs = [pair for pair in pairs if pair in among or pair[::-1] in among]
    measure = similarity or encoder.space.similarity
    ranks = direction_ranks(encoded.vectors, views.present, pairs, similarity=measure, correction=correction)
    found = Evaluation(scores_of_ranks(ranks))
    found.expected_top1 = expected_top1(ranks, len(corpus))
    found.rows, found.empty = len(corpus), count_empty(encoded.vectors, views.present)
    scored = set(pairs)
    found.skipped = [f"{a}->{b}" for a, b in permutations(views.languages, 2) if (a, b) not in scored]
    if encoder.vectorizer.vocabulary == "shared":
        spelled = encoder.vectorizer.untranslated().transform(corpus) if encoder.vectorizer.translator else views
        baseline = evaluate_mates(dict(spelled.items()), views.present, pairs, correction=correction)
        found.untranslated = Evaluation(baseline)
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
    asked = as_codes(languages) or known
    # Both are asked: the message names the languages of the side that lacks one.
    chosen = tuple(known_language(known_language(language, encoder.languages_), known) for language in asked)
    if len(chosen) < 2:
        raise ParameterError(
            f"evaluation needs two languages, got {', '.join(chosen) or 'none'}; the model has "
            f"{', '.join(encoder.languages_)}, {corpus.name} has {', '.join(corpus.languages)}. "
            "Give a corpus with two languages of the model."
        )
    return chosen
