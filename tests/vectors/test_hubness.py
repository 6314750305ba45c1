from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from babelspace.errors import ParameterError
from babelspace.vectors.hubness import check_correction, correct, csls, margin
from tests.oracles.hubness import local_means

# Two queries and three documents on the unit circle; the cosines are exact in decimal.
QUERIES = np.array([[1.0, 0.0], [0.6, 0.8]], np.float32)
DOCUMENTS = np.array([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]], np.float32)
SCORES = np.array([[1.0, 0.0, 0.8], [0.6, 0.8, 0.96]])


def test_local_means_by_hand():
    query_means, document_means = local_means(QUERIES, DOCUMENTS, k=2)
    np.testing.assert_allclose(query_means, [0.9, 0.88], rtol=1e-6)
    np.testing.assert_allclose(document_means, [0.8, 0.4, 0.88], rtol=1e-6)


def test_csls_by_hand():
    query_means, document_means = np.array([0.9, 0.88]), np.array([0.8, 0.4, 0.88])
    expected = [[0.3, -1.3, -0.18], [-0.48, 0.32, 0.16]]
    np.testing.assert_allclose(csls(SCORES, query_means[:, None], document_means), expected, atol=1e-12)


def test_margins_by_hand():
    assert margin(np.array(0.6), np.array(0.5), np.array(0.3)) == pytest.approx(1.5)
    assert margin(np.array(0.6), np.array(0.5), np.array(0.3), "distance") == pytest.approx(0.2)
    assert margin(np.array(0.6), np.array(0.5), np.array(0.3), "absolute") == 0.6


def test_ratio_of_an_empty_neighbourhood_is_finite():
    assert np.isfinite(margin(np.array([0.5, -0.5]), np.zeros(2), np.zeros(2))).all()


def test_block_and_pair_list_agree():
    query_means, document_means = np.array([0.9, 0.88]), np.array([0.8, 0.4, 0.88])
    for correction in ("none", "csls", "margin"):
        block = correct(SCORES, query_means[:, None], document_means, correction)
        rows, columns = np.array([0, 1, 1]), np.array([2, 0, 1])
        pairs = correct(SCORES[rows, columns], query_means[rows], document_means[columns], correction)
        np.testing.assert_array_equal(block[rows, columns], pairs)


@pytest.mark.parametrize("similarity", ["cosine", "euclidean", "l1"])
def test_sparse_means_equal_dense_means(similarity):
    rng = np.random.default_rng(0)
    # So sparse that many lists are shorter than k.
    queries, documents = (rng.random((n, 40)) * (rng.random((n, 40)) < 0.05) for n in (30, 50))
    dense = local_means(queries, documents, 10, similarity)
    sparse = local_means(csr_array(queries), csr_array(documents), 10, similarity)
    for one, other in zip(dense, sparse, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_zero_vectors_are_no_neighbours():
    with_zero = np.vstack([DOCUMENTS, np.zeros((1, 2), np.float32)])
    query_means, document_means = local_means(QUERIES, with_zero, k=4)
    np.testing.assert_allclose(query_means, SCORES.mean(axis=1), rtol=1e-6)
    assert document_means[3] == 0


def test_user_errors():
    with pytest.raises(ParameterError, match="Use one of none, csls, margin"):
        check_correction("cls", "cosine")
    with pytest.raises(ParameterError, match="means nothing for euclidean"):
        check_correction("margin", "euclidean")
    with pytest.raises(ParameterError, match="Use one of ratio, distance, absolute"):
        margin(SCORES, SCORES, SCORES, "other")
