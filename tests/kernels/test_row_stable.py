"""Dense products and solves against NumPy, and bit for bit in any batch."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.kernels.linalg import row_stable
from babelspace.runtime import threads

SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 33, 70]
TOLERANCE = {np.float32: 2e-4, np.float64: 1e-11}
both_precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["single", "double"])


def triangle(rng, size, dtype):
    return (np.triu(rng.standard_normal((size, size))) + 3 * np.sqrt(size + 1) * np.eye(size)).astype(dtype)


@both_precisions
@pytest.mark.parametrize("size", SIZES)
def test_solve_is_the_solution(size, dtype, rng):
    first, second = triangle(rng, size, dtype), triangle(rng, size, dtype)
    rows = rng.standard_normal((45, size)).astype(dtype)
    found = row_stable.solve(row_stable.pack_upper(first, dtype), row_stable.pack_upper(second, dtype), rows)
    assert found.dtype == dtype
    np.testing.assert_allclose((first.T @ second @ found.T).T, rows, atol=TOLERANCE[dtype] * 10)


@both_precisions
@pytest.mark.parametrize(("inner", "outer"), [(0, 3), (1, 1), (3, 5), (4, 4), (5, 9), (70, 34)])
def test_products_are_those_of_numpy(inner, outer, dtype, rng):
    rows, matrix = rng.standard_normal((45, inner)).astype(dtype), rng.standard_normal((inner, outer)).astype(dtype)
    np.testing.assert_allclose(row_stable.multiply(rows, matrix), rows @ matrix, atol=TOLERANCE[dtype])
    turned = np.ascontiguousarray(matrix.T)
    np.testing.assert_allclose(row_stable.multiply_transposed(rows, turned), rows @ matrix, atol=TOLERANCE[dtype])


@both_precisions
def test_a_row_is_rounded_the_same_in_every_batch_and_on_any_threads(dtype, rng):
    packed = row_stable.pack_upper(triangle(rng, 61, dtype), dtype)
    matrix, rows = rng.standard_normal((61, 61)).astype(dtype), rng.standard_normal((70, 61)).astype(dtype)
    works = (
        lambda part: row_stable.solve(packed, packed, part),
        lambda part: row_stable.multiply(part, matrix),
        lambda part: row_stable.multiply_transposed(part, matrix),
    )
    for work in works:
        whole = work(rows)
        for step in (1, 7, 32, 50):
            pieces = [work(rows[start : start + step]) for start in range(0, len(rows), step)]
            np.testing.assert_array_equal(np.vstack(pieces), whole)
        with threads.limit(1):
            np.testing.assert_array_equal(work(rows), whole)


def test_packing_keeps_the_upper_triangle_by_rows():
    matrix = np.arange(9.0).reshape(3, 3)
    assert row_stable.pack_upper(matrix, np.float64).tolist() == [0, 1, 2, 4, 5, 8]
    assert row_stable.pack_upper(matrix, np.float64, unit_diagonal=True).tolist() == [1, 1, 2, 1, 5, 1]
