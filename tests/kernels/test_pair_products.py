from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, random_array

from babelspace.kernels.topk.both_directions import empty_lists, keep_best
from babelspace.kernels.topk.pair_products import dense_pairs, sparse_pairs


def test_products_of_listed_pairs(rng):
    left, right = (csr_array(random_array((20, 40), density=0.2, rng=rng)).astype(np.float32) for _ in range(2))
    rows, columns = rng.integers(20, size=(2, 50))
    full = left.toarray() @ right.toarray().T
    np.testing.assert_allclose(sparse_pairs(left, right, rows, columns), full[rows, columns], rtol=1e-5, atol=1e-6)
    dense = dense_pairs(left.toarray(), right.toarray(), rows, columns)
    np.testing.assert_allclose(dense, full[rows, columns], rtol=1e-5, atol=1e-6)


def test_both_lists_hold_the_best(rng):
    scores = np.round(rng.random((70, 300)), 2).astype(np.float32)  # with ties
    rows, columns = empty_lists(70, 5), empty_lists(300, 5)
    for start in range(0, 70, 30):
        part = np.arange(start, min(start + 30, 70))
        keep_best(scores[part], part, np.arange(300), rows, columns)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :5]
    np.testing.assert_array_equal(rows[1], order)
    np.testing.assert_array_equal(columns[1], np.argsort(-scores.T, axis=1, kind="stable")[:, :5])
    np.testing.assert_array_equal(rows[0], np.take_along_axis(scores, order, axis=1))
