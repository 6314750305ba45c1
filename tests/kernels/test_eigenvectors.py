"""Leading eigenpairs against dense solvers, on spectra that are known."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.kernels.linalg.eigenvectors import fix_signs, leading_eigenpairs

# Below a few hundred a dense solver may be used, above it an iteration: both must give the same.
SMALL, LARGE = 60, 400
SIZES = [SMALL, LARGE]


def with_spectrum(rng, size, spectrum):
    """A symmetric matrix with these leading eigenvalues (the rest are zero) and its eigenvectors."""
    vectors = np.linalg.qr(rng.standard_normal((size, len(spectrum))))[0]
    return (vectors * spectrum) @ vectors.T, vectors


def positive_definite(rng, size):
    X = rng.standard_normal((size, size)) / np.sqrt(size)
    return X @ X.T + 0.2 * np.eye(size)


def solve(matrix, rank, rng, **settings):
    return leading_eigenpairs(lambda block: (matrix @ block).astype(np.float32), len(matrix), rank, rng, **settings)


def alignment(found, expected):
    """Smallest cosine between columns, signs aside."""
    unit = [vectors / np.linalg.norm(vectors, axis=0) for vectors in (found, expected)]
    return np.abs(np.sum(unit[0] * unit[1], axis=0)).min()


def captured(found, expected):
    """How much of the worst expected direction lies in the span of those found: 1 is all."""
    basis = np.linalg.qr(found)[0]
    return np.linalg.svd(basis.T @ expected, compute_uv=False).min()


@pytest.mark.parametrize("size", SIZES)
def test_well_separated_spectrum(rng, size):
    spectrum = 100 * 0.7 ** np.arange(20)
    matrix, expected = with_spectrum(rng, size, spectrum)
    values, vectors = solve(matrix, 8, rng)
    np.testing.assert_allclose(values, spectrum[:8], rtol=1e-3)
    assert vectors.shape == (size, 8)
    assert vectors.dtype == np.float32
    assert alignment(vectors, expected[:, :8]) > 0.999
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(8), atol=1e-4)


@pytest.mark.parametrize("size", SIZES)
def test_clustered_spectrum_gives_the_right_subspaces(rng, size):
    spectrum = np.repeat([9.0, 5.0, 1.0], [4, 3, 12])
    matrix, expected = with_spectrum(rng, size, spectrum)
    values, vectors = solve(matrix, 7, rng)
    np.testing.assert_allclose(values, spectrum[:7], rtol=1e-3)
    assert captured(vectors[:, :4], expected[:, :4]) > 0.999
    assert captured(vectors[:, 4:], expected[:, 4:7]) > 0.999


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3])
@pytest.mark.parametrize("rank", [1, 8, 10, 15, 33])
@pytest.mark.parametrize("size", SIZES)
def test_residuals_are_below_the_tolerance_where_the_spectrum_falls_slowly(rng, size, rank, tolerance):
    spectrum = 1 / (1 + 0.02 * np.arange(size))
    matrix, _ = with_spectrum(rng, size, spectrum)
    values, vectors = solve(matrix, rank, rng, tolerance=tolerance)
    # A few digits are lost to single precision on the way.
    residuals = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    assert (residuals / values).max() <= 1.5 * tolerance
    np.testing.assert_allclose(values, spectrum[:rank], rtol=1e-3)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rank", [10, 40])
def test_more_wanted_than_the_matrix_has(rng, size, rank):
    spectrum = np.array([8.0, 4.0, 2.0, 1.0, 0.5])
    matrix, expected = with_spectrum(rng, size, spectrum)
    values, vectors = solve(matrix, rank, rng)
    assert vectors.shape == (size, len(values))
    assert 5 <= len(values) <= rank
    np.testing.assert_allclose(values[:5], spectrum, rtol=1e-3)
    np.testing.assert_allclose(values[5:], 0, atol=1e-3)
    assert alignment(vectors[:, :5], expected) > 0.999
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-3)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_rank_beyond_the_size_gives_all(rng, size):
    matrix = positive_definite(rng, size)
    values, vectors = solve(matrix, 9, rng)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[::-1], rtol=1e-5)
    assert vectors.shape == (size, size)


@pytest.mark.parametrize("size", SIZES)
def test_the_zero_matrix(rng, size):
    values, vectors = solve(np.zeros((size, size)), 5, rng)
    np.testing.assert_allclose(values, 0, atol=1e-6)
    assert np.isfinite(vectors).all()


@pytest.mark.parametrize("size", SIZES)
def test_the_same_seed_gives_the_same_vectors(rng, size, global_random_seed):
    matrix = positive_definite(rng, size)
    first, second = (solve(matrix, 6, np.random.default_rng(global_random_seed)) for _ in range(2))
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


@pytest.mark.parametrize("size", SIZES)
def test_values_fall_and_the_largest_loading_is_positive(rng, size):
    values, vectors = solve(positive_definite(rng, size), 12, rng)
    assert (np.diff(values) <= 1e-6).all()
    peaks = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    assert (peaks > 0).all()


def test_negative_eigenvalues_of_large_size_are_not_the_leading_ones(rng):
    matrix, expected = with_spectrum(rng, LARGE, np.array([-50.0, -20.0, 3.0, 2.0, 1.0]))
    values, vectors = solve(matrix, 2, rng)
    np.testing.assert_allclose(values, [3, 2], rtol=1e-2)
    assert alignment(vectors, expected[:, 2:4]) > 0.99


def test_fix_signs():
    vectors = np.array([[1, -1, 0], [-2, 0.5, 0], [0, 0.9, 0]], np.float32)
    np.testing.assert_allclose(fix_signs(vectors), [[-1, 1, 0], [2, -0.5, 0], [0, -0.9, 0]])
