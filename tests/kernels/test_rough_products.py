"""Products of bfloat16 against the same made with NumPy, and the bound of their error against true ones."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.kernels.topk import rough_products

needs_processor = pytest.mark.skipif(not rough_products.available(), reason="no bfloat16 on this processor")


def halved(rows):
    """The nearest float32 whose lower half is zero, to even among two."""
    bits = rows.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32).astype(np.float64)


def unit(rng, rows, columns):
    made = rng.standard_normal((rows, columns)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def test_what_a_row_loses(rng):
    rows = unit(rng, 9, 7)
    rows[0] = 0
    rows[1] = np.float32(1 + 2**-8)  # in the middle between two: to the even one
    expected = np.linalg.norm(rows - halved(rows), axis=1)
    np.testing.assert_allclose(rough_products.rounding_errors(rows), expected, rtol=1e-12)


@needs_processor
@pytest.mark.parametrize(("left", "right", "columns"), [(24, 64, 8), (13, 33, 7), (1, 1, 1), (11, 5, 40)])
def test_products(rng, left, right, columns):
    one, other = unit(rng, left, columns), unit(rng, right, columns)
    packed = rough_products.pack(one, rough_products.ROWS), rough_products.pack(other, rough_products.COLUMNS)
    out = np.full(rough_products.room(left, right), np.nan, np.float32)
    rough_products.multiply(*packed, out)
    np.testing.assert_allclose(out[:left, :right], halved(one) @ halved(other).T, rtol=0, atol=1e-6)
    assert not out[left:].any() and not out[:, right:].any()


@needs_processor
def test_the_error_is_bounded(rng):
    """Also where it is as large as it can be: all of one sign, each a hair below the middle between two."""
    worst = np.full((3, 64), np.float32(1 + 2**-8 - 2**-20))
    worst /= np.float32(8)
    for rows in (worst, unit(rng, 50, 64)):
        out = np.empty(rough_products.room(len(rows), len(rows)), np.float32)
        packed = rough_products.pack(rows, rough_products.ROWS), rough_products.pack(rows, rough_products.COLUMNS)
        rough_products.multiply(*packed, out)
        off = np.abs(out[: len(rows), : len(rows)] - rows.astype(np.float64) @ rows.T.astype(np.float64))
        errors = rough_products.rounding_errors(rows)
        assert (off <= rough_products.largest_error(errors, errors.max(), 64)[:, None]).all()
