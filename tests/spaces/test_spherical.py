"""The coupled spherical admixture: its steps against solvers of others, planted topics, rows that lack a language."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from sklearn.decomposition import NMF

from babelspace.evaluation.topics.report import describe_topics
from babelspace.features import Views, ViewsVectorizer
from babelspace.kernels.topics.nonnegative_least_squares import nonnegative_rows
from babelspace.spaces import CSAM, Encoder
from babelspace.spaces.topics.spherical import unit_rows

pytestmark = pytest.mark.family("plsa")


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 4))
def test_many_sweeps_are_non_negative_least_squares(seed, topics, rows):
    rng = np.random.default_rng(seed)
    words, documents = rng.random((12, topics)), rng.normal(size=(rows, 12))
    found = nonnegative_rows(documents @ words, words.T @ words, np.zeros((rows, topics)), 2_000)
    exact = np.array([scipy.optimize.nnls(words, document)[0] for document in documents])
    np.testing.assert_allclose(found @ words.T, exact @ words.T, atol=2e-3)


def test_a_sweep_never_makes_it_worse(rng):
    gram, products = np.cov(rng.random((8, 30))) + np.eye(8), rng.normal(size=(5, 8))
    x = rng.random((5, 8)).astype(np.float32)
    for _ in range(4):
        better = nonnegative_rows(products, gram, x, 1)
        before, after = (np.sum(y * (0.5 * y @ gram - products)) for y in (x, better))
        assert after <= before + 1e-5
        x = better


def test_as_near_as_the_factorisation_of_another_library(planted_views):
    space = CSAM(8, max_iter=100, tol=0).fit(planted_views)
    assert (np.diff(space.objective_) > -1e-3).all()
    joint = sp.csr_matrix(sp.hstack([unit_rows(matrix) for _, matrix in planted_views.items()]))
    other = NMF(8, init="nndsvd", max_iter=200, tol=0).fit(joint)
    assert -space.objective_[-1] == pytest.approx(other.reconstruction_err_**2, rel=0.01)


def test_planted_topics_come_back(rng):
    """Documents of one language are mixtures of three blocks of words; the other language has the same shares."""
    shares = rng.dirichlet([0.3] * 3, 60)
    blocks = {name: np.kron(np.eye(3), rng.random(4) + 0.5) for name in ("en", "es")}
    views = Views({name: shares @ block for name, block in blocks.items()})
    space = CSAM(3, max_iter=200, tol=0).fit(views)
    for name in ("en", "es"):
        found = space.topic_words_[name]
        block = found.reshape(3, 3, 4).sum(axis=2)
        np.testing.assert_allclose(block.max(axis=1), 1, atol=0.02)
        assert sorted(block.argmax(axis=1)) == [0, 1, 2]
    assert space.topic_sizes_.sum() == pytest.approx(1)


def test_the_length_of_a_document_is_irrelevant(planted_views):
    longer = Views({"en": 7 * planted_views["en"], "es": planted_views["es"]})
    first, second = (CSAM(6, max_iter=5).fit(views).transform(planted_views)["es"] for views in (planted_views, longer))
    np.testing.assert_allclose(first, second, atol=1e-3)


def test_a_row_that_lacks_a_language_is_explained_by_what_it_has(planted_views):
    """Absent is not the same as empty: a hole asks nothing of the topics."""
    there = np.arange(len(planted_views)) % 4 > 0
    matrices = {"en": planted_views["en"], "es": sp.csr_array(there[:, None] * planted_views["es"].toarray())}
    hole = CSAM(6, max_iter=20).fit(Views(matrices, {"es": there}))
    empty = CSAM(6, max_iter=20).fit(Views(matrices))
    assert hole.objective_[-1] > empty.objective_[-1] + 0.1


def test_topics_can_be_read(planted_corpus):
    vectorizer = ViewsVectorizer(drop_top=0)
    report = describe_topics(Encoder(vectorizer, CSAM(4, max_iter=5)).fit(planted_corpus), planted_corpus, words=3)
    assert len(report.topics) == 4
