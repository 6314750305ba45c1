from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from babelspace.errors import ParameterError
from babelspace.vectors.similarity import SIMILARITIES, pairwise, prepare
from tests.oracles.brute_force import brute_score


def some_vectors(rows, columns, seed, density=0.5):
    rng = np.random.default_rng(seed)
    vectors = rng.random((rows, columns)) * (rng.random((rows, columns)) < density)
    vectors[1] = 0
    return vectors.astype(np.float32)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("block", [None, 1, 3])
def test_pairwise_equals_loops(similarity, form, block):
    queries, documents = some_vectors(7, 6, 0), some_vectors(9, 6, 1)
    expected = [[brute_score(q, d, similarity) for d in documents] for q in queries]
    scores = np.concatenate(list(pairwise(form(queries), form(documents), similarity, block)))
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_sparse_and_dense_mix(similarity):
    queries, documents = some_vectors(5, 6, 0), some_vectors(4, 6, 1)
    plain = np.concatenate(list(pairwise(queries, documents, similarity)))
    for left, right in [(csr_array(queries), documents), (queries, csr_array(documents))]:
        np.testing.assert_allclose(np.concatenate(list(pairwise(left, right, similarity))), plain, atol=1e-6)


@pytest.mark.parametrize("similarity", ["euclidean", "l1"])
def test_equal_vectors_have_no_distance(similarity):
    vectors = np.random.default_rng(3).random((40, 30)).astype(np.float32) + 100
    scores = np.concatenate(list(pairwise(vectors, vectors, similarity)))
    assert np.all(np.diag(scores) == 0)


def test_tiny_and_huge_rows_keep_their_direction():
    prepared = prepare(np.array([[1e-40, 0], [3e30, 4e30]], np.float32), "cosine")
    np.testing.assert_allclose(prepared.rows, [[1, 0], [0.6, 0.8]], rtol=1e-6)
    assert prepared.valid.all()


def test_integers_are_vectors_too():
    assert prepare(np.array([[3, 4]])).rows.tolist() == [[np.float32(0.6), np.float32(0.8)]]


def test_the_callers_sparse_matrix_stays_as_it_was():
    matrix = csr_array((np.array([0.0, 2.0]), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    prepare(matrix, "cosine")
    assert matrix.nnz == 2 and matrix.indices.tolist() == [1, 0]


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_a_number_is_an_error(similarity, form, bad):
    vectors = np.ones((3, 2))
    vectors[2, 1] = bad
    with pytest.raises(ParameterError, match="vector 2 has values that are NaN, infinite"):
        prepare(form(vectors), similarity)


def test_beyond_float32_is_an_error():
    with pytest.raises(ParameterError, match="beyond the range of float32"):
        prepare(np.array([[1e60, 1.0]]), "l1")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prepare(np.ones((2, 2)), "cosinus"), "Use one of cosine, euclidean, l1"),
        (lambda: prepare(np.ones(2)), "two axes"),
        (lambda: list(pairwise(np.ones((1, 2)), np.ones((1, 3)))), "2 dimensions and documents 3"),
    ],
)
def test_user_errors_say_what_to_do(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_no_rows_at_all():
    assert list(pairwise(np.ones((0, 3)), np.ones((2, 3)))) == []
    assert next(pairwise(np.ones((2, 3)), np.ones((0, 3)))).shape == (2, 0)
