"""CL-LSI is the truncated SVD of the summed (or joined) documents."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD

from babelspace.features import Views
from babelspace.spaces import CLLSI
from babelspace.spaces.linear.cl_lsi import truncated_svd
from tests.oracles.spaces import assert_same_up_to_sign, random_views

SHAPES = [(80, 30), (30, 80), (500, 330), (330, 500)]


def reference(matrix, rank, seed):
    return TruncatedSVD(rank, algorithm="arpack", tol=1e-10, random_state=seed).fit(matrix.astype(np.float64))


def graded(rng, shape, rank=12):
    """A matrix with singular values 50, 40, 32, … and some noise."""
    left, right = (np.linalg.qr(rng.standard_normal((size, rank)))[0] for size in shape)
    return (left * (50 * 0.8 ** np.arange(rank))) @ right.T + 0.01 * rng.standard_normal(shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_shared_slots_are_the_svd_of_the_sum(rng, shape, global_random_seed):
    whole = graded(rng, shape)
    part = rng.standard_normal(shape)
    space = CLLSI(6, random_state=global_random_seed).fit({"en": part, "es": whole - part})
    expected = reference(whole, 6, global_random_seed)
    np.testing.assert_allclose(space.values_, expected.singular_values_, rtol=1e-3)
    assert_same_up_to_sign(space.weights_["en"], expected.components_.T, rtol=0.01)
    new = rng.standard_normal((5, shape[1]))
    for language in ("en", "es"):
        assert_same_up_to_sign(space.transform(new, language), expected.transform(new), rtol=0.01)


@pytest.mark.parametrize("shape", SHAPES)
def test_separate_slots_are_the_svd_of_the_joined_documents(rng, shape, global_random_seed):
    whole = graded(rng, shape)
    cut = shape[1] // 3
    views = Views.separate({"en": whole[:, :cut], "es": whole[:, cut:]})
    space = CLLSI(6, random_state=global_random_seed).fit(views)
    expected = reference(np.hstack([whole[:, :cut], whole[:, cut:]]), 6, global_random_seed)
    np.testing.assert_allclose(space.values_, expected.singular_values_, rtol=1e-3)
    assert_same_up_to_sign(space.weights_["es"], expected.components_.T, rtol=0.01)
    # A new document is folded in with the other language left empty.
    new = np.zeros((5, shape[1]))
    new[:, :cut] = rng.standard_normal((5, cut))
    assert_same_up_to_sign(space.transform(new, "en"), expected.transform(new), rtol=0.01)


def test_rows_with_a_language_missing_take_part_with_what_they_have(rng, global_random_seed):
    views = random_views(rng, 60, 15, languages=3, holes=True)
    total = sum(matrix.toarray() for _, matrix in views.items())
    expected = reference(total, 5, global_random_seed)
    space = CLLSI(5).fit(views)
    np.testing.assert_allclose(space.values_, expected.singular_values_, rtol=1e-4)
    assert_same_up_to_sign(space.weights_["l0"], expected.components_.T)


@pytest.mark.parametrize("shape", [(60, 20), (20, 60), (400, 300)])
def test_truncated_svd_of_a_sparse_matrix(rng, shape):
    matrix = sp.csr_array(sp.random_array(shape, density=0.2, rng=rng), dtype=np.float32)
    values, vectors = truncated_svd(matrix, 5, rng, tolerance=1e-3)
    expected = np.linalg.svd(matrix.toarray().astype(np.float64), compute_uv=False)[:5]
    np.testing.assert_allclose(values, expected, rtol=1e-3)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-2)
    np.testing.assert_allclose(np.linalg.norm(matrix @ vectors, axis=0), values, rtol=1e-3)


@pytest.mark.parametrize("shape", [(40, 12), (12, 40)])
def test_fewer_dimensions_in_the_data_than_asked(rng, shape):
    matrix = sp.csr_array(np.outer(rng.random(shape[0]), rng.random(shape[1])), dtype=np.float32)
    values, vectors = truncated_svd(matrix, 4, rng)
    assert np.isfinite(vectors).all()
    assert values[0] == pytest.approx(np.linalg.norm(matrix.toarray()), rel=1e-4)
    np.testing.assert_allclose(values[1:], 0, atol=1e-2 * values[0])


@pytest.mark.parametrize("power", [-1.0, 0.5])
def test_power_weighs_each_dimension_by_its_singular_value(rng, power, global_random_seed):
    whole = graded(rng, (80, 30))
    part = rng.standard_normal((80, 30))
    views = {"en": part, "es": whole - part}
    plain = CLLSI(6, random_state=global_random_seed).fit(views)
    weighed = CLLSI(6, random_state=global_random_seed, power=power).fit(views)
    np.testing.assert_allclose(weighed.values_, plain.values_)
    np.testing.assert_allclose(weighed.weights_["en"], plain.weights_["en"] * plain.values_**power, rtol=1e-5)


def test_whitened_training_rows_are_orthonormal(rng):
    whole = graded(rng, (80, 30))
    space = CLLSI(6, tol=1e-6, power=-1).fit({"en": whole, "es": np.zeros_like(whole)})
    vectors = space.transform(whole, "en")
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-3)
