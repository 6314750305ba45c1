"""Cr5 is the reduced-rank ridge regression of the paper."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from babelspace.corpus import planted
from babelspace.errors import ParameterError
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import Cr5
from babelspace.spaces.discriminative import cr5


def block_diagonal(views):
    """The paper's X and Y (documents over disjoint vocabularies, the row of each) and the documents behind a column."""
    blocks, indicators, counts = [], [], []
    for language, matrix in views.items():
        mask = views.present[language]
        rows = matrix.toarray()[mask].astype(np.float64)
        blocks.append(rows - rows.mean(axis=0))
        indicators.append(np.eye(len(views))[mask])
        counts += [mask.sum()] * rows.shape[1]
    return scipy.linalg.block_diag(*blocks), np.vstack(indicators), np.array(counts)


def test_is_the_minimum_of_the_ridge_regression_of_this_rank(rng):
    present = {"en": np.ones(14, bool), "es": rng.random(14) < 0.8, "de": rng.random(14) < 0.7}
    matrices = {name: rng.random((14, 9)) * mask[:, None] for name, mask in present.items()}
    views = Views(matrices, present)
    gamma, rank = 0.05, 3
    X, Y, counts = block_diagonal(views)
    penalty = np.diag(gamma * counts)
    # Mukherjee & Zhu: the ridge solution, projected on the leading right singular vectors of its augmented fit.
    ridge = np.linalg.solve(X.T @ X + penalty, X.T @ Y)
    augmented = np.vstack([X @ ridge, np.sqrt(penalty) @ ridge])
    leading = np.linalg.svd(augmented)[2][:rank].T
    expected = ridge @ leading
    space = Cr5(rank, gamma=gamma).fit(views)
    found = np.vstack([space.weights_[name] for name in views.languages])
    # The same map up to signs and the common scale.
    for k in range(rank):
        cosine = found[:, k] @ expected[:, k] / np.linalg.norm(found[:, k]) / np.linalg.norm(expected[:, k])
        assert abs(cosine) == pytest.approx(1, abs=1e-4)
    np.testing.assert_allclose(
        np.linalg.norm(found, axis=0) / np.linalg.norm(found),
        np.linalg.norm(expected, axis=0) / np.linalg.norm(expected),
        atol=1e-4,
    )


def test_products_and_the_dense_sum_give_the_same(planted_views, monkeypatch):
    dense = Cr5(10, gamma=1.0).fit(planted_views)
    monkeypatch.setattr(cr5, "DENSE_ROWS", 0)
    operator = Cr5(10, gamma=1.0, tol=1e-4).fit(planted_views)
    np.testing.assert_allclose(dense.values_, operator.values_, rtol=1e-4)
    for language in planted_views.languages:
        one, other = (space.transform(planted_views[language], language) for space in (dense, operator))
        np.testing.assert_allclose(one, other, atol=2e-2 * np.abs(one).max())


def test_languages_that_share_no_row_meet_through_a_third():
    corpus = planted(300, languages=("en", "es", "de"), vocabulary=80, shared=0)
    views = ViewsVectorizer(drop_top=0).fit_transform(corpus)
    half = np.arange(200) < 100
    present = {"en": np.ones(200, bool), "es": half, "de": ~half}
    train = Views({name: matrix[:200] * present[name][:, None] for name, matrix in views.items()}, present)
    space = Cr5(20, gamma=1.0).fit(train)
    # Chance is .01.
    assert space.score(views[200:].only(["es", "de"])) > 0.3


def test_gamma_must_be_above_zero(planted_views):
    with pytest.raises(ParameterError, match="gamma must be a number above 0, got 0"):
        Cr5(gamma=0).fit(planted_views)
