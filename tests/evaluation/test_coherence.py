"""Coherence counted by hand, and perplexity written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from babelspace.corpus import planted
from babelspace.evaluation.topics.coherence import coherence, cross_coherence, cross_perplexity, npmi
from babelspace.features import ViewsVectorizer
from babelspace.spaces import JPLSA

pytestmark = pytest.mark.family("plsa")


def literal_npmi(rows, a, b):
    """From documents as sets, one word pair."""
    n = len(rows)
    both = sum(a in left and b in right for left, right in rows) / n
    if both == 0:
        return -1.0
    if both == 1:
        return 0.0
    one, two = sum(a in left for left, _ in rows) / n, sum(b in right for _, right in rows) / n
    return np.log(both / (one * two)) / -np.log(both)


def test_limits():
    assert npmi(np.array([5]), np.array([5]), np.array([5]), 10) == pytest.approx(1)
    assert npmi(np.array([25]), np.array([50]), np.array([50]), 100) == pytest.approx(0)
    assert npmi(np.array([0]), np.array([5]), np.array([5]), 10) == -1
    assert npmi(np.array([10]), np.array([10]), np.array([10]), 10) == 0


def test_within_a_language(rng):
    counts = rng.poisson(0.7, (40, 12))
    words = np.array([[0, 3, 5, 9], [11, 2, 7, 1]])
    rows = [(set(np.flatnonzero(row)),) * 2 for row in counts]
    expected = [np.mean([literal_npmi(rows, a, b) for a, b in itertools.combinations(topic, 2)]) for topic in words]
    np.testing.assert_allclose(coherence(counts, words), expected, rtol=1e-9)


def test_across_languages(rng):
    first, second = rng.poisson(0.7, (40, 12)), rng.poisson(0.5, (40, 9))
    words, others = np.array([[0, 3, 5], [11, 2, 7]]), np.array([[1, 8, 0], [2, 3, 4]])
    rows = [(set(np.flatnonzero(a)), set(np.flatnonzero(b))) for a, b in zip(first, second, strict=True)]
    expected = [
        np.mean([literal_npmi(rows, a, b) for a, b in itertools.product(*pair)])
        for pair in zip(words, others, strict=True)
    ]
    np.testing.assert_allclose(cross_coherence(first, second, words, others), expected, rtol=1e-9)


def test_aligned_topics_are_more_coherent_than_shuffled_ones(rng):
    meaning = rng.random((200, 20)) < 0.3
    words = np.arange(20).reshape(4, 5)
    topics = np.repeat(rng.random((200, 4)) < 0.4, 5, axis=1)
    first, second = meaning & topics, (rng.random((200, 20)) < 0.5) & topics
    assert cross_coherence(first, second, words, words).min() > cross_coherence(first, second, words, words[::-1]).max()


def test_perplexity_is_that_of_the_words_given_the_mates():
    corpus = planted(60, languages=("en", "es", "de"), vocabulary=60, holes=0.3, seed=3)
    views = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(corpus)
    space = JPLSA(4, max_iter=30, validation=0).fit(views)
    found = cross_perplexity(space, views)
    weights = {name: space.transform(matrix, name).astype(float) for name, matrix in views.items()}
    for name, words in space.topic_words_.items():
        total = tokens = 0.0
        for row in range(60):
            mates = sum(weights[other][row] for other in weights if other != name)
            if mates.sum() == 0:
                continue
            chances = mates / mates.sum() @ words
            x = views[name][row : row + 1].toarray()[0]
            known = (x > 0) & (chances > 0)
            total += x[known] @ np.log(chances[known])
            tokens += x[known].sum()
        assert found[name] == pytest.approx(np.exp(-total / tokens), rel=1e-4)
    assert all(1 < value < 60 for value in found.values())


def test_perplexity_of_texts_without_mates_is_not_told():
    views = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(planted(40, vocabulary=40))
    space = JPLSA(3, max_iter=5, validation=0).fit(views)
    assert cross_perplexity(space, views.only(["en"])) == {}
