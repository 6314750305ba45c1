"""Landmarks and their features against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.kernels.linalg.nystrom import complete_cholesky, greedy_landmarks, landmark_features

pytestmark = pytest.mark.family("kernel")


def kernel_of(rng, rows=60, columns=20):
    points = rng.standard_normal((rows, columns)) * 0.7 ** np.arange(columns)
    return points @ points.T


def literal_pivots(kernel, rank):
    """Incomplete Cholesky with the largest residual first, one pivot at a time."""
    residual, chosen = kernel.copy(), []
    for _ in range(rank):
        pivot = int(np.argmax(np.diag(residual)))
        chosen.append(pivot)
        residual = residual - np.outer(residual[:, pivot], residual[pivot]) / residual[pivot, pivot]
    return chosen


def explained(kernel, chosen):
    inner = np.linalg.pinv(kernel[np.ix_(chosen, chosen)])
    return np.trace(kernel[:, chosen] @ inner @ kernel[chosen]) / np.trace(kernel)


def test_one_candidate_at_a_time_is_plain_greedy(rng):
    kernel = kernel_of(rng)
    found = greedy_landmarks(lambda which: kernel[:, which], np.diag(kernel), 8, block=1)
    assert found.tolist() == literal_pivots(kernel, 8)


def test_blocks_are_nearly_as_good_as_plain_greedy(rng):
    kernel = kernel_of(rng, rows=300)
    found = greedy_landmarks(lambda which: kernel[:, which], np.diag(kernel), 12)
    assert len(set(found.tolist())) == 12
    assert explained(kernel, found) > explained(kernel, literal_pivots(kernel, 12)) - 0.03


@pytest.mark.parametrize("block", [1, 4, 64])
def test_stops_where_the_kernel_has_no_higher_rank(rng, block):
    kernel = kernel_of(rng, columns=5)
    kernel = kernel[np.ix_(np.r_[np.arange(60), np.arange(20)], np.r_[np.arange(60), np.arange(20)])]
    found = greedy_landmarks(lambda which: kernel[:, which], np.diag(kernel), 40, block=block)
    assert len(found) == 5
    assert explained(kernel, found) == pytest.approx(1, abs=1e-4)


def test_a_kernel_of_zeros_has_no_landmark():
    zero = np.zeros((4, 4))
    assert greedy_landmarks(lambda which: zero[:, which], np.diag(zero), 3).size == 0


def test_products_of_features_are_the_kernel(rng):
    kernel = kernel_of(rng)
    chosen = literal_pivots(kernel, 20)
    factor = complete_cholesky(kernel[np.ix_(chosen, chosen)].copy())
    features = landmark_features(lambda part: kernel[part][:, chosen].astype(np.float32), 60, factor, block=7)
    np.testing.assert_allclose(features @ features.T, kernel, atol=1e-4 * kernel.max())


def test_a_singular_matrix_is_factorised(rng):
    kernel = kernel_of(rng, columns=5)
    lower = complete_cholesky(kernel.copy())
    np.testing.assert_allclose(lower @ lower.T, kernel, atol=1e-6 * kernel.max())
    assert not np.triu(lower, 1).any()
