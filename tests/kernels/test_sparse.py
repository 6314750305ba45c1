"""Products of sparse matrices against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from babelspace.kernels.linalg import sparse, sparse_loops
from babelspace.kernels.linalg.sparse import compact, gram, multiply, multiply_few
from babelspace.runtime import threads

# Small whole numbers: sums of them are exact in float32, so results must be equal, not close.
values = st.sampled_from([0, 0, 0, 1, 2, -3])
matrices = hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=9), elements=values)


@given(matrices, st.integers(0, 4), st.data())
def test_multiply(dense, width, data):
    block = data.draw(hnp.arrays(np.float32, (dense.shape[1], width), elements=values))
    result = multiply(compact(dense), block)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, dense @ block)


@given(matrices)
def test_multiply_takes_any_memory_layout_and_precision(dense):
    block = np.asfortranarray(np.arange(dense.shape[1] * 6, dtype=np.float64).reshape(-1, 6))[:, ::2]
    np.testing.assert_array_equal(multiply(compact(dense), block), dense @ block)


@given(matrices, st.sampled_from([1.0, 0.5, -2.0]), st.sampled_from([np.float32, np.float64]))
def test_gram(dense, scale, dtype):
    result = gram(compact(dense), scale, dtype=dtype)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, scale * dense.T @ dense)


@given(matrices)
def test_gram_by_its_upper_triangle(dense):
    np.testing.assert_array_equal(gram(compact(dense), mirror=False), np.triu(dense.T @ dense))


@given(matrices)
def test_gram_of_the_transpose_is_the_row_gram(dense):
    np.testing.assert_array_equal(gram(compact(compact(dense).T)), dense @ dense.T)


@pytest.mark.parametrize("shape", [(40, 333), (333, 40), (150, 150), (1, 70), (70, 1)])
@pytest.mark.parametrize("density", [0.02, 0.3, 1.0])
def test_larger_matrices_of_every_shape(rng, shape, density):
    matrix = compact(sp.random_array(shape, density=density, rng=rng))
    block = rng.standard_normal((shape[1], 33), dtype=np.float32)
    np.testing.assert_allclose(multiply(matrix, block), matrix @ block, atol=1e-4)
    np.testing.assert_allclose(gram(matrix), (matrix.T @ matrix).toarray(), rtol=1e-5, atol=1e-5)


def test_results_do_not_depend_on_threads_or_batches(rng):
    matrix = compact(sp.random_array((301, 257), density=0.2, rng=rng))
    block = rng.standard_normal((257, 19), dtype=np.float32)
    with threads.limit(1):
        one = multiply(matrix, block), gram(matrix, 0.3)
    with threads.limit(2):
        two = multiply(matrix, block), gram(matrix, 0.3)
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])
    batches = np.vstack([multiply(matrix[start : start + 50], block) for start in range(0, 301, 50)])
    np.testing.assert_array_equal(one[0], batches)


def test_small_products_take_one_thread_and_give_the_same_bits(rng, monkeypatch):
    matrix = sp.random_array((40, 60), density=0.2, format="csr", dtype=np.float32, rng=rng)
    block = rng.standard_normal((60, 30), np.float32)
    started = []
    monkeypatch.setattr(sparse_loops.multiply, "threaded", lambda *_: started.append(1))
    alone = multiply(matrix, block)
    assert not started
    monkeypatch.undo()
    monkeypatch.setattr(sparse, "ONE_THREAD", 0)
    assert np.array_equal(alone, multiply(matrix, block))


def test_long_sums_keep_their_digits(rng):
    column = sp.csr_array(np.full((200_000, 1), 0.1, np.float32))
    assert gram(column)[0, 0] == pytest.approx(2000, rel=1e-6)


def untidy():
    """[[1, 0, 5], [0, 0, 0]] with unsorted columns, a repeated entry and a stored zero."""
    data, indices = np.array([2.0, 1.0, 0.0, 3.0]), np.array([2, 0, 1, 2])
    return sp.csr_array((data, indices, np.array([0, 4, 4])), shape=(2, 3))


def test_compact_tidies_up_and_leaves_its_input_alone():
    matrix = untidy()
    result = compact(matrix)
    assert result.dtype == np.float32
    assert result.has_sorted_indices
    assert result.indices.tolist() == [0, 2]
    assert result.data.tolist() == [1, 5]
    assert matrix.data.tolist() == [2, 1, 0, 3]
    assert matrix.indices.tolist() == [2, 0, 1, 2]


@pytest.mark.parametrize("kind", [np.asarray, sp.csc_array, sp.coo_array, sp.csr_matrix])
def test_compact_takes_every_kind_of_matrix(kind):
    result = compact(kind(np.array([[0, 1], [2, 0]])))
    assert isinstance(result, sp.csr_array)
    np.testing.assert_array_equal(result.toarray(), [[0, 1], [2, 0]])


def test_compact_copies_nothing_that_is_compact_already():
    matrix = compact(np.eye(3))
    assert np.shares_memory(compact(matrix).data, matrix.data)


def test_unsorted_columns_give_the_same_gram():
    matrix = sp.csr_array((np.array([1, 2, 3], np.float32), np.array([2, 0, 1]), np.array([0, 3])), shape=(1, 3))
    np.testing.assert_array_equal(gram(matrix), [[4, 6, 2], [6, 9, 3], [2, 3, 1]])


def test_few_rows_without_the_compiler_are_the_same_bits():
    rng = np.random.default_rng(5)
    dense = rng.standard_normal((7, 40)).astype(np.float32) * (rng.random((7, 40)) < 0.4)
    block = rng.standard_normal((40, 33)).astype(np.float32)
    rows = compact(dense)
    np.testing.assert_array_equal(multiply_few(rows, block), multiply(rows, block))
