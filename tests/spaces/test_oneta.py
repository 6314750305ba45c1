"""ONETA against its formula, its limits, and NumPy's pseudo-inverse."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.kernels.linalg.pseudo_inverse import Factors, Spectrum
from babelspace.spaces import CLESA, ONETA
from tests.oracles.spaces import cosines


def sparse_views(rng, rows=40, columns=90, languages=("en", "es"), density=0.3):
    """Documents of unit length with few words each."""
    matrices = {}
    for name in languages:
        matrix = rng.random((rows, columns)) * (rng.random((rows, columns)) < density)
        matrix[:, 0] += 0.1  # no document is empty
        matrices[name] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return Views(matrices)


def literal(background, x, ridge=0.0):
    """(XᵀX + ρ s I)⁺ Xᵀ x, dense, in double precision; X has the documents in its columns."""
    X = background.astype(float).T
    used = np.linalg.norm(X, axis=0) > 0
    scale = np.sum(X**2) / used.sum()
    # On the non-empty documents; NumPy's cut-off at 1e-10 is far between rounding and the smallest true eigenvalue.
    inverse = np.linalg.pinv(X.T @ X + ridge * scale * np.diag(used), rcond=1e-10, hermitian=True)
    return (inverse @ X.T @ x.astype(float).T).T


def assert_literal(space, views, ridge=0.0):
    vectors = space.transform(views)
    for name, matrix in views.items():
        expected = literal(matrix.toarray(), matrix.toarray(), ridge)
        np.testing.assert_allclose(vectors[name], expected, atol=1e-4)


def test_each_background_document_becomes_its_own_unit_vector(rng):
    views = sparse_views(rng, languages=("en", "es", "de"))
    for vectors in ONETA(ridge=0).fit(views).transform(views).values():
        np.testing.assert_allclose(vectors, np.eye(len(views)), atol=1e-5)


def test_unit_vectors_even_where_documents_are_almost_the_same(rng):
    views = sparse_views(rng, rows=20)
    near = {
        name: np.vstack([matrix.toarray(), matrix.toarray() + 1e-3 * rng.random(matrix.shape)])
        for name, matrix in views.items()
    }
    space = ONETA(ridge=0).fit(near)
    assert space.inverses_["en"].dtype == np.float64
    for vectors in space.transform(near).values():
        np.testing.assert_allclose(vectors, np.eye(40), atol=1e-4)


def test_bm25_sends_each_background_document_to_its_own_unit_vector(rng):
    counts = {name: rng.poisson(0.6, (40, 90)) for name in ("en", "es")}
    space = ONETA(ridge=0, association="bm25").fit(counts)
    assert isinstance(space.inverses_["en"], Factors)
    for vectors in space.transform(counts).values():
        np.testing.assert_allclose(vectors, np.eye(40), atol=1e-4)


@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_bm25_replaces_the_gram_matrix_by_the_associations_of_the_background(ridge, rng):
    counts = {name: rng.poisson(0.6, (30, 20 if ridge == 0 else 60)) for name in ("en", "es")}
    new = rng.poisson(0.6, (5, counts["en"].shape[1]))
    esa = CLESA("bm25").fit(counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # more documents than words without a ridge
        space = ONETA(ridge, "bm25").fit(counts)
    for name, background in counts.items():
        K = esa.transform(background, name).toarray().astype(float).T
        assert not np.allclose(K, K.T)
        M = K + ridge * np.trace(K) / len(K) * np.eye(len(K))
        expected = (np.linalg.pinv(M, rcond=1e-6) @ esa.transform(new, name).toarray().T).T
        np.testing.assert_allclose(space.transform(new, name), expected, atol=2e-3 * np.abs(expected).max())


@pytest.mark.parametrize("ridge", [0.001, 0.1, 1.0, 30.0])
def test_with_a_ridge_it_is_the_formula(ridge, rng):
    views = sparse_views(rng, rows=60, columns=50)
    assert_literal(ONETA(ridge).fit(views), views, ridge)


def test_the_ridge_does_not_depend_on_the_scale_of_the_vectors(rng):
    views = sparse_views(rng)
    scaled = {name: 7 * matrix for name, matrix in views.items()}
    np.testing.assert_allclose(
        ONETA(0.3).fit(views).transform(views)["es"], ONETA(0.3).fit(scaled).transform(scaled)["es"], atol=1e-5
    )


def test_a_huge_ridge_gives_explicit_semantic_analysis(rng):
    views = sparse_views(rng)
    np.testing.assert_allclose(
        cosines(ONETA(1e7).fit(views).transform(views)), cosines(CLESA().fit(views).transform(views)), atol=1e-5
    )


def test_duplicates_share_the_weight_of_their_unit_vector(rng):
    views = sparse_views(rng, rows=20)
    rows = np.arange(23) % 20
    with pytest.warns(UserWarning, match=r"documents of (en|es) depend on each other: .* 3 directions are dropped"):
        space = ONETA(ridge=0).fit(views[rows])
    assert isinstance(space.inverses_["en"], Spectrum)
    vectors = space.transform(views)["en"]
    np.testing.assert_allclose(vectors[0, [0, 20]], 0.5, atol=1e-4)
    np.testing.assert_allclose(vectors[10], np.eye(23)[10], atol=1e-4)
    assert_literal(space, views[rows])


def test_more_documents_than_words_is_the_pseudo_inverse(rng):
    views = sparse_views(rng, rows=50, columns=20)
    with pytest.warns(UserWarning, match="30 directions are dropped. A ridge above 0 keeps all"):
        space = ONETA(ridge=0).fit(views)
    assert_literal(space, views)


def test_empty_documents_and_holes_are_zero_coordinates_without_a_warning(rng):
    whole = sparse_views(rng, rows=30)
    matrices = {name: matrix.toarray() for name, matrix in whole.items()}
    present = np.arange(30) % 4 != 0
    matrices["es"][~present] = 0
    matrices["en"][[3, 7]] = 0
    views = Views(matrices, {"es": present})
    for ridge in (0.0, 1.0):
        space = ONETA(ridge).fit(views)
        vectors = space.transform(whole)
        assert not vectors["es"][:, ~present].any()
        assert not vectors["en"][:, [3, 7]].any()
        for name in views.languages:
            expected = literal(matrices[name], whole[name].toarray(), ridge)
            np.testing.assert_allclose(vectors[name], expected, atol=1e-4)


def test_a_missing_row_is_not_learned_from_even_if_it_has_numbers(rng):
    views = sparse_views(rng, rows=30)
    present = np.arange(30) % 4 != 0
    cleared = {name: matrix.toarray() * (present[:, None] if name == "es" else 1) for name, matrix in views.items()}
    first = ONETA().fit(Views(dict(views.items()), {"es": present})).transform(views)
    second = ONETA().fit(Views(cleared, {"es": present})).transform(views)
    np.testing.assert_array_equal(first["es"], second["es"])


@given(seed=st.integers(0, 2**32 - 1), ridge=st.sampled_from([0.0, 0.1, 3.0]))
def test_permuting_the_background_permutes_the_coordinates(seed, ridge):
    rng = np.random.default_rng(seed)
    views = sparse_views(rng, rows=12, columns=40)
    order = rng.permutation(12)
    whole = ONETA(ridge).fit(views).transform(views)
    turned = ONETA(ridge).fit(views[order]).transform(views)
    for name in views.languages:
        np.testing.assert_allclose(turned[name], whole[name][:, order], atol=1e-4)


def test_a_language_is_learned_from_its_own_documents_alone(rng):
    views = sparse_views(rng, languages=("en", "es", "de"))
    three, two = ONETA().fit(views), ONETA().fit(views.only(["de", "en"]))
    np.testing.assert_array_equal(three.transform(views["de"], "de"), two.transform(views["de"], "de"))


@pytest.mark.parametrize("ridge", [0.0, 0.001, 1.0])
def test_state_comes_back(ridge, rng):
    views = sparse_views(rng)
    for space, given_views in (
        (ONETA(ridge), views),
        (ONETA(ridge, "bm25"), Views({name: matrix.ceil() for name, matrix in views.items()})),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            space.fit(given_views)
        again = ONETA(**space.get_params()).set_state(space.get_state(), space.languages_, space.n_features_in_)
        np.testing.assert_array_equal(again.transform(given_views)["es"], space.transform(given_views)["es"])


@pytest.mark.parametrize("ridge", [-1.0, np.nan, np.inf])
def test_a_ridge_that_is_none_is_told(ridge, rng):
    with pytest.raises(ParameterError, match=r"ridge must be a number, 0 or more, got .* 0 is the paper"):
        ONETA(ridge).fit(sparse_views(rng))


def test_single_precision_is_close_to_double(planted_views):
    """Where the ridge allows single precision, retrieval and vectors are those of the formula."""
    train, test = planted_views[:160], planted_views[160:]
    space = ONETA(ridge=1.0).fit(train)
    assert space.inverses_["en"].dtype == np.float32
    for name, matrix in test.items():
        expected = literal(train[name].toarray(), matrix.toarray(), 1.0)
        np.testing.assert_allclose(space.transform(matrix, name), expected, atol=1e-4 * np.abs(expected).max())
