"""ON-Eigen, Explicit LSI and L-Solve: exact at full size, their formulas below it."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.spaces import CLLSI, ONETA, ExplicitLSI, LSolve, ONEigen
from babelspace.spaces.registry import name_of
from tests.spaces.test_oneta import sparse_views

RIDGES = pytest.mark.parametrize("ridge", [0.0, 1.0])
SPECTRAL = pytest.mark.parametrize("kind", [ONEigen, ExplicitLSI], ids=["on-eigen", "explicit-lsi"])


def assert_same(space, other, views, atol=1e-4):
    found, expected = space.transform(views), other.transform(views)
    for name in views.languages:
        np.testing.assert_allclose(found[name], expected[name], atol=atol)


@RIDGES
@SPECTRAL
def test_all_eigenvectors_give_the_exact_map(kind, ridge, rng):
    views = sparse_views(rng, languages=("en", "es", "de"))
    train = views[:30]
    assert_same(kind(30, ridge).fit(train), ONETA(ridge).fit(train), views)


def test_explicit_lsi_of_the_joint_decomposition_is_whitened_lsi(rng):
    views = sparse_views(rng, languages=("en", "es"))
    train = views[:30]
    explicit = ExplicitLSI(8, 0.0, decomposition="joint").fit(train).transform(views)
    latent = CLLSI(8, tol=1e-6, power=-1).fit(train).transform(views)
    for name in views.languages:
        assert explicit[name].shape == (len(views), 30)
        # V is orthonormal: products of documents of any two languages are those of the latent space.
        np.testing.assert_allclose(explicit["en"] @ explicit[name].T, latent["en"] @ latent[name].T, atol=1e-3)


def test_explicit_lsi_of_the_joint_decomposition_by_its_formula(rng):
    views = sparse_views(rng, languages=("en", "es"))
    train, ridge = views[:30], 0.5
    joint = (train["en"] + train["es"]).toarray().astype(np.float64)
    left, values, right = np.linalg.svd(joint, full_matrices=False)
    shift = ridge * np.mean(np.sum(joint**2, axis=1))
    latent = right[:8].T / (values[:8] + shift / values[:8])
    found = ExplicitLSI(8, ridge, decomposition="joint").fit(train).transform(views)
    for name in views.languages:
        np.testing.assert_allclose(found[name], views[name].toarray() @ latent @ left[:, :8].T, atol=1e-4)


@SPECTRAL
def test_all_eigenvectors_of_dependent_documents_give_the_pseudo_inverse(kind, rng):
    views = sparse_views(rng, rows=30, columns=20)
    with pytest.warns(UserWarning, match="directions are dropped"):
        exact = ONETA(0.0).fit(views)
    with pytest.warns(UserWarning, match="n_components=30 is more than these data can give; 20 are used"):
        space = kind(30, 0.0).fit(views)
    assert_same(space, exact, views)


@RIDGES
@SPECTRAL
def test_few_eigenvectors_are_the_truncated_formula(kind, ridge, rng):
    views, rank = sparse_views(rng), 7
    space = kind(rank, ridge, tol=1e-3).fit(views[:30])
    for name, matrix in views.items():
        X = matrix.toarray()[:30].astype(float).T
        U, s, Vt = np.linalg.svd(X, full_matrices=False)
        shrunk = s[:rank] / (s[:rank] ** 2 + ridge * np.sum(X**2) / 30)
        expected = (Vt[:rank].T * shrunk @ U[:, :rank].T @ matrix.toarray().astype(float).T).T
        np.testing.assert_allclose(space.transform(matrix, name), expected, atol=1e-4)


@SPECTRAL
def test_eigenvectors_of_many_documents_come_from_the_iteration(kind, rng):
    """300 documents with a falling spectrum: sparse products only, and the same map."""
    views = Views({name: rng.standard_normal((300, 60)) * 0.85 ** np.arange(60) for name in ("en", "es")})
    space = kind(6, 0.1, tol=1e-3).fit(views)
    X = views["en"].toarray().astype(float).T
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    shrunk = s[:6] / (s[:6] ** 2 + 0.1 * np.sum(X**2) / 300)
    expected = (Vt[:6].T * shrunk @ U[:, :6].T @ X).T
    np.testing.assert_allclose(space.transform(views)["en"], expected, atol=5e-3 * np.abs(expected).max())


@SPECTRAL
def test_holes_have_coordinate_zero(kind, rng):
    views = sparse_views(rng)
    present = np.arange(len(views)) % 3 != 0
    vectors = kind(5).fit(Views(dict(views.items()), {"es": present})).transform(views)
    assert not vectors["es"][:, ~present].any()
    assert vectors["en"].any(axis=0).all()


@RIDGES
def test_l_solve_with_all_documents_first_is_exact(ridge, rng):
    views = sparse_views(rng, languages=("en", "es", "de"))
    for count in (30, 5000):
        space = LSolve(count, ridge).fit(views[:30])
        assert space.dropped_ == 0
        assert_same(space, ONETA(ridge).fit(views[:30]), views)


def literal_l_solve(X, x, first, ridge):
    """Eq. 3 as printed, with dense blocks; X has words in its rows, none of its columns is dropped."""
    known = X[:, :first].any(axis=1)
    A, B, C = X[known, :first], X[known, first:], X[~known, first:]
    scale = ridge * np.sum(X**2) / X.shape[1]
    left = C.T / (np.sum(C**2, axis=0) + scale)[:, None]
    z2 = left @ x[~known]
    z1 = np.linalg.solve(A.T @ A + scale * np.eye(first), A.T @ (x[known] - B @ z2))
    return np.concatenate([z1, z2])


@RIDGES
def test_l_solve_is_the_block_formula(ridge, rng):
    first = 12
    views = sparse_views(rng, rows=30, columns=400, density=0.05)
    space = LSolve(first, ridge).fit(views[:25])
    assert space.dropped_ == 0
    for name, matrix in views.items():
        X = matrix.toarray()[:25].astype(float).T
        expected = np.array([literal_l_solve(X, x.astype(float), first, ridge) for x in matrix.toarray()])
        np.testing.assert_allclose(space.transform(matrix, name), expected, atol=1e-4 * max(1, np.abs(expected).max()))


def test_l_solve_is_exact_on_the_background_if_the_later_words_do_not_overlap(rng):
    """C with orthogonal columns: the left inverse is a true one, and each document becomes its unit vector."""
    matrices = {}
    for name in ("en", "es"):
        shared = rng.random((20, 30))
        own = np.zeros((20, 10))
        own[np.arange(10, 20), np.arange(10)] = 1 + rng.random(10)
        matrices[name] = np.hstack([shared, own])
    space = LSolve(10, ridge=0.0).fit(matrices)
    for vectors in space.transform(matrices).values():
        np.testing.assert_allclose(vectors, np.eye(20), atol=1e-4)


def test_l_solve_drops_what_has_no_word_of_its_own_in_every_language(rng):
    matrices = {name: matrix.toarray() for name, matrix in sparse_views(rng, 20, 60, density=0.1).items()}
    first = 8
    known = {name: matrix[:first].any(axis=0) for name, matrix in matrices.items()}
    for name, row in (("en", 9), ("es", 12)):
        matrices[name][row] *= known[name]
    for name in matrices:  # all others do have one
        fresh = np.flatnonzero(~known[name])[0]
        others = [row for row in range(first, 20) if (name, row) not in (("en", 9), ("es", 12))]
        matrices[name][others, fresh] += 0.5
    space = LSolve(first).fit(matrices)
    assert space.dropped_ == 2
    for vectors in space.transform(matrices).values():
        assert not vectors[:, [9, 12]].any()
        assert vectors[:, [8, 10, 11, 13]].any(axis=0).all()


def test_l_solve_does_not_count_holes_as_dropped(rng):
    views = sparse_views(rng, rows=30, columns=400, density=0.05)
    present = np.arange(30) % 4 != 0
    space = LSolve(10).fit(Views(dict(views.items()), {"es": present}))
    assert space.dropped_ == 0
    vectors = space.transform(views)
    assert not vectors["es"][:, ~present].any()
    assert vectors["en"].any(axis=0).all()


def test_l_solve_finds_more_mates_with_more_first_documents(planted_views):
    """The paper's climb to the exact map."""
    train, test = planted_views[:160], planted_views[160:]
    scores = [LSolve(n).fit(train).score(test) for n in (10, 40, 160)]
    assert scores[0] + 0.1 < scores[1] < scores[2] == ONETA().fit(train).score(test)


@pytest.mark.parametrize(
    "space", [ONETA(0.0), ONETA(), ONETA(1.0, "bm25"), ONEigen(5), ExplicitLSI(5), LSolve(10)], ids=str
)
def test_a_language_without_a_known_word_has_zero_vectors(space, rng):
    views = {"en": rng.poisson(0.5, (30, 60)), "es": np.zeros((30, 60)), "de": rng.poisson(0.5, (30, 60))}
    vectors = space.fit(views).transform({name: rng.poisson(0.5, (4, 60)) for name in views})
    assert vectors["es"].shape == vectors["en"].shape == (4, 30)
    assert not vectors["es"].any()
    assert vectors["en"].any(axis=1).all()


@pytest.mark.parametrize("space", [ONEigen(5), ExplicitLSI(5), LSolve(10), LSolve(10, 0.0)], ids=name_of)
def test_state_comes_back(space, rng):
    views = sparse_views(rng, rows=30, columns=400, density=0.05)
    space.fit(views)
    again = type(space)(**space.get_params()).set_state(space.get_state(), space.languages_, space.n_features_in_)
    assert getattr(again, "dropped_", None) == getattr(space, "dropped_", None)
    for name in views.languages:
        np.testing.assert_array_equal(again.transform(views)[name], space.transform(views)[name])


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (ONEigen(0), "n_components must be a whole number, 1 or more, got 0"),
        (ExplicitLSI(0), "n_components must be a whole number, 1 or more, got 0"),
        (LSolve(0), "n_first must be a whole number, 1 or more, got 0"),
        (LSolve(5, -1), "ridge must be a number, 0 or more"),
        (ONEigen(5, -1), "ridge must be a number, 0 or more"),
        (ExplicitLSI(5, -1), "ridge must be a number, 0 or more"),
    ],
    ids=["on-eigen", "explicit-lsi", "l-solve", "l-solve ridge", "on-eigen ridge", "explicit-lsi ridge"],
)
def test_bad_parameters_are_told(space, message, rng):
    with pytest.raises(ParameterError, match=message):
        space.fit(sparse_views(rng))
