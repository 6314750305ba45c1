from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st

from babelspace.search.score_fusion import FusionWeights, TypicalSimilarity, combined, sampled, typical_similarity
from babelspace.search.tuned_settings import SETTINGS

shares = st.lists(st.floats(0, 1), min_size=1, max_size=9).map(np.array)


@pytest.mark.parametrize("dimensions", [3, 7, 40])
def test_usual_is_mean_and_deviation_of_all_pairs(dimensions):
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((7, dimensions)).astype(np.float32)
    pairs = [float(vectors[i] @ vectors[j]) for i in range(7) for j in range(i)]
    found = typical_similarity(vectors, "cosine")
    assert (found.mean, found.deviation) == pytest.approx((np.mean(pairs), np.std(pairs)))
    apart = [-float(np.abs(vectors[i] - vectors[j]).sum()) for i in range(7) for j in range(i)]
    assert typical_similarity(vectors, "l1").mean == pytest.approx(np.mean(apart))
    assert typical_similarity(vectors[:1], "cosine") == typical_similarity(vectors[:0], "l1") == TypicalSimilarity()


def test_a_few_long_vectors_take_no_square_of_their_dimensions():
    tracemalloc.start()
    typical_similarity(np.ones((3, 4_000), np.float32), "cosine")
    assert tracemalloc.get_traced_memory()[1] < 10 * 3 * 4_000 * 8
    tracemalloc.stop()


@given(shares, st.floats(0, 9))
def test_the_best_by_spelling_keeps_its_similarity(spelled, weight):
    similarity = np.linspace(-1, 1, len(spelled))
    scores = combined(similarity, spelled, FusionWeights(1.0, weight), TypicalSimilarity(0.1, 0.2))
    assert scores[np.argmax(spelled)] == pytest.approx(similarity[np.argmax(spelled)])
    assert (scores <= similarity + 1e-12).all()
    np.testing.assert_allclose(scores - similarity, weight * 0.2 * (spelled - spelled.max()), atol=1e-12)


def test_documents_without_a_vector_are_as_usual_as_any():
    scores = combined(
        np.array([0.5, np.nan]), np.array([0.0, 1.0]), FusionWeights(1.0, 4.0), TypicalSimilarity(0.1, 0.05)
    )
    assert scores.tolist() == pytest.approx([0.5 - 0.2, 0.1])


def test_learned_weights_are_a_weighted_sum():
    typical, weights = TypicalSimilarity(0.1, 0.2), FusionWeights(0.5, 10.0, -1.0)
    scores = combined(np.array([0.3, np.nan]), np.array([0.2, 0.4]), weights, typical)
    assert scores.tolist() == pytest.approx([0.1 + 0.5 * 0.2 + 0.2 * (2 - 1), 0.1 + 0.2 * (4 - 1)])


def test_samples_are_spread():
    rows = np.arange(10, 5010)
    found = sampled(rows)
    assert len(found) == len(set(found.tolist())) == SETTINGS.sample
    assert (found[0], found[-1]) == (10, 5009)
    assert sampled(rows[:5]).tolist() == rows[:5].tolist()
