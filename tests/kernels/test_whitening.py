"""Rows as operators and ridged covariances against dense NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from babelspace.errors import ParameterError
from babelspace.kernels.linalg.centred_rows import DenseRows, SparseRows, row_coordinates
from babelspace.kernels.linalg.whitening import RidgeCovariance, cholesky_in_place

TALL, WIDE = (90, 30), (30, 90)
KINDS = ["sparse", "sparse, mean", "sparse, mean and holes", "dense"]


def example(rng, shape, kind):
    """Rows and the dense matrix that they stand for."""
    X = sp.random_array(shape, density=0.3, rng=rng).toarray()
    if kind == "dense":
        return DenseRows(X), X
    if kind == "sparse":
        return SparseRows(X), X
    if kind == "sparse, mean":
        return SparseRows(X, X.mean(axis=0)), X - X.mean(axis=0)
    mask = rng.random(shape[0]) < 0.7
    mask[0] = True
    X[~mask] = 0
    mean = X[mask].mean(axis=0)
    return SparseRows(X, mean, mask), np.where(mask[:, None], X - mean, 0)


def assert_upper(found, expected, atol=2e-5):
    """A symmetric matrix may be given by its upper triangle alone."""
    np.testing.assert_allclose(np.triu(found), np.triu(expected), rtol=1e-4, atol=atol)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [TALL, WIDE, (1, 5), (5, 1)])
def test_rows_are_the_dense_ones(rng, shape, kind):
    rows, dense = example(rng, shape, kind)
    assert rows.shape == shape
    right, left = (rng.standard_normal((size, 7), dtype=np.float32) for size in (shape[1], shape[0]))
    np.testing.assert_allclose(rows.forward(right), dense @ right, atol=1e-5)
    np.testing.assert_allclose(rows.backward(left), dense.T @ left, atol=1e-5)
    assert_upper(rows.column_gram(0.7), 0.7 * dense.T @ dense)


def test_a_mean_that_is_not_that_of_the_rows_is_subtracted_all_the_same(rng):
    X, mean = rng.random(TALL), rng.random(TALL[1])
    assert_upper(SparseRows(X, mean).column_gram(1.0), (X - mean).T @ (X - mean), atol=1e-4)


def test_large_enough_to_be_worked_on_in_blocks(rng):
    rows, dense = example(rng, (300, 1100), "sparse, mean and holes")
    assert_upper(rows.column_gram(0.1), 0.1 * dense.T @ dense, atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [TALL, WIDE, (40, 40)])
def test_whitening_makes_the_covariance_the_identity(rng, shape, kind):
    rows, dense = example(rng, shape, kind)
    scale, ridge = 1 / shape[0], 0.05
    C = scale * dense.T @ dense + ridge * np.eye(shape[1])
    covariance = RidgeCovariance(rows, scale, ridge)
    left = covariance.unwhiten(np.eye(shape[1], dtype=np.float32))
    np.testing.assert_allclose(left.T @ C @ left, np.eye(shape[1]), atol=1e-4)
    np.testing.assert_allclose(covariance.whiten(np.eye(shape[1], dtype=np.float32)), left.T, atol=1e-4)
    block = rng.standard_normal((shape[1], 6), dtype=np.float32)
    expected = np.linalg.solve(C, block)
    np.testing.assert_allclose(
        covariance.unwhiten(covariance.whiten(block)), expected, atol=1e-4 * np.abs(expected).max()
    )


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_block_that_is_solved_for_is_left_alone(rng, order):
    rows, _ = example(rng, TALL, "sparse, mean")
    block = np.asarray(rng.standard_normal((TALL[1], 3), dtype=np.float32), order=order)
    before = block.copy()
    covariance = RidgeCovariance(rows, 1.0, 0.5)
    covariance.whiten(block)
    covariance.unwhiten(block)
    np.testing.assert_array_equal(block, before)


@pytest.mark.parametrize("shape", [(0, 5), (6, 5)])
def test_nothing_but_the_ridge(shape):
    covariance = RidgeCovariance(SparseRows(np.zeros(shape)), 1.0, 0.25)
    np.testing.assert_allclose(covariance.whiten(np.eye(5, dtype=np.float32)), 2 * np.eye(5))
    np.testing.assert_allclose(covariance.unwhiten(np.eye(5, dtype=np.float32)), 2 * np.eye(5))


@pytest.mark.parametrize("ridge", [0.0, -1.0, float("nan")])
def test_a_ridge_that_is_not_positive_is_told(ridge):
    with pytest.raises(ParameterError, match=rf"the ridge γ must be above 0, got {ridge}"):
        RidgeCovariance(SparseRows(np.eye(3)), 1.0, ridge)


@pytest.mark.parametrize("shape", [TALL, WIDE])
def test_a_covariance_that_is_not_positive_definite_is_told(rng, shape):
    rows, _ = example(rng, shape, "sparse")
    with pytest.raises(ParameterError, match=r"not positive definite in single precision: .* Use a larger γ"):
        RidgeCovariance(rows, -1.0, 1e-3)


def test_row_coordinates_keep_all_products_and_lead_back(rng):
    A = sp.csr_array(sp.random_array(WIDE, density=0.3, rng=rng))
    coordinates, back = row_coordinates(A)
    np.testing.assert_allclose(coordinates @ coordinates.T, (A @ A.T).toarray(), atol=1e-4)
    basis = back(np.eye(WIDE[0], dtype=np.float32))
    np.testing.assert_allclose(basis.T @ basis, np.eye(WIDE[0]), atol=1e-3)
    np.testing.assert_allclose(coordinates @ basis.T, A.toarray(), atol=1e-3)


def test_row_coordinates_of_rows_that_depend_on_others(rng):
    few = sp.random_array((5, 60), density=0.4, rng=rng).toarray()
    A = np.vstack([few, few, few.sum(axis=0), np.zeros(60)])
    coordinates, back = row_coordinates(A)
    np.testing.assert_allclose(coordinates @ coordinates.T, A @ A.T, atol=1e-3)
    assert np.isfinite(back(np.eye(12, dtype=np.float32))).all()


@pytest.mark.parametrize("size", [1, 7, 8, 30])
def test_tiles_give_the_factor_of_the_whole(rng, size):
    rows = rng.standard_normal((40, size)).astype(np.float32)
    matrix = rows.T @ rows / 40 + 0.1 * np.eye(size, dtype=np.float32)
    whole, tiles = (np.tril(cholesky_in_place(matrix.copy(), whole=limit, tile=8)) for limit in (100, 0))
    np.testing.assert_allclose(tiles, whole, atol=1e-5)
    np.testing.assert_allclose(tiles @ tiles.T, matrix, atol=1e-5)
    with pytest.raises(ParameterError, match="not positive definite"):
        cholesky_in_place(-matrix, whole=0, tile=8)
