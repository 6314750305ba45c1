"""Pseudo queries against loops over words and documents."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from babelspace.corpus import AlignedCorpus, planted, sample
from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.evaluation import evaluate_queries
from babelspace.evaluation.pseudo_queries import pseudo_queries, query_ranks
from babelspace.features import ViewsVectorizer
from babelspace.spaces import CLLSI, OPCA, Encoder, Untranslated
from tests.oracles.brute_force import brute_score


@pytest.fixture(scope="module")
def parts():
    return planted(rows=200, languages=("en", "es", "de"), vocabulary=100, holes=0.15).split()


@pytest.fixture(scope="module")
def encoder(parts):
    return Encoder(ViewsVectorizer(drop_top=5, min_count=3), OPCA(n_components=12)).fit(parts.train)


def brute_query(text, table, words):
    """The most frequent known words, first come first taken, without a Counter."""
    counts, first = defaultdict(int), {}
    for place, word in enumerate((text or "").lower().split()):
        if word in table:
            counts[word] += 1
            first.setdefault(word, place)
    return sorted(counts, key=lambda word: (-counts[word], first[word]))[:words]


def brute_rank(query, documents, own):
    scores = [brute_score(query, document) for document in documents]
    if scores[own] == -np.inf:
        return len(documents)
    return sum(score >= scores[own] - 1e-6 for score in scores)


@pytest.mark.parametrize("words", [1, 5])
def test_the_words_are_those_of_a_loop(encoder, parts, words):
    found = pseudo_queries(encoder.vectorizer, parts.test, words)
    for language in parts.test.languages:
        table = encoder.vectorizer.vocabulary_.table(language)
        expected = [brute_query(text, table, words) for text in parts.test.texts(language)]
        assert [query.split() for query in found[language]] == expected
        assert max(map(len, expected)) == words


def test_scores_are_those_of_a_loop(encoder, parts):
    corpus = parts.test
    found = evaluate_queries(encoder, corpus)
    queries = pseudo_queries(encoder.vectorizer, corpus)
    tops = {}
    for source in corpus.languages:
        for target in corpus.languages:
            rows = np.flatnonzero(corpus.present(source) & corpus.present(target))
            asked = encoder.encode([queries[source][row] for row in rows], source)
            documents = encoder.encode([corpus.texts(target)[row] for row in rows], target)
            ranks = np.array([brute_rank(query, documents, own) for own, query in enumerate(asked)])
            score = found[f"{source}->{target}"]
            assert (score.top1, score.top10) == (np.mean(ranks == 1), np.mean(ranks <= 10))
            assert score.mrr == pytest.approx(np.mean(1 / ranks))
            assert score.queries == score.candidates == len(rows)
            tops[source, target] = score.top1
    between = [top for (source, target), top in tops.items() if source != target]
    within = [top for (source, target), top in tops.items() if source == target]
    assert len(between) == 6
    assert found["mean"].top1 == pytest.approx(np.mean(between))
    assert found["monolingual"].top1 == pytest.approx(np.mean(within))
    assert found["monolingual"].top1 > found["mean"].top1 > 0.3


def test_the_most_frequent_words_of_the_language_are_no_queries(encoder, parts):
    frequent = ViewsVectorizer(drop_top=0).fit(parts.train).vocabulary_
    queries = pseudo_queries(encoder.vectorizer, parts.test)
    for language in parts.test.languages:
        top = set(list(frequent.table(language)))
        stopped = top - set(encoder.vectorizer.vocabulary_.table(language))
        assert stopped
        assert not stopped & {word for query in queries[language] for word in query.split()}


def test_ties_count_as_errors_and_so_do_documents_without_a_known_word():
    texts = {"en": ["red wine", "red wine", "old cheese", "qqq"], "es": ["red wine", "red wine", "old cheese", "zzz"]}
    corpus = AlignedCorpus("abcd", texts)
    train = AlignedCorpus("abc", {name: part[:3] for name, part in texts.items()})
    encoder = Encoder(ViewsVectorizer(drop_top=0, min_count=1), Untranslated()).fit(train)
    found = evaluate_queries(encoder, corpus)
    for direction in ("en->es", "en->en", "mean", "monolingual"):
        assert found[direction].top1 == 0.25


def test_a_query_is_a_text_like_any_other(encoder, parts):
    """Two equal words in a row are one word of the query: it is typed once."""
    corpus = AlignedCorpus(["1"], {name: [texts] for name, texts in _first_words(encoder, 3).items()})
    for name, (text,) in pseudo_queries(encoder.vectorizer, corpus, words=2).items():
        one, two, _ = corpus.texts(name)[0].split()[:3]
        assert text == f"{two} {one}"


def _first_words(encoder, count):
    chosen = {name: list(encoder.vectorizer.vocabulary_.table(name))[:count] for name in encoder.languages_}
    return {name: f"{words[0]} {words[1]} {words[2]} {words[1]}" for name, words in chosen.items()}


@pytest.mark.parametrize("features", ["characters", "both"])
def test_vectorizers_of_characters_get_queries_of_words(features, parts):
    vectorizer = ViewsVectorizer(features=features, drop_top=10).fit(parts.train)
    queries = pseudo_queries(vectorizer, parts.test)
    plain = ViewsVectorizer(drop_top=10).fit(parts.train)
    for language, found in queries.items():
        spoken = {word for text in parts.test.texts(language) if text for word in text.split()}
        assert {word for query in found for word in query.split()} <= spoken
    if features == "both":
        assert queries == pseudo_queries(plain, parts.test)
    encoder = Encoder(ViewsVectorizer(features=features, drop_top=10), CLLSI(10)).fit(parts.train)
    assert evaluate_queries(encoder, parts.test)["monolingual"].top1 > 0.3


def test_chinese_words():
    corpus = sample("help").select(languages=["en", "zh"]).select(range(200))
    vectorizer = ViewsVectorizer(drop_top=20).fit(corpus)
    table = vectorizer.vocabulary_.table("zh")
    queries = pseudo_queries(vectorizer, corpus.select(range(20)))["zh"]
    assert all(word in table for query in queries for word in query.split())
    assert np.mean([len(query.split()) for query in queries]) > 4


def test_correction_reaches_the_ranking(encoder, parts):
    plain, corrected = (evaluate_queries(encoder, parts.test, correction=name) for name in ("none", "csls"))
    assert plain["mean"] != corrected["mean"]


def test_pairs_without_rows_are_left_out(rng):
    vectors = {"en": rng.random((4, 3)), "es": rng.random((4, 3))}
    present = {"en": np.array([True, True, False, False]), "es": np.array([False, False, True, True])}
    assert set(query_ranks(vectors, vectors, present)) == {"en->en", "es->es"}


def test_errors(encoder, parts):
    with pytest.raises(ParameterError, match=r"a query needs at least 1 word, got 0. The paper uses 5"):
        pseudo_queries(encoder.vectorizer, parts.test, 0)
    with pytest.raises(UnknownLanguage):
        evaluate_queries(encoder, parts.test, languages="en,ja")
    with pytest.raises(ParameterError, match="unknown correction"):
        evaluate_queries(encoder, parts.test, correction="hubs")
