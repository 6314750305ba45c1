"""Pseudo queries: how well do a few words find the document that they were taken from, or its mate?

Vinokourov, Shawe-Taylor & Cristianini (2003), Inferring a Semantic Representation of Text via Cross-Language
Correlation Analysis, section 5: the five most probable words of a test document are the query; the relevant document
is the one they came from (in its own language) or its mate (in another).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError
from babelspace.evaluation.mates import common_languages
from babelspace.evaluation.measures import RetrievalScore
from babelspace.features import ViewsVectorizer
from babelspace.features.counting import count_and_collect_terms
from babelspace.features.vocabulary import TermRules, TermTotals
from babelspace.vectors.hubness import Correction, check_correction
from babelspace.vectors.mates import mate_ranks
from babelspace.vectors.similarity import Vectors

if TYPE_CHECKING:
    from babelspace.spaces import Encoder

WORDS = 5
MEAN, MONOLINGUAL = "mean", "monolingual"


def evaluate_queries(
    encoder: Encoder,
    corpus: AlignedCorpus,
    words: int = WORDS,
    languages: Sequence[str] | str | None = None,
    correction: Correction = "none",
) -> dict[str, RetrievalScore]:
    """Short-query retrieval in every direction, within languages ("en->en") and between them ("en->es").

    "mean" is over the directions between languages, "monolingual" over those within one. Ties count as errors, and so
    does a document none of whose words the model knows.

    Examples
    --------
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, planted
    >>> from babelspace.evaluation import evaluate_queries
    >>> parts = planted(rows=400).split()
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(parts.train)
    >>> list(evaluate_queries(encoder, parts.test))
    ['en->es', 'es->en', 'mean', 'en->en', 'es->es', 'monolingual']
    """
    check_correction(correction, encoder.space.similarity)
    part = corpus.select(languages=common_languages(encoder, corpus, languages))
    views = encoder.views(part)
    asked = query_vectors(encoder.vectorizer, part, words)
    return query_scores(encoder.space, asked, encoder.space.transform(views), views.present, correction)


def pseudo_queries(vectorizer: ViewsVectorizer, corpus: AlignedCorpus, words: int = WORDS) -> dict[str, list[str]]:
    """The most probable words of every document as one text, "" for a hole.

    Words that the vectorizer's rules leave out (the most frequent ones above all) are no candidates; of equally
    probable words those that come first in the document are taken. A vectorizer of characters knows no words, one that
    translates none of the document: its rules are applied to the words of `corpus` itself.
    """
    if words < 1:
        raise ParameterError(f"a query needs at least 1 word, got {words}. The paper uses 5.")
    return {language: _of_language(vectorizer, corpus, language, words) for language in corpus.languages}


def query_vectors(vectorizer: ViewsVectorizer, corpus: AlignedCorpus, words: int = WORDS) -> dict[str, Any]:
    """The weighted rows of the pseudo queries, by language."""
    texts = pseudo_queries(vectorizer, corpus, words)
    return {language: vectorizer.transform_texts(part, language) for language, part in texts.items()}


def query_scores(
    space: Any,
    queries: Mapping[str, Any],
    vectors: Mapping[str, Vectors],
    present: Mapping[str, NDArray[np.bool_]],
    correction: Correction = "none",
) -> dict[str, RetrievalScore]:
    """Scores of weighted queries (rows aligned with the documents) against document vectors of a space."""
    asked = {language: space.transform(matrix, language) for language, matrix in queries.items()}
    ranks = query_ranks(asked, vectors, present, space.similarity, correction)
    scores = {direction: RetrievalScore.from_ranks(found) for direction, found in ranks.items()}
    between = {name: score for name, score in scores.items() if not _within(name)}
    within = {name: score for name, score in scores.items() if _within(name)}
    means = {MEAN: RetrievalScore.mean(between.values())} if between else {}
    return {**between, **means, **within, MONOLINGUAL: RetrievalScore.mean(within.values())}


def query_ranks(
    queries: Mapping[str, Vectors],
    documents: Mapping[str, Vectors],
    present: Mapping[str, NDArray[np.bool_]],
    similarity: str = "cosine",
    correction: Correction = "none",
) -> dict[str, NDArray[np.int64]]:
    """Rank of the relevant document of each query; a row takes part where it has both languages."""
    ranks = {}
    for source, target in product(queries, documents):
        rows = np.flatnonzero(present[source] & present[target])
        if len(rows):
            asked, there = queries[source][rows], documents[target][rows]
            ranks[f"{source}->{target}"] = mate_ranks(asked, there, similarity=similarity, correction=correction)
    return ranks


def _within(direction: str) -> bool:
    source, _, target = direction.partition("->")
    return source == target


def _of_language(vectorizer: ViewsVectorizer, corpus: AlignedCorpus, language: str, words: int) -> list[str]:
    texts = [text or "" for text in corpus.texts(language)]
    speller = ViewsVectorizer(analyzer=vectorizer.analyzer)
    documents = list(speller._analyzer(language).many(texts))
    known = _known(vectorizer, documents, language)
    return [" ".join(_most_probable(tokens, known, words)) for tokens in documents]


def _known(vectorizer: ViewsVectorizer, documents: list[list[str]], language: str) -> Collection[str]:
    if vectorizer.features != "characters" and vectorizer.speaks(language) == language:
        return vectorizer.vocabulary_.table(language)
    rules = TermRules(vectorizer.drop_top, None, 1, vectorizer.max_df)
    return set(rules.choose(TermTotals.of(*count_and_collect_terms(documents)))[0])


def _most_probable(tokens: list[str], known: Collection[str], words: int) -> list[str]:
    """The words with the highest counts; `Counter` keeps the order of the document among equals."""
    return [word for word, _ in Counter(token for token in tokens if token in known).most_common(words)]
