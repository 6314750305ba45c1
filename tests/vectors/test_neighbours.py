from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_array

from babelspace.errors import ParameterError
from babelspace.runtime.threads import limit
from babelspace.vectors.neighbours import neighbours
from babelspace.vectors.similarity import SIMILARITIES
from tests.oracles.brute_force import brute_score


def brute_neighbours(queries, documents, k, similarity):
    """A full sort for each query."""
    lists = []
    for query in queries:
        scores = [brute_score(query, document, similarity) for document in documents]
        order = sorted(range(len(documents)), key=lambda j: (-round(scores[j], 10), j))
        lists.append([j if scores[j] > -math.inf else -1 for j in order[:k]])
    return np.array(lists)


def some_vectors(rows, columns, seed, density=1.0):
    rng = np.random.default_rng(seed)
    return (rng.random((rows, columns)) * (rng.random((rows, columns)) < density)).astype(np.float32)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("k", [1, 5, 60])
@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_equals_a_full_sort(similarity, k, form):
    queries, documents = some_vectors(20, 8, 0), some_vectors(100, 8, 1)
    queries[3], documents[[4, 50]] = 0, 0
    found = neighbours(form(queries), form(documents), k, similarity)
    np.testing.assert_array_equal(found.indices, brute_neighbours(queries, documents, k, similarity))
    assert (found.indices[3] == -1).all() and np.isneginf(found.scores[3]).all()
    for row, column in [(0, 0), (7, k - 1), (19, k // 2)]:
        expected = brute_score(queries[row], documents[found.indices[row, column]], similarity)
        assert found.scores[row, column] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_ties_stand_in_document_order(similarity, form):
    """Far more copies than spare candidates: a heap alone would return any of them."""
    kinds = some_vectors(3, 16, 5) + np.float32(0.1)
    documents = kinds[np.random.default_rng(0).integers(0, 3, 300)]
    queries = np.concatenate([kinds, some_vectors(4, 16, 6)])
    found = neighbours(form(queries), form(documents), 7, similarity)
    np.testing.assert_array_equal(found.indices, brute_neighbours(queries, documents, 7, similarity))


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_threads_change_nothing(similarity, form):
    documents = some_vectors(400, 50, 1, density=0.6)
    documents[100:140] = documents[7]
    queries = documents[:50] + some_vectors(50, 50, 2, density=0.6)
    results = []
    for threads in (1, 2):
        with limit(threads):
            results.append(neighbours(form(queries), form(documents), 10, similarity))
    np.testing.assert_array_equal(results[0].indices, results[1].indices)
    np.testing.assert_array_equal(results[0].scores, results[1].scores)


def test_k_is_capped_and_empty_documents_leave_holes():
    documents = np.array([[1, 0], [0, 0], [0, 1]], np.float32)
    found = neighbours(np.array([[1, 0.5]], np.float32), documents, 10)
    assert found.indices.tolist() == [[0, 2, -1]]
    assert np.isneginf(found.scores[0, 2])


def test_nothing_to_find():
    assert neighbours(np.ones((2, 3)), np.zeros((4, 3)), 2).indices.tolist() == [[-1, -1], [-1, -1]]
    assert neighbours(np.ones((2, 3)), np.ones((0, 3)), 2).indices.shape == (2, 0)
    assert neighbours(np.ones((0, 3)), np.ones((4, 3)), 2).indices.shape == (0, 2)


def test_sparse_neighbours_share_a_feature():
    queries = csr_array(np.array([[1, 0, 0], [0, 0, 1]], np.float32))
    documents = csr_array(np.array([[0, 1, 0], [1, 1, 0], [2, 0, 0]], np.float32))
    found = neighbours(queries, documents, 3)
    assert found.indices.tolist() == [[2, 1, -1], [-1, -1, -1]]
    assert found.scores[0, 0] == pytest.approx(1)


def test_sparse_vectors_with_negative_values_are_exact():
    rng = np.random.default_rng(0)
    queries, documents = rng.standard_normal((2, 30, 12)).astype(np.float32) * (rng.random((2, 30, 12)) < 0.4)
    dense = neighbours(queries.astype(np.float32), documents.astype(np.float32), 5)
    sparse = neighbours(csr_array(queries), csr_array(documents), 5)
    np.testing.assert_array_equal(sparse.indices, dense.indices)


@pytest.mark.parametrize("offset", [0, 1000])
def test_euclidean_far_from_the_origin(offset):
    """|q|² + |d|² - 2qd in float32 cannot tell these apart."""
    documents = (some_vectors(200, 6, 0) + offset).astype(np.float32)
    found = neighbours(documents, documents, 1, "euclidean")
    assert found.indices[:, 0].tolist() == list(range(200))
    assert (found.scores == 0).all()


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "3"])
def test_bad_k(k):
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1"):
        neighbours(np.ones((1, 2)), np.ones((1, 2)), k)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.integers(1, 90), st.integers(1, 12), st.sampled_from(SIMILARITIES), st.booleans())
def test_any_shape(seed, count, k, similarity, sparse):
    rng = np.random.default_rng(seed)
    # Small integers: ties of every kind, zero rows included.
    queries, documents = rng.integers(0, 3, (5, 4)), rng.integers(0, 3, (count, 4))
    form = csr_array if sparse else np.asarray
    found = neighbours(form(queries), form(documents), k, similarity)
    for query, columns, scores in zip(queries, found.indices, found.scores, strict=True):
        best = sorted((brute_score(query, document, similarity) for document in documents), reverse=True)[:k]
        if sparse and similarity == "cosine":
            best = [score if score > 1e-9 else -math.inf for score in best]
        np.testing.assert_allclose(scores, best, atol=1e-5)
        assert ((columns == -1) == np.isneginf(best)).all()
        hits = [(-score, column) for score, column in zip(scores, columns, strict=True) if column >= 0]
        assert hits == sorted(set(hits))
        for column in columns[columns >= 0]:
            copies = np.flatnonzero((documents[:column] == documents[column]).all(axis=1))
            assert np.isin(copies, columns).all(), "an earlier copy was passed over"
