from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.sparse import csr_array

import babelspace.mining.ranking as module
from babelspace.errors import ParameterError
from babelspace.mining.ranking import rank
from babelspace.vectors.hubness import csls
from tests.oracles.brute_force import brute_score
from tests.oracles.hubness import local_means


def noisy_mates(count=40, columns=12, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    source = rng.standard_normal((count, columns)).astype(np.float32)
    return source, source + noise * rng.standard_normal((count, columns)).astype(np.float32)


def score_matrix(source, target, similarity="cosine"):
    return np.array([[brute_score(s, t, similarity) for t in target] for s in source])


def best_assignment(scores):
    """The largest sum over all ways to give each row a column of its own."""
    rows, columns = scores.shape
    if rows > columns:
        return best_assignment(scores.T)
    return max(sum(scores[i, j] for i, j in enumerate(way)) for way in permutations(range(columns), rows))


@pytest.mark.parametrize("similarity", ["cosine", "euclidean", "l1"])
def test_candidates_are_ranked(similarity):
    source, target = noisy_mates()
    scores = score_matrix(source, target, similarity)
    found = rank(source, target, k=3, similarity=similarity)
    assert found.source.tolist() == np.repeat(np.arange(40), 3).tolist()
    assert found.rank.tolist() == [1, 2, 3] * 40
    np.testing.assert_array_equal(found.target.reshape(40, 3), np.argsort(-scores, axis=1)[:, :3])
    np.testing.assert_allclose(found.score, scores[found.source, found.target], rtol=1e-4, atol=1e-6)
    best, best_back = scores.argmax(axis=1), scores.argmax(axis=0)
    expected = (best[found.source] == found.target) & (best_back[found.target] == found.source)
    np.testing.assert_array_equal(found.mutual, expected)


@pytest.mark.parametrize("correction", ["csls", "margin"])
def test_corrected_candidates_equal_the_corrected_matrix(correction):
    """With all pairs as candidates nothing is lost, so the ranking is that of the whole matrix."""
    source, target = noisy_mates(15, noise=1.0)
    source, target = np.abs(source), np.abs(target)
    query_means, document_means = local_means(source, target, 4)
    scores = score_matrix(source, target)
    if correction == "csls":
        expected = csls(scores, query_means[:, None], document_means)
    else:
        expected = scores / ((query_means[:, None] + document_means) / 2)
    found = rank(source, target, k=15, correction=correction, neighbourhood=4)
    np.testing.assert_array_equal(found.target.reshape(15, 15), np.argsort(-expected, axis=1))
    np.testing.assert_allclose(found.score, expected[found.source, found.target], rtol=1e-4, atol=1e-5)


def test_candidates_of_the_other_direction_are_merged():
    """Target 1 is not the nearest of source 0, which is nearest to it; the hub, target 0, is nearer to both."""
    source = np.array([[0.9, 0, 0.436], [0.99, 0.141, 0]], np.float32)
    target = np.array([[1, 0, 0], [0.5354, 0, 0.8446]], np.float32)
    assert rank(source, target, k=1).target.tolist() == [0, 0]
    found = rank(source, target, k=1, correction="csls", neighbourhood=1)
    assert found.target.tolist() == [1, 0]
    np.testing.assert_allclose(found.score, [2 * 0.85 - 0.9 - 0.85, 0], atol=1e-3)


@pytest.mark.parametrize("shape", [(6, 6), (4, 6), (6, 4)])
@pytest.mark.parametrize("correction", ["none", "csls"])
def test_one_to_one_is_optimal(shape, correction):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        source, target = rng.standard_normal((shape[0], 3)), rng.standard_normal((shape[1], 3))
        scores = score_matrix(source, target)
        if correction == "csls":
            means = local_means(source, target, 2)
            scores = csls(scores, means[0][:, None], means[1])
        found = rank(source, target, one_to_one=True, correction=correction, neighbourhood=2)
        assert len(found) == min(shape)
        assert len(set(found.source)) == len(set(found.target)) == min(shape)
        assert found.score.sum() == pytest.approx(best_assignment(scores), rel=1e-4)
        own = scores[found.source, found.target]
        np.testing.assert_array_equal(found.rank, 1 + (scores[found.source] > own[:, None] + 1e-6).sum(axis=1))


def test_one_to_one_beats_greedy_candidates_where_they_collide():
    source = np.array([[1, 0], [0.95, 0.31]], np.float32)
    target = np.array([[0.99, 0.14], [0.6, 0.8]], np.float32)
    assert rank(source, target, k=1).target.tolist() == [0, 0]
    found = rank(source, target, one_to_one=True)
    assert (found.source.tolist(), found.target.tolist()) == ([0, 1], [0, 1])
    assert found.rank.tolist() == [1, 2]
    assert found.mutual.tolist() == [True, False]


def test_competitive_linking_takes_the_best_pair_first(monkeypatch):
    monkeypatch.setattr(module, "OPTIMAL_CELLS", 0)
    source, target = noisy_mates(30, noise=1.0)
    scores = score_matrix(source, target)
    expected = []
    while np.isfinite(scores).any():
        row, column = np.unravel_index(np.argmax(scores), scores.shape)
        expected.append((int(row), int(column)))
        scores[row], scores[:, column] = -np.inf, -np.inf
    found = rank(source, target, k=30, one_to_one=True)
    assert list(zip(found.source.tolist(), found.target.tolist(), strict=True)) == sorted(expected)
    few = rank(source, target, k=2, one_to_one=True)
    assert len(set(few.target)) == len(few) == 30 - len(few.unmatched_source)


@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("one_to_one", [False, True])
@pytest.mark.parametrize("cells", [0, 10**6], ids=["linking", "optimal"])
def test_zero_vectors_are_reported_and_never_matched(form, one_to_one, cells, monkeypatch):
    monkeypatch.setattr(module, "OPTIMAL_CELLS", cells)
    source, target = (np.abs(side) for side in noisy_mates(10))
    source[3], target[[5, 6]] = 0, 0
    found = rank(form(source), form(target), k=10, one_to_one=one_to_one, correction="csls")
    assert 3 not in found.source and not np.isin([5, 6], found.target).any()
    assert 3 in found.unmatched_source and np.isin([5, 6], found.unmatched_target).all()
    assert found.empty_source.tolist() == [3] and found.empty_target.tolist() == [5, 6]
    assert np.isfinite(found.score).all()
    if one_to_one:
        assert len(found) == 8 and len(found.unmatched_source) == 2


@pytest.mark.parametrize("one_to_one", [False, True])
@pytest.mark.parametrize("correction", ["none", "csls"])
def test_nothing_to_match(one_to_one, correction):
    found = rank(np.zeros((2, 3)), np.ones((4, 3)), one_to_one=one_to_one, correction=correction)
    assert len(found) == 0
    assert found.unmatched_source.tolist() == [0, 1]
    assert found.unmatched_target.tolist() == [0, 1, 2, 3]
    assert len(rank(np.ones((0, 3)), np.ones((0, 3)), one_to_one=one_to_one, correction=correction)) == 0


@pytest.mark.parametrize("one_to_one", [False, True])
def test_sparse_equals_dense(one_to_one):
    source, target = (np.abs(side) for side in noisy_mates(25, noise=1.0))
    dense = rank(source, target, one_to_one=one_to_one, correction="margin")
    sparse = rank(csr_array(source), csr_array(target), one_to_one=one_to_one, correction="margin")
    np.testing.assert_array_equal(sparse.target, dense.target)
    np.testing.assert_allclose(sparse.score, dense.score, rtol=1e-5)
    np.testing.assert_array_equal(sparse.mutual, dense.mutual)


def test_csls_brings_down_a_hub():
    """A document near to every query is the raw best of all; corrected, each finds its own."""
    source = np.eye(4, dtype=np.float32) + 0.6
    target = np.vstack([np.eye(4, dtype=np.float32) * 1.2 + 0.25 * np.roll(np.eye(4), 1, 1), np.ones((1, 4))])
    raw = rank(source, target, k=1)
    assert (raw.target == 4).all()
    assert rank(source, target, k=1, correction="csls", neighbourhood=2).target.tolist() == [0, 1, 2, 3]


def test_user_errors():
    with pytest.raises(ParameterError, match="unknown correction"):
        rank(np.ones((1, 2)), np.ones((1, 2)), correction="isf")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="dimensions"):
        rank(np.ones((1, 2)), np.ones((1, 3)))
    with pytest.raises(ParameterError, match="k must be"):
        rank(np.ones((1, 2)), np.ones((1, 2)), k=0)


def test_candidates_are_a_table(tmp_path):
    found = rank(*noisy_mates(), k=2)
    rows = found.records()
    assert len(found) == len(rows) == 80 and rows[0]["rank"] == 1 and rows[1]["source"] == 0
    [path] = found.write(tmp_path / "candidates.csv.gz")
    assert path.exists() and found.to_frame().shape == (80, 5)
