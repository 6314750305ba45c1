"""CCA against cca_zoo and against scipy on the printed block matrices."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from babelspace.features import Views
from babelspace.spaces import CCA
from tests.oracles.spaces import (
    assert_same_directions,
    assert_same_up_to_sign,
    cca_blocks,
    documents,
    leading,
    mean_of,
    random_views,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from cca_zoo.linear import MCCA, RidgeCCA

PRIMAL, DUAL = (120, 10), (14, 25)
shapes = pytest.mark.parametrize("shape", [PRIMAL, DUAL], ids=["primal", "dual"])
cases = pytest.mark.parametrize("holes", [False, True], ids=["whole", "holes"])


def stacked(space):
    return np.vstack([space.weights_[name] for name in space.languages_]).astype(np.float64)


def shrinkage(gamma, rows):
    """cca_zoo's c of (1 - c) C + c I with C over n - 1 rows, in the same proportion as our C + γ I over n rows."""
    ratio = gamma * rows / (rows - 1)
    return ratio / (1 + ratio)


@cases
@shapes
@pytest.mark.parametrize("languages", [2, 3])
@pytest.mark.parametrize("gamma", [0.3, 3.0])
@pytest.mark.parametrize(("block_terms", "accuracy"), [(30_000, 1), (1, 4)], ids=["factorised", "implicit"])
def test_the_printed_block_matrices(rng, shape, gamma, languages, holes, block_terms, accuracy):
    views = random_views(rng, *shape, languages, holes)
    S, N = cca_blocks(views, gamma)
    expected_values, expected = leading(S, N, 4)
    space = CCA(4, gamma=gamma, random_state=0, block_terms=block_terms).fit(views)
    np.testing.assert_allclose(space.values_, expected_values, rtol=accuracy * 2e-3)
    V = stacked(space)
    lengths = np.einsum("ij,ij->j", V, N @ V)
    np.testing.assert_allclose(V.T @ N @ V, np.diag(lengths), atol=accuracy * 3e-3 * lengths.max())
    np.testing.assert_allclose(V.T @ S @ V, np.diag(expected_values * lengths), atol=accuracy * 3e-3 * lengths.max())
    assert_same_directions(V, expected, atol=accuracy * 0.01)


@shapes
def test_two_languages_are_cca_zoos_ridge_cca(rng, shape):
    views = random_views(rng, *shape)
    expected = RidgeCCA(4, shrinkage=shrinkage(0.5, shape[0])).fit([views[name].toarray() for name in views.languages])
    space = CCA(4, gamma=0.5).fit(views)
    for name, weights in zip(views.languages, expected.weights_, strict=True):
        assert_same_directions(space.weights_[name], weights, atol=0.01)
    # A dimension may change its sign, but in both languages at once.
    assert_same_directions(stacked(space), np.vstack(expected.weights_), atol=0.01)


@shapes
def test_three_languages_are_cca_zoos_multiset_cca(rng, shape):
    views = random_views(rng, *shape, languages=3)
    matrices = [views[name].toarray().astype(np.float64) for name in views.languages]
    expected = MCCA(4, shrinkage=shrinkage(0.5, shape[0]), pca=False).fit(matrices)
    assert_same_directions(stacked(CCA(4, gamma=0.5).fit(views)), np.vstack(expected.weights_), atol=0.01)


@cases
def test_both_languages_have_the_same_length(rng, holes):
    views = random_views(rng, *PRIMAL, holes=holes)
    space = CCA(4, gamma=0.5).fit(views)
    _, N = cca_blocks(views, 0.5)
    width = PRIMAL[1]
    for number, name in enumerate(views.languages):
        V = space.weights_[name].astype(np.float64)
        block = N[number * width : (number + 1) * width, number * width : (number + 1) * width]
        np.testing.assert_allclose(V.T @ block @ V, np.eye(4) / 2, atol=5e-3)


@shapes
def test_repeated_and_empty_documents(rng, shape):
    matrices = {name: matrix.toarray() for name, matrix in random_views(rng, *shape).items()}
    for matrix in matrices.values():
        matrix[1] = matrix[0]
    matrices["l0"][3] = 0
    views = Views(matrices)
    expected_values, expected = leading(*cca_blocks(views, 0.3), 4)
    space = CCA(4, gamma=0.3).fit(views)
    np.testing.assert_allclose(space.values_, expected_values, rtol=2e-3)
    assert_same_directions(stacked(space), expected, atol=0.01)


def test_without_ridge_to_speak_of_the_values_are_correlations(rng):
    views = random_views(rng, *PRIMAL)
    space = CCA(4, gamma=1e-4).fit(views)
    vectors = space.transform(views)
    found = [np.corrcoef(vectors["l0"][:, k], vectors["l1"][:, k])[0, 1] for k in range(4)]
    np.testing.assert_allclose(found, space.values_, atol=5e-3)


@pytest.mark.parametrize("block_terms", [30_000, 1], ids=["factorised", "implicit"])
def test_the_printed_formula_where_the_eigenvectors_are_iterated(separated_views, block_terms):
    space = CCA(6, gamma=0.5, tol=1e-2, block_terms=block_terms).fit(separated_views)
    n, width = separated_views.shape
    X, Y = (matrix.toarray().astype(np.float64) for _, matrix in separated_views.items())
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    roots = [np.linalg.cholesky(Z.T @ Z / n + 0.5 * np.eye(width)) for Z in (X, Y)]
    whitened = np.linalg.solve(roots[0], np.linalg.solve(roots[1], Y.T @ X / n).T)
    np.testing.assert_allclose(space.values_, np.linalg.svd(whitened, compute_uv=False)[:6], rtol=2e-3)


@cases
def test_centring_subtracts_each_languages_mean(rng, holes):
    views = random_views(rng, *PRIMAL, holes=holes)
    centred, plain = CCA(4, center=True).fit(views), CCA(4, center=False).fit(views)
    for name, rows in documents(views).items():
        x = np.array(list(rows.values()))
        np.testing.assert_allclose(plain.transform(x, name), x @ plain.weights_[name], atol=1e-4)
        expected = (x - mean_of(rows)) @ centred.weights_[name]
        np.testing.assert_allclose(centred.transform(x, name), expected, atol=1e-4)


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_power_scales_each_dimension_by_its_correlation(rng, power):
    views = random_views(rng, *PRIMAL)
    plain, scaled = CCA(4).fit(views), CCA(4, power=power).fit(views)
    np.testing.assert_allclose(scaled.values_, plain.values_)
    for name in views.languages:
        np.testing.assert_allclose(scaled.weights_[name], plain.weights_[name] * plain.values_**power, rtol=1e-4)


def test_a_shared_spelling_gives_no_information(rng):
    """The same documents with slots of their own give the same space."""
    views = random_views(rng, *PRIMAL)
    apart = Views.separate(dict(views.items()))
    shared, separate = CCA(4).fit(views), CCA(4).fit(apart)
    np.testing.assert_allclose(shared.values_, separate.values_, rtol=1e-4)
    assert_same_up_to_sign(stacked(separate), stacked(shared), rtol=0.01)


def test_words_of_one_language_are_ignored_in_the_other(rng):
    views = Views.separate({"en": rng.random((30, 5)), "es": rng.random((30, 6))})
    space = CCA(3).fit(views)
    assert not space.transform(views["es"], "en").any()
