from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from babelspace.classification import NearestNeighbour
from babelspace.classification.classifiers import LinearScores, class_scores, make_base, small_indices
from babelspace.errors import ParameterError
from tests.oracles.brute_force import brute_score


def data(rng, rows=30, columns=5, classes=3):
    labels = np.concatenate([np.arange(classes), rng.integers(classes, size=rows - classes)])
    return rng.standard_normal((rows, columns)).astype(np.float32), labels


@pytest.mark.parametrize("similarity", ["cosine", "euclidean", "l1"])
def test_nearest_is_the_brute_force_search(rng, similarity):
    rows, labels = data(rng)
    queries = rng.standard_normal((20, 5)).astype(np.float32)
    found = NearestNeighbour(similarity).fit(rows, labels)
    scores = np.array([[brute_score(q, r, similarity) for r in rows] for q in queries])
    assert found.predict(queries).tolist() == labels[scores.argmax(axis=1)].tolist()
    by_class = np.array([[row[labels == c].max() for c in range(3)] for row in scores])
    assert np.allclose(found.decision_function(queries), by_class, atol=1e-5)


def test_nearest_agrees_with_scikit_learn(rng):
    rows, labels = data(rng)
    queries = rng.standard_normal((20, 5)).astype(np.float32)
    rival = KNeighborsClassifier(1, metric="cosine", algorithm="brute").fit(rows, labels)
    assert np.array_equal(NearestNeighbour().fit(rows, labels).predict(queries), rival.predict(queries))


def test_sparse_and_dense_are_the_same(rng):
    rows, labels = data(rng)
    rows[rng.random(rows.shape) < 0.5] = 0
    dense = NearestNeighbour().fit(rows, labels).decision_function(rows)
    sparse = NearestNeighbour().fit(csr_array(rows), labels).decision_function(csr_array(rows))
    assert np.allclose(dense, sparse, atol=1e-6)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_order_of_documents_does_not_matter(labels, random):
    rng = np.random.default_rng(len(labels))
    rows = rng.standard_normal((len(labels), 3)).astype(np.float32)
    order = list(range(len(labels)))
    random.shuffle(order)
    queries = rng.standard_normal((7, 3)).astype(np.float32)
    given_order = NearestNeighbour().fit(rows, np.array(labels))
    shuffled = NearestNeighbour().fit(rows[order], np.array(labels)[order])
    assert np.array_equal(given_order.predict(queries), shuffled.predict(queries))


def test_two_classes_have_two_scores(rng):
    rows, labels = data(rng, classes=2)
    model = LogisticRegression().fit(rows, labels)
    scores = class_scores(model, rows, 2)
    assert np.allclose(np.exp(scores[:, 1]) / np.exp(scores).sum(axis=1), model.predict_proba(rows)[:, 1])
    assert np.array_equal(scores, class_scores(LinearScores(model.coef_, model.intercept_), rows, 2))


def test_probabilities_stand_in_for_scores(rng):
    rows, labels = data(rng)
    model = GaussianNB().fit(rows, labels)
    assert np.array_equal(class_scores(model, rows, 3).argmax(axis=1), model.predict(rows))


def test_scores_of_pairs_of_classes_are_refused(rng):
    rows, labels = data(rng, rows=60, classes=4)
    model = SVC(decision_function_shape="ovo").fit(rows, labels)
    with pytest.raises(ParameterError, match="SVC gives no score for each class"):
        class_scores(model, rows, 4)


@pytest.mark.parametrize("base", ["svm", object()], ids=["name", "object"])
def test_unknown_base(base):
    with pytest.raises(ParameterError, match="use 'nearest' or 'logistic', or a scikit-learn classifier"):
        make_base(base, "cosine")


def test_a_given_classifier_is_copied():
    given_one = LogisticRegression(C=3)
    made = make_base(given_one, "cosine")
    assert made is not given_one
    assert made.C == 3


def test_small_indices(rng):
    matrix = csr_array(rng.random((4, 3)))
    matrix.indptr = matrix.indptr.astype(np.int64)
    assert small_indices(matrix).indptr.dtype == np.int32
    assert (small_indices(matrix) != matrix).nnz == 0


def test_scores_do_not_depend_on_the_batch(rng):
    """BLAS picks its loops by the number of rows; what differs must be beyond every digit that is shown."""
    rows, weights = (rng.standard_normal((size, 300), dtype=np.float32) for size in (40, 10))
    model = LinearScores(weights, np.zeros(10, np.float32))
    whole = class_scores(model, rows, 10)
    for size in (1, 3, 7, 20):
        pieces = [class_scores(model, rows[start : start + size], 10) for start in range(0, 40, size)]
        np.testing.assert_allclose(np.concatenate(pieces), whole, rtol=0, atol=1e-12)
