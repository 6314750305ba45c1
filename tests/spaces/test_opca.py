"""OPCA against scipy on matrices built by the printed formulas."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from babelspace.corpus import planted, planted_words
from babelspace.errors import ParameterError
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import OPCA
from babelspace.spaces.linear.opca import contrasts, oriented_components
from babelspace.spaces.linear.word_clusters import co_occurrence_slices, vocabulary_slices
from tests.conftest import separated
from tests.oracles.spaces import (
    assert_same_directions,
    assert_same_up_to_sign,
    leading,
    opca_noise,
    opca_scatter,
    opca_signal,
    random_views,
)
from tests.spaces.parts import TRAIN

PRIMAL, DUAL = (90, 14), (9, 40)
cases = pytest.mark.parametrize("holes", [False, True], ids=["whole", "holes"])
of_languages = pytest.mark.parametrize("languages", [2, 3])


@cases
@of_languages
@pytest.mark.parametrize("gamma", [0.1, 2.0])
@pytest.mark.parametrize("shape", [PRIMAL, DUAL], ids=["primal", "dual"])
def test_the_printed_formulas(rng, shape, gamma, languages, holes):
    views = random_views(rng, *shape, languages, holes)
    S, N = opca_signal(views), opca_noise(views, gamma)
    expected_values, expected = leading(S, N, 5)
    space = OPCA(5, gamma=gamma, random_state=0).fit(views)
    np.testing.assert_allclose(space.values_, expected_values, rtol=1e-3)
    V = space.weights_["l0"].astype(np.float64)
    np.testing.assert_allclose(V.T @ N @ V, np.eye(5), atol=1e-3)
    np.testing.assert_allclose(V.T @ S @ V, np.diag(expected_values), atol=1e-3 * expected_values[0])
    assert_same_up_to_sign(V, expected, rtol=0.01)


@pytest.mark.parametrize("shape", [(200, 300), (140, 320)], ids=["primal", "dual"])
def test_the_printed_formulas_where_the_eigenvectors_are_iterated(rng, shape):
    views = separated(rng, *shape)
    S, N = opca_signal(views), opca_noise(views, 0.5)
    expected_values, _ = leading(S, N, 5)
    values, V = oriented_components(views, 5, 0.5, rng)
    np.testing.assert_allclose(values, expected_values, rtol=5e-3)
    np.testing.assert_allclose(V.T @ N @ V, np.eye(5), atol=2e-3)


@pytest.mark.parametrize("shape", [PRIMAL, DUAL], ids=["primal", "dual"])
def test_repeated_untranslated_and_empty_documents(rng, shape):
    views = random_views(rng, *shape)
    matrices = {name: matrix.toarray() for name, matrix in views.items()}
    for matrix in matrices.values():
        matrix[1] = matrix[0]
    matrices["l1"][2] = matrices["l0"][2]
    matrices["l0"][3] = 0
    views = Views(matrices)
    S, N = opca_signal(views), opca_noise(views, 0.1)
    expected_values, expected = leading(S, N, 4)
    space = OPCA(4).fit(views)
    np.testing.assert_allclose(space.values_, expected_values, rtol=2e-3)
    assert_same_up_to_sign(space.weights_["l0"], expected, rtol=0.01)


def test_vectors_are_the_documents_times_the_eigenvectors(rng):
    views = random_views(rng, *PRIMAL)
    space = OPCA(4).fit(views)
    x = rng.standard_normal((3, PRIMAL[1]))
    for language in views.languages:
        np.testing.assert_allclose(space.transform(x, language), x @ space.weights_[language], atol=1e-4)


@cases
def test_centring_subtracts_each_languages_mean_projection(rng, holes):
    views = random_views(rng, *PRIMAL, holes=holes)
    plain, centred = OPCA(4).fit(views), OPCA(4, center=True).fit(views)
    for language, matrix in views.items():
        present = views.present[language]
        mean = plain.transform(matrix[present], language).mean(axis=0)
        expected = plain.transform(matrix[present], language) - mean
        np.testing.assert_allclose(
            centred.transform(matrix[present], language), expected, atol=1e-4 * np.abs(expected).max()
        )


def test_with_a_huge_ridge_the_directions_are_the_principal_components(rng):
    views = random_views(rng, *PRIMAL)
    values, vectors = np.linalg.eigh(opca_signal(views))
    space = OPCA(4, gamma=1e6).fit(views)
    assert_same_directions(space.weights_["l0"], vectors[:, ::-1][:, :4])
    np.testing.assert_allclose(space.values_ * 1e6, values[::-1][:4], rtol=1e-3)


@pytest.mark.parametrize("shape", [(90, 14), (90, 300)])
def test_with_no_noise_it_is_principal_component_analysis(rng, shape):
    X = rng.standard_normal(shape) * 2.0 * 0.8 ** np.minimum(np.arange(shape[1]), 20)
    space = OPCA(3, gamma=0.5).fit({"en": X, "es": X})
    _, _, components = np.linalg.svd(X - X.mean(axis=0))
    assert_same_directions(space.weights_["en"], components[:3].T, atol=0.05)


def test_noise_turns_away_from_where_mates_differ(rng):
    # Column 0 varies most but says nothing about mates; column 1 varies less and is the same in both languages.
    meaning = rng.standard_normal(200)
    en, es = (np.column_stack([5 * rng.standard_normal(200), 2 * meaning]) for _ in range(2))
    direction = OPCA(1).fit({"en": en, "es": es}).weights_["en"][:, 0]
    assert abs(direction[1]) > 5 * abs(direction[0])


@cases
@of_languages
@pytest.mark.parametrize("shape", [PRIMAL, DUAL], ids=["primal", "dual"])
def test_without_any_matrix_of_columns_it_is_the_printed_formulas(rng, shape, languages, holes):
    views = random_views(rng, *shape, languages, holes)
    S, N = opca_signal(views), opca_noise(views, 0.1)
    expected_values, expected = leading(S, N, 5)
    space = OPCA(5, gamma=0.1, block_terms=1, random_state=0).fit(views)
    np.testing.assert_allclose(space.values_, expected_values, rtol=1e-2)
    V = space.weights_["l0"].astype(np.float64)
    np.testing.assert_allclose(V.T @ N @ V, np.eye(5), atol=5e-3)
    assert_same_up_to_sign(V, expected, rtol=0.05)


def test_without_any_matrix_of_columns_where_the_eigenvectors_are_iterated(rng):
    views = separated(rng, 400, 300)
    S, N = opca_signal(views), opca_noise(views, 0.5)
    expected_values, _ = leading(S, N, 5)
    values, V = oriented_components(views, 5, 0.5, rng, implicit=True)
    np.testing.assert_allclose(values, expected_values, rtol=5e-3)
    np.testing.assert_allclose(V.T @ N @ V, np.eye(5), atol=5e-3)


def test_without_any_matrix_of_columns_retrieval_is_the_same(planted_views):
    train, test = planted_views[:TRAIN], planted_views[TRAIN:]
    whole, implicit = (OPCA(24, block_terms=terms, random_state=0).fit(train) for terms in (10_000, 10))
    assert implicit.score(test) == pytest.approx(whole.score(test), abs=0.02)
    np.testing.assert_allclose(implicit.values_, whole.values_, rtol=0.05)


@pytest.mark.parametrize(("block_terms", "loss"), [(120, 0.1), (90, 0.3)])
def test_two_stages_come_close_to_one(planted_views, block_terms, loss):
    train, test = planted_views[:TRAIN], planted_views[TRAIN:]
    one = OPCA(24, random_state=0).fit(train)
    two = OPCA(24, block_terms=block_terms, stages=2, random_state=0).fit(train)
    assert not np.allclose(one.weights_["en"], two.weights_["en"])
    assert two.score(test) > one.score(test) - loss
    # What the first stage has thrown away, the second cannot find again.
    S, N = opca_signal(train), opca_noise(train, 0.1)
    ratios = [scipy.linalg.eigvalsh(V.T @ S @ V, V.T @ N @ V).sum() for V in _bases(one, two)]
    assert ratios[0] == pytest.approx(one.values_.sum(), rel=1e-3)
    assert ratios[1] <= 1.001 * ratios[0]


def _bases(*spaces):
    return [space.weights_["en"].astype(np.float64) for space in spaces]


def test_two_stages_have_as_many_dimensions_as_asked(planted_views):
    space = OPCA(30, block_terms=20, stages=2).fit(planted_views)
    assert space.n_components_ == 30
    assert np.isfinite(space.weights_["en"]).all()


def stacked(views):
    """The documents that are there, language after language."""
    return np.vstack([matrix.toarray()[views.present[name]] for name, matrix in views.items()])


@st.composite
def some_views(draw):
    """Two to four languages in a few rows, with holes anywhere."""
    languages, rows, columns = draw(st.integers(2, 4)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    values = st.integers(-3, 3).map(float)
    matrices, present = {}, {}
    for number in range(languages):
        mask = draw(hnp.arrays(bool, rows))
        matrix = draw(hnp.arrays(np.float32, (rows, columns), elements=values))
        matrices[str(number)], present[str(number)] = matrix * mask[:, None], mask
    return Views(matrices, present)


@given(some_views())
def test_contrasts_have_the_scatter_of_the_differences(views):
    scatter, count = opca_scatter(views)
    if not count:
        with pytest.raises(ParameterError, match="no row has two languages"):
            contrasts(views)
        return
    T, rows = contrasts(views)
    assert rows == count
    E = T @ stacked(views)
    np.testing.assert_allclose(E.T @ E, scatter, atol=1e-3)


def test_the_contrasts_of_two_languages_are_their_differences(rng):
    views = random_views(rng, 10, 4)
    T, rows = contrasts(views)
    assert rows == 10
    difference = views["l1"].toarray() - views["l0"].toarray()
    np.testing.assert_allclose(np.abs(T @ stacked(views)), np.abs(difference) / np.sqrt(2), atol=1e-5)


def test_a_row_with_one_language_adds_no_noise(rng):
    views = random_views(rng, *PRIMAL)
    extra = np.vstack([views["l0"].toarray(), 50 * np.ones(PRIMAL[1])])
    other = np.vstack([views["l1"].toarray(), np.zeros(PRIMAL[1])])
    more = Views({"l0": extra, "l1": other}, {"l1": np.arange(PRIMAL[0] + 1) < PRIMAL[0]})
    (T, rows), (expected, _) = contrasts(more), contrasts(views)
    assert rows == PRIMAL[0]
    np.testing.assert_allclose(T @ stacked(more), expected @ stacked(views), atol=1e-5)


def test_slices_keep_a_word_with_its_translation():
    corpus = planted(rows=400, vocabulary=300, words=60, shared=0)
    vectorizer = ViewsVectorizer(drop_top=0, min_count=1)
    views = vectorizer.fit_transform(corpus)
    slices = co_occurrence_slices(views, -(-views.shape[1] // 4), np.random.default_rng(0))
    assert sorted(np.concatenate(slices)) == list(range(views.shape[1]))
    assert max(map(len, slices)) <= -(-views.shape[1] // 4)
    number = np.empty(views.shape[1], int)
    for place, columns in enumerate(slices):
        number[columns] = place
    tables = {name: vectorizer.vocabulary_.table(name) for name in views.languages}
    words = zip(planted_words("en", 300, 0), planted_words("es", 300, 0), strict=True)
    pairs = [(tables["en"][a], tables["es"][b]) for a, b in words if a in tables["en"] and b in tables["es"]]
    together = np.mean([number[a] == number[b] for a, b in pairs])
    # At random a quarter would be; the topics of the planted corpus say which words belong together.
    assert together > 0.8


def test_the_first_slice_has_the_words_of_most_documents():
    views = ViewsVectorizer(drop_top=0, min_count=1).fit_transform(planted(rows=300, vocabulary=200, words=40))
    largest = -(-views.shape[1] // 5)
    slices = vocabulary_slices(views, largest, np.random.default_rng(0))
    assert sorted(np.concatenate(slices)) == list(range(views.shape[1]))
    assert len(slices) == 5 and max(map(len, slices)) <= largest
    documents = sum((matrix.toarray() != 0).sum(axis=0) for _, matrix in views.items())
    assert documents[slices[0]].min() >= max(documents[columns].max() for columns in slices[1:])
    assert [len(one) for one in vocabulary_slices(views, views.shape[1], np.random.default_rng(0))] == [views.shape[1]]


def test_slices_are_cut_by_columns_however_few_the_documents():
    views = ViewsVectorizer(drop_top=0, min_count=1).fit_transform(planted(rows=30, vocabulary=300, words=40))
    few = views.shape[1] // 3
    assert len(views) * 2 < few < views.shape[1]
    one, two = (OPCA(10, block_terms=few, stages=stages, random_state=0).fit(views) for stages in (1, 2))
    assert two.values_.sum() < 0.999 * one.values_.sum()


def test_two_stages_with_slices_of_words_that_occur_together_are_nearly_one():
    views = ViewsVectorizer(drop_top=0, min_count=1).fit_transform(planted(rows=500, vocabulary=200, words=40))
    train, test = views[:400], views[400:]
    whole = OPCA(30, random_state=0).fit(train).score(test)
    parts = OPCA(30, block_terms=-(-train.shape[1] // 4), stages=2, random_state=0).fit(train).score(test)
    assert parts > whole - 0.03
