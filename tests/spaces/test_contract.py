"""What every space of the table must do, whatever its formula."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, PredefinedSplit

from babelspace.corpus import planted
from babelspace.features import Views
from babelspace.runtime import threads
from babelspace.spaces import SPACES, make
from babelspace.vectors.similarity import as_dense, pairwise
from tests import families
from tests.conftest import separated
from tests.oracles.spaces import cosines
from tests.spaces.parts import (
    COUNTING,
    LEARNED,
    LINEAR,
    TRAIN,
    TRANSLATED,
    assert_identical,
    every_linear_space,
    every_space,
    features,
    separated_space,
    small,
    suited,
)


@pytest.fixture
def planted_views(name, planted_views, planted_counts, planted_translated):
    """Counts or translated texts for the spaces that need them."""
    return planted_counts if name in COUNTING else planted_translated if name in TRANSLATED else planted_views


@pytest.fixture
def separated_views(name, separated_views):
    return suited(name, separated_views)


@every_space
def test_clone_keeps_the_parameters_and_forgets_the_fit(name, fitted, planted_views):
    space = fitted(name)
    fresh = clone(space)
    assert fresh.get_params() == space.get_params()
    assert not [attribute for attribute in vars(fresh) if attribute.endswith("_")]
    with pytest.raises(NotFittedError):
        fresh.transform(planted_views)


@every_space
def test_nothing_but_parameters_before_the_fit(name):
    space = small(name)
    assert set(vars(space)) == set(space.get_params())


@every_space
def test_fit_changes_no_parameter_and_gives_itself(name, planted_views):
    space = small(name)
    before = space.get_params()
    assert space.fit(planted_views) is space
    assert space.get_params() == before
    assert space.languages_ == planted_views.languages
    assert space.n_features_in_ == planted_views.shape[1]


@every_space
def test_fitting_twice_gives_the_same(name, planted_views, separated_views):
    for views in (planted_views[:TRAIN], separated_views):
        space = separated_space(name).fit(views)
        vectors = space.transform(views)
        assert_identical(vectors, clone(space).fit(views).transform(views))
        assert_identical(vectors, space.fit(views).transform(views))


@every_space
def test_the_views_are_left_alone(name, planted_views):
    before = {language: matrix.copy() for language, matrix in planted_views.items()}
    small(name).fit(planted_views).transform(planted_views)
    for language, matrix in planted_views.items():
        np.testing.assert_array_equal(matrix.toarray(), before[language].toarray())


@every_space
def test_list_dict_and_views_are_the_same_input(name, planted_views):
    matrices = [matrix for _, matrix in planted_views.items()]
    named = {str(number): matrix for number, matrix in enumerate(matrices)}
    inputs = [Views(named), named, matrices, {language: matrix.toarray() for language, matrix in named.items()}]
    results = [small(name, 5).fit(given).transform(given) for given in inputs]
    for result in results[1:]:
        assert_identical(results[0], result)


@every_space
def test_vectors_do_not_depend_on_their_batch(name, fitted, planted_views):
    space = fitted(name)
    matrix = planted_views["es"][:30]
    together = as_dense(space.transform(matrix, "es"))
    for step in (1, 7):
        batches = [as_dense(space.transform(matrix[at : at + step], "es")) for at in range(0, matrix.shape[0], step)]
        np.testing.assert_array_equal(np.vstack(batches), together)
    assert as_dense(space.transform(matrix[:0], "es")).shape == (0, together.shape[1])


@every_space
def test_a_matrix_with_its_language_is_that_part_of_the_views(name, fitted, planted_views):
    space = fitted(name)
    both = space.transform(planted_views)
    assert set(both) == {"en", "es"}
    for language in both:
        assert_identical({"x": both[language]}, {"x": space.transform(planted_views[language], language)})


@every_space
def test_language_order_is_irrelevant(name, separated_views):
    turned = separated_views.only(["es", "en"])
    first, second = (separated_space(name).fit(views).transform(views) for views in (separated_views, turned))
    np.testing.assert_allclose(cosines(first), cosines(second), atol=2e-3)


@every_space
def test_language_order_is_irrelevant_among_three(name, rng):
    views = suited(name, separated(rng, columns=100, languages=("en", "es", "de")))
    first, second = (
        separated_space(name).fit(given).transform(given) for given in (views, views.only(["de", "en", "es"]))
    )
    np.testing.assert_allclose(cosines(first), cosines(second), atol=2e-3)


@every_space
def test_row_order_of_the_training_rows_is_irrelevant(name, separated_views, rng):
    shuffled = separated_views[rng.permutation(len(separated_views))]
    first, second = (
        separated_space(name).fit(views).transform(separated_views) for views in (separated_views, shuffled)
    )
    np.testing.assert_allclose(cosines(first), cosines(second), atol=2e-3)


@every_space
def test_the_number_of_threads_is_irrelevant(name, planted_views, separated_views):
    for views, space in ((planted_views, small(name)), (separated_views, separated_space(name))):
        results = []
        for count in (1, 2):
            with threads.limit(count):
                results.append(clone(space).fit(views).transform(views))
        np.testing.assert_allclose(cosines(results[0]), cosines(results[1]), atol=1e-4)


@every_space
def test_projection_is_bitwise_the_same_with_any_number_of_threads(name, fitted, planted_views):
    space = fitted(name)
    with threads.limit(1):
        one = space.transform(planted_views)
    with threads.limit(2):
        assert_identical(one, space.transform(planted_views))


@every_space
def test_vectors_are_float32_and_finite(name, fitted, planted_views):
    for vectors in fitted(name).transform(planted_views).values():
        assert vectors.dtype == np.float32
        assert np.isfinite(as_dense(vectors)).all()


@every_space
def test_a_document_without_known_words_is_the_zero_vector_and_never_found(name, planted_views):
    settings = {"center": True} if "center" in small(name).get_params() else {}
    space = small(name, **settings).fit(planted_views)
    empty = np.zeros((3, planted_views.shape[1]))
    assert not as_dense(space.transform(empty, "en")).any()
    matrices = {language: matrix.toarray() for language, matrix in planted_views[:20].items()}
    matrices["es"][:] = 0
    assert space.score(matrices) == 0


@pytest.mark.parametrize("name", families.spaces(LEARNED))
def test_finds_planted_mates_where_no_spelling_is_shared(name, planted_views):
    train, test = planted_views[:TRAIN], planted_views[TRAIN:]
    assert make("untranslated").fit(train).score(test) == 0
    assert small(name, 24).fit(train).score(test) > 0.5


@pytest.mark.parametrize("name", families.spaces(LEARNED))
def test_is_far_better_than_the_shared_names_alone(name, global_random_seed):
    views = features(name).fit_transform(planted(240, vocabulary=110, seed=global_random_seed))
    train, test = views[:TRAIN], views[TRAIN:]
    baseline = make("untranslated").fit(train).score(test)
    assert 0.02 < baseline < 0.4
    assert small(name, 24).fit(train).score(test) > baseline + 0.3


@pytest.mark.parametrize("name", families.spaces(LEARNED))
def test_learns_nothing_from_shuffled_mates(name, planted_views, rng):
    rows = rng.permutation(TRAIN)
    train = {"en": planted_views["en"][:TRAIN], "es": planted_views["es"][:TRAIN][rows]}
    assert small(name, 24).fit(train).score(planted_views[TRAIN:]) < 0.2


@every_space
def test_three_languages_with_holes(name, global_random_seed):
    corpus = planted(240, languages=("en", "es", "de"), vocabulary=80, shared=0.1, holes=0.25, seed=global_random_seed)
    views = features(name).fit_transform(corpus)
    space = small(name).fit(views[:TRAIN])
    vectors = space.transform(views)
    assert set(vectors) == {"en", "es", "de"}
    for language, matrix in vectors.items():
        assert np.isfinite(as_dense(matrix)).all()
        assert not as_dense(matrix)[~views.present[language]].any()
    baseline = make("untranslated").fit(views[:TRAIN]).score(views[TRAIN:])
    if name in LEARNED:
        assert space.score(views[TRAIN:]) > baseline + 0.2


@every_space
def test_score_is_the_share_of_mates_found_first(name, planted_views):
    test = planted_views[TRAIN:]
    space = small(name).fit(planted_views[:TRAIN])
    vectors, n = space.transform(test), len(test)
    scores = cosines(vectors)[:n, n:]
    if space.similarity != "cosine":
        scores = next(pairwise(vectors["en"], vectors["es"], space.similarity))
    own = np.diag(scores)
    here = (scores >= own[:, None] - 1e-6).sum(axis=1) == 1
    there = (scores >= own - 1e-6).sum(axis=0) == 1
    assert space.score(test) == pytest.approx((here.mean() + there.mean()) / 2, abs=0.02)


@every_space
def test_grid_search_on_a_dev_split(name, planted_views):
    fold = np.where(np.arange(len(planted_views)) < TRAIN, -1, 0)
    grid = {key: values[:2] for key, values in SPACES[name].grid.items()}
    if name in LINEAR:
        grid["n_components"] = [5, 20]
    search = GridSearchCV(small(name), grid, cv=PredefinedSplit(fold), n_jobs=1, error_score="raise")
    search.fit(planted_views)
    best = small(name, **search.best_params_).fit(planted_views[:TRAIN])
    assert search.best_score_ == best.score(planted_views[TRAIN:])
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert search.best_estimator_.languages_ == ("en", "es")


@every_linear_space
def test_more_dimensions_than_the_data_have_warns_and_works(name, rng):
    views = {"en": rng.random((9, 7)), "es": rng.random((9, 7))}
    space = small(name, 50)
    with pytest.warns(UserWarning, match=r"n_components=50 is more than these data can give; [789] are used"):
        space.fit(views)
    vectors = space.transform(views)
    assert vectors["en"].shape == (9, space.n_components_)
    assert space.n_components_ <= 9
    assert np.isfinite(vectors["en"]).all()


@every_linear_space
def test_as_many_dimensions_as_the_data_have_is_silent(name, rng):
    views = {"en": rng.random((9, 7)), "es": rng.random((9, 7))}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert small(name, 7).fit(views).n_components_ == 7


@every_linear_space
def test_truncated_is_the_fit_with_fewer_dimensions(name, separated_views):
    whole = separated_space(name, 6).fit(separated_views)
    for dimensions in (1, 4):
        cut, direct = whole.truncated(dimensions), separated_space(name, dimensions).fit(separated_views)
        assert cut.n_components_ == direct.n_components_ == dimensions
        assert cut.get_params() == direct.get_params()
        np.testing.assert_allclose(cut.values_, direct.values_, rtol=1e-3)
        np.testing.assert_allclose(
            cosines(cut.transform(separated_views)), cosines(direct.transform(separated_views)), atol=5e-3
        )
    assert whole.n_components_ == whole.n_components == 6


@every_linear_space
def test_dimensions_are_in_order_of_importance(name, fitted):
    values = fitted(name).values_
    assert len(values) == 20
    assert (np.diff(values) <= 1e-6 * values[0]).all()
    assert (values > 0).all()


@every_linear_space
def test_projection_is_linear(name, planted_views):
    space = small(name, center=False).fit(planted_views)
    rows = planted_views["en"]
    combined = space.transform(2 * rows[:5] + 3 * rows[5:10], "en")
    vectors = space.transform(rows[:10], "en")
    np.testing.assert_allclose(
        combined, 2 * vectors[:5] + 3 * vectors[5:], rtol=1e-4, atol=1e-4 * np.abs(combined).max()
    )
