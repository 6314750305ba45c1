"""Inverses and pseudo-inverses against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from babelspace.kernels.linalg.pseudo_inverse import (
    Factors,
    Spectrum,
    gram_inverse,
    leading_spectrum,
    restore,
    square_inverse,
)
from babelspace.runtime.checked_arrays import CheckedArrays


def sparse_rows(rng, rows, columns):
    return sp.random_array((rows, columns), density=0.3, format="csr", dtype=np.float32, rng=rng)


def explicit(inverse, size):
    return inverse.apply(np.eye(size)).T


@pytest.mark.parametrize("ridge", [0.0, 1e-6, 0.5])
def test_gram_inverse_of_independent_rows(ridge, rng):
    rows = sparse_rows(rng, 20, 60)
    dense = rows.toarray().astype(float)
    found = gram_inverse(rows, ridge)
    assert isinstance(found, Factors)
    assert found.dropped == 0
    expected = np.linalg.inv(dense @ dense.T + ridge * np.eye(20))
    np.testing.assert_allclose(explicit(found, 20), expected, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["duplicates", "more rows than columns", "nearly nothing"])
def test_gram_inverse_of_dependent_rows_is_the_pseudo_inverse(kind, rng):
    rows = {
        "duplicates": lambda: sp.vstack([sparse_rows(rng, 15, 60)] * 2, format="csr"),
        "more rows than columns": lambda: sparse_rows(rng, 40, 12),
        "nearly nothing": lambda: sp.csr_array(np.eye(30, 1, dtype=np.float32) + 1),
    }[kind]()
    dense = rows.toarray().astype(float)
    found = gram_inverse(rows, 0.0)
    assert isinstance(found, Spectrum)
    assert found.dropped == len(dense) - np.linalg.matrix_rank(dense)
    expected = np.linalg.pinv(dense @ dense.T, rcond=1e-11, hermitian=True)
    np.testing.assert_allclose(explicit(found, len(dense)), expected, atol=1e-5 * np.abs(expected).max())


def test_a_ridge_makes_dependent_rows_regular(rng):
    rows = sp.vstack([sparse_rows(rng, 15, 60)] * 2, format="csr")
    dense = rows.toarray().astype(float)
    found = gram_inverse(rows, 0.1)
    assert isinstance(found, Factors)
    np.testing.assert_allclose(explicit(found, 30), np.linalg.inv(dense @ dense.T + 0.1 * np.eye(30)), atol=2e-3)


def test_the_precision_follows_the_condition(rng):
    rows = sparse_rows(rng, 20, 60)
    near = sp.vstack([rows, rows + np.float32(1e-4) * sparse_rows(rng, 20, 60)], format="csr")
    dense = near.toarray().astype(float)
    found = gram_inverse(near, 0.0)
    assert isinstance(found, Factors)
    assert found.dtype == np.float64
    # What single precision could not do: the condition number is above 1e9.
    np.testing.assert_allclose(found.apply(dense @ dense.T), np.eye(40), atol=1e-4)
    assert gram_inverse(near, 1.0).dtype == np.float32


def test_square_inverse_of_a_matrix_that_needs_pivots(rng):
    matrix = rng.standard_normal((25, 25))
    matrix[0, 0] = 0
    found = square_inverse(matrix.copy())
    assert isinstance(found, Factors)
    np.testing.assert_allclose(explicit(found, 25), np.linalg.inv(matrix), rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("exact", [True, False], ids=["zero pivot", "rounded"])
def test_square_inverse_of_a_singular_matrix_is_the_pseudo_inverse(exact, rng):
    matrix = np.diag([3.0, 2.0, 1.0, 0.0]) if exact else rng.standard_normal((20, 8)) @ rng.standard_normal((8, 20))
    found = square_inverse(matrix.copy())
    assert isinstance(found, Spectrum)
    assert found.dropped == (1 if exact else 12)
    expected = np.linalg.pinv(matrix)
    np.testing.assert_allclose(explicit(found, len(matrix)), expected, atol=1e-4 * np.abs(expected).max())


def test_leading_spectrum_is_cut_where_asked(rng):
    dense = rng.standard_normal((30, 50))
    products = dense @ dense.T
    found = leading_spectrum(np.triu(products), rank=5, ridge=2.0)
    values, vectors = np.linalg.eigh(products)
    np.testing.assert_allclose(found.values, values[::-1][:5] + 2)
    expected = vectors[:, -5:] / (values[-5:] + 2) @ vectors[:, -5:].T
    np.testing.assert_allclose(explicit(found, 30), expected, atol=1e-6)


@pytest.mark.parametrize("ridge", [0.0, 1.0], ids=["spectrum", "factors"])
def test_inverses_come_back_from_their_arrays(ridge, rng):
    found = gram_inverse(sp.vstack([sparse_rows(rng, 15, 60)] * 2, format="csr"), ridge)
    again = restore(CheckedArrays(found.arrays(), documents=30))
    rows = rng.standard_normal((3, 30))
    np.testing.assert_array_equal(again.apply(rows), found.apply(rows))
    matrix = square_inverse(rng.standard_normal((6, 6)))
    np.testing.assert_array_equal(
        restore(CheckedArrays(matrix.arrays(), documents=6)).apply(rows[:, :6]), matrix.apply(rows[:, :6])
    )
