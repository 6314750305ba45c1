"""CL-ESA against loops over words, and its pruning against a sort."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from babelspace.corpus import planted
from babelspace.errors import ParameterError
from babelspace.features import Views, ViewsVectorizer
from babelspace.kernels.topk.strongest_entries import strongest
from babelspace.runtime import threads
from babelspace.spaces import CLESA

COUNTS = {"drop_top": 0, "weighting": "tf", "normalize": False}


def okapi(query, background, k1=1.2, b=0.75):
    """The Okapi score of every background document for a query, as printed: one word of the query at a time."""
    n, lengths = len(background), background.sum(axis=1)
    scores = np.zeros(n)
    for j in range(n):
        for word in np.flatnonzero(query):
            d = np.count_nonzero(background[:, word])
            f = background[j, word]
            idf = np.log(1 + (n - d + 0.5) / (d + 0.5))
            scores[j] += query[word] * idf * f * (k1 + 1) / (f + k1 * (1 - b + b * lengths[j] / lengths.mean()))
    return scores


@pytest.fixture(scope="module")
def counts(global_random_seed):
    corpus = planted(60, languages=("en", "es", "de"), vocabulary=40, seed=global_random_seed)
    return ViewsVectorizer(**COUNTS).fit_transform(corpus)


def test_associations_are_inner_products_with_the_own_language(planted_views):
    train, test = planted_views[:50], planted_views[50:70]
    vectors = CLESA().fit(train).transform(test)
    for language, found in vectors.items():
        assert sp.issparse(found)
        expected = test[language].toarray().astype(float) @ train[language].toarray().astype(float).T
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-5, atol=1e-5)


def test_with_documents_of_one_length_associations_are_cosines(planted_views):
    found = CLESA().fit(planted_views).transform(planted_views)["en"].toarray()
    length = np.linalg.norm(planted_views["en"].toarray(), axis=1)
    np.testing.assert_allclose(np.diag(found) / length**2, 1, rtol=1e-5)
    assert (found / length**2 <= 1 + 1e-5).all()


def test_bm25_is_the_okapi_score_of_the_own_language(counts):
    train, test = counts[:50], counts[50:]
    vectors = CLESA("bm25").fit(train).transform(test)
    for language, found in vectors.items():
        background = train[language].toarray().astype(float)
        expected = [okapi(query.astype(float), background) for query in test[language].toarray()]
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-4, atol=1e-4)


def test_bm25_counts_only_the_documents_that_are_there(counts):
    present = np.arange(50) % 5 != 0
    matrices = {name: matrix.toarray() for name, matrix in counts[:50].items()}
    matrices["es"][~present] = 0
    space = CLESA("bm25").fit(Views(matrices, {"es": present}))
    query = counts["es"][50:51]
    found = space.transform(query, "es").toarray()[0]
    assert not found[~present].any()
    np.testing.assert_allclose(found[present], okapi(query.toarray()[0], matrices["es"][present]), rtol=1e-4, atol=1e-4)


def test_bm25_refuses_weights(counts, planted_views):
    with pytest.raises(ParameterError, match=r'raw counts .* got the value (.|\n)*weighting="tf" normalize=False'):
        CLESA("bm25").fit(planted_views)
    space = CLESA("bm25").fit(counts)
    with pytest.raises(ParameterError, match="raw counts"):
        space.transform(counts["en"] * np.float32(0.5), "en")


def test_bm25_finds_mates(counts):
    assert CLESA("bm25").fit(counts[:40]).score(counts[40:]) > 0.5


def test_rows_with_holes_and_empty_documents_are_topics_of_strength_zero(planted_views):
    matrices = {name: matrix.toarray() for name, matrix in planted_views[:60].items()}
    present = np.arange(60) % 3 != 0
    matrices["es"][~present] = 0
    matrices["en"][[5, 6]] = 0
    vectors = CLESA().fit(Views(matrices, {"es": present})).transform(planted_views[60:])
    assert vectors["es"].shape[1] == vectors["en"].shape[1] == 60
    assert not vectors["es"].toarray()[:, ~present].any()
    assert not vectors["en"].toarray()[:, [5, 6]].any()
    expected = planted_views["es"][60:] @ matrices["es"][present].T
    np.testing.assert_allclose(vectors["es"].toarray()[:, present], expected, rtol=1e-4, atol=1e-4)


def test_permuting_the_background_permutes_the_coordinates(planted_views, rng):
    order = rng.permutation(60)
    whole, turned = (
        CLESA().fit(planted_views[rows]).transform(planted_views["en"], "en") for rows in (slice(60), order)
    )
    np.testing.assert_array_equal(turned.toarray(), whole.toarray()[:, order])


def strongest_by_sorting(row, count):
    kept = sorted(range(len(row)), key=lambda column: (-abs(row[column]), column))[:count]
    return np.array([value if column in kept else 0 for column, value in enumerate(row)])


@given(
    rows=st.lists(st.lists(st.integers(-3, 3), min_size=6, max_size=6), max_size=4),
    count=st.integers(1, 7),
)
def test_pruning_keeps_the_strongest_and_among_equals_the_first(rows, count):
    matrix = np.array(rows, np.float32).reshape(len(rows), 6)
    found = strongest(sp.csr_array(matrix), count)
    expected = np.array([strongest_by_sorting(row, count) for row in matrix]).reshape(matrix.shape)
    np.testing.assert_array_equal(found.toarray(), expected)
    assert (np.diff(found.indptr) <= count).all()
    assert found.has_sorted_indices


def test_pruned_vectors_are_the_strongest_associations(planted_views):
    train, test = planted_views[:80], planted_views[80:]
    whole = CLESA().fit(train).transform(test)
    results = []
    for number in (1, 2):
        with threads.limit(number):
            results.append(CLESA(prune=7).fit(train).transform(test))
    for language, found in results[0].items():
        expected = [strongest_by_sorting(row, 7) for row in whole[language].toarray()]
        np.testing.assert_array_equal(found.toarray(), expected)
        np.testing.assert_array_equal(results[1][language].toarray(), expected)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"association": "cosine"}, r"association must be 'tf-idf' or 'bm25', got 'cosine'"),
        ({"prune": 0}, r"prune must be a whole number, 1 or more or none, got 0"),
    ],
)
def test_bad_parameters_are_told(planted_views, settings, message):
    with pytest.raises(ParameterError, match=message):
        CLESA(**settings).fit(planted_views)
