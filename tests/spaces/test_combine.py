"""Combinations are weighted sums of what their parts say."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, PredefinedSplit

from babelspace.corpus import planted
from babelspace.errors import ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.spaces import CLLSI, OPCA, Combine, Encoder, Space, Untranslated, make
from babelspace.spaces.combine import mean_norm, parse_weights
from babelspace.spaces.explain import AVERAGE, contributions
from babelspace.spaces.registry import SpaceCard, card, defaults, part_labels
from babelspace.vectors.similarity import as_dense, prepare
from tests.spaces.parts import TRAIN, assert_identical

NAMES = "cl-lsi+opca"


@pytest.fixture(scope="module")
def parts(planted_views):
    return [CLLSI(6).fit(planted_views), OPCA(9, gamma=0.3).fit(planted_views)]


def combined(planted_views, **settings):
    given = {"cl-lsi.n_components": 6, "opca.n_components": 9, "opca.gamma": 0.3}
    return make(NAMES, **given, **settings).fit(planted_views)


def plain_cosine(x, y):
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


def test_by_name_of_fitted_and_by_hand_are_the_same(planted_views, parts):
    weights = (2.0, 1.0)
    by_name = combined(planted_views, weights="2:1").transform(planted_views)
    assert_identical(by_name, Combine.of_fitted(parts, planted_views, weights).transform(planted_views))
    scales = [
        np.mean([np.linalg.norm(row) for rows in part.transform(planted_views).values() for row in rows])
        for part in parts
    ]
    for language, rows in by_name.items():
        own = [part.transform(planted_views[language], language) for part in parts]
        by_hand = np.hstack([w / s * vectors for w, s, vectors in zip(weights, scales, own, strict=True)])
        np.testing.assert_allclose(rows, by_hand, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("weights", [None, "1:3", (0.5, 2)])
def test_with_unit_scale_the_cosine_is_the_weighted_mean_of_the_cosines(planted_views, parts, weights):
    space = Combine.of_fitted(parts, weights=weights, scale="unit")
    squares = parse_weights(weights, 2) ** 2
    english, spanish = (space.transform(planted_views[name][:8], name) for name in ("en", "es"))
    for i in range(8):
        for j in range(8):
            own = [
                plain_cosine(
                    part.transform(planted_views["en"][[i]], "en")[0].astype(float),
                    part.transform(planted_views["es"][[j]], "es")[0].astype(float),
                )
                for part in parts
            ]
            expected = squares @ own / squares.sum()
            assert plain_cosine(english[i].astype(float), spanish[j].astype(float)) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("scale", ["norms", "none"])
def test_inner_products_add_up(planted_views, parts, scale):
    space = Combine.of_fitted(parts, planted_views, (2, 1), scale)
    both = space.transform(planted_views)
    products = both["en"] @ both["es"].T
    own = [part.transform(planted_views) for part in parts]
    lengths = [mean_norm(part, planted_views) if scale == "norms" else 1.0 for part in parts]
    factors = [(w / length) ** 2 for w, length in zip((2, 1), lengths, strict=True)]
    expected = sum(f * (vectors["en"] @ vectors["es"].T) for f, vectors in zip(factors, own, strict=True))
    np.testing.assert_allclose(products, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_equal_weights_give_every_part_the_same_length_on_average(planted_views):
    space = combined(planted_views)
    vectors = np.vstack(list(space.transform(planted_views).values()))
    for part in (vectors[:, :6], vectors[:, 6:]):
        assert np.linalg.norm(part, axis=1).mean() == pytest.approx(1, rel=1e-4)


def test_holes_and_unknown_words_do_not_count_in_the_mean_length():
    corpus = planted(rows=60, holes=0.3, vocabulary=40)
    views = ViewsVectorizer(drop_top=0).fit_transform(corpus)
    space = CLLSI(5).fit(views)
    lengths = [
        np.linalg.norm(row)
        for name, rows in space.transform(views).items()
        for row, here in zip(rows, views.present[name], strict=True)
        if here and row.any()
    ]
    assert mean_norm(space, views) == pytest.approx(np.mean(lengths))


def test_weight_of_zero_leaves_the_other_part(planted_views, parts):
    alone = Combine.of_fitted(parts, planted_views, "0:1")
    assert alone.score(planted_views) == parts[1].score(planted_views)


def test_weights_and_scale_change_without_a_fit(planted_views, parts):
    space = Combine.of_fitted(parts, planted_views)
    before = space.transform(planted_views["en"], "en")
    space.set_params(weights="1:2", scale="unit")
    assert_identical(
        space.transform(planted_views),
        Combine.of_fitted(parts, planted_views, "1:2", "unit").transform(planted_views),
    )
    space.set_params(weights=None, scale="norms")
    np.testing.assert_array_equal(space.transform(planted_views["en"], "en"), before)


def test_sparse_stays_sparse_and_dense_wins(planted_views):
    sparse = make("untranslated+untranslated", weights="1:2", scale="none").fit(planted_views)
    vectors = sparse.transform(planted_views["en"], "en")
    assert sp.issparse(vectors)
    assert vectors.dtype == np.float32
    matrix = planted_views["en"].toarray()
    np.testing.assert_array_equal(vectors.toarray(), np.hstack([matrix, 2 * matrix]))
    mixed = make("untranslated+cl-lsi", n_components=4, scale="none").fit(planted_views)
    both = mixed.transform(planted_views["en"], "en")
    assert isinstance(both, np.ndarray)
    np.testing.assert_array_equal(both[:, :-4], matrix)
    assert mixed.n_components_ == both.shape[1] == matrix.shape[1] + 4


def test_unit_scale_of_sparse_vectors(planted_views):
    space = make("untranslated+untranslated", scale="unit").fit(planted_views)
    lengths = sp.linalg.norm(space.transform(planted_views["en"], "en"), axis=1)
    np.testing.assert_allclose(lengths[lengths > 0], np.sqrt(2), rtol=1e-5)


def test_three_parts_and_one_twice(planted_views):
    space = make("opca+untranslated+opca", **{"opca.n_components": 3, "opca-2.n_components": 5, "weights": "1:1:2"})
    space.fit(planted_views)
    assert [part.n_components for part in (space.parts_[0], space.parts_[2])] == [3, 5]
    assert part_labels(["opca", "untranslated", "opca"]) == ["opca", "untranslated", "opca-2"]


def test_shared_parameters_reach_every_part_that_has_them(planted_views):
    space = make("cl-lsi+untranslated+opca", n_components=7, random_state=3, **{"opca.n_components": 4})
    first, _, last = space.fit(planted_views).parts_
    assert (first.n_components, first.random_state) == (7, 3)
    assert (last.n_components, last.random_state) == (4, 3)


@pytest.mark.parametrize("names", [NAMES, "untranslated+cl-lsi+opca"])
@pytest.mark.parametrize("fitted", [False, True])
def test_saved_and_loaded(names, fitted, tmp_path):
    corpus = planted(rows=80, vocabulary=40)
    vectorizer = ViewsVectorizer(drop_top=0)
    views = vectorizer.fit_transform(corpus)
    space = make(names, n_components=5, weights=[1, 2, 3][: names.count("+") + 1], **{"opca.gamma": 0.7}).fit(views)
    if fitted:
        space = Combine.of_fitted(space.parts_, views, "1:2" if names == NAMES else "1:2:3")
    encoder = Encoder.of_fitted(vectorizer, space, corpus)
    encoder.save(tmp_path / "model")
    read = Encoder.load(tmp_path / "model")
    assert_identical(read.transform(corpus), encoder.transform(corpus))
    assert read.space.parts_[-1].gamma == 0.7
    assert read.space.n_components_ == space.n_components_
    assert read.space.set_params(weights=None).score(views) == space.set_params(weights=None).score(views)


def test_of_fitted_fits_nothing(planted_views, parts, monkeypatch):
    monkeypatch.setattr(Space, "fit", lambda *_: pytest.fail("fitted again"))
    Combine.of_fitted(parts, planted_views).transform(planted_views)


def test_clone_and_parameters_of_parts(planted_views):
    space = Combine(NAMES, weights=[1, 2], parameters={"opca.gamma": 0.3}, n_components=5)
    fresh = clone(space)
    assert fresh.get_params() == space.get_params()
    fresh.set_params(**{"opca.gamma": 1.0, "cl-lsi.tol": 0.1, "weights": "2:1"})
    assert fresh.parameters == {"opca.gamma": 1.0, "cl-lsi.tol": 0.1}
    assert space.parameters == {"opca.gamma": 0.3}
    with pytest.raises(NotFittedError):
        fresh.transform(planted_views)


def test_grid_search_over_weights_and_parameters_of_parts(planted_views):
    fold = PredefinedSplit(np.where(np.arange(len(planted_views)) < TRAIN, -1, 0))
    grid = {"weights": ["1:1", (0, 1)], "opca.gamma": [0.1, 1.0]}
    search = GridSearchCV(Combine(NAMES, n_components=10), grid, cv=fold, n_jobs=1, error_score="raise")
    search.fit(planted_views)
    train, test = planted_views[:TRAIN], planted_views[TRAIN:]
    expected = make(NAMES, n_components=10, **search.best_params_).fit(train).score(test)
    assert search.best_score_ == expected
    assert len(set(search.cv_results_["mean_test_score"])) > 1


def test_the_card_of_a_combination():
    entry = card("cca+untranslated+opca")
    assert entry.load() is Combine
    assert entry.grid["weights"] == ["1:1:1", "1:1:2", "1:2:1", "2:1:1", "1:1:4", "1:4:1", "4:1:1"]
    assert card("cca+opca").grid == card("combine").grid
    known = defaults("cca+opca+opca")
    assert {"weights", "scale", "cca.gamma", "opca.gamma", "opca-2.gamma", "n_components"} <= known.keys()
    assert not {"spaces", "parameters", "gamma"} & known.keys()


@given(st.lists(st.floats(0, 100), min_size=2, max_size=5).filter(any))
def test_weights_as_text_and_as_numbers(weights):
    np.testing.assert_array_equal(parse_weights(weights, len(weights)), weights)
    text = ":".join(map(repr, weights))
    np.testing.assert_array_equal(parse_weights(text, len(weights)), weights)


@pytest.mark.parametrize("weights", ["1", "1:2:3", "1:x", "", "0:0", "-1:2", "nan:1", (1,), [[1, 2]], 5, "norms"])
def test_weights_that_are_none(weights):
    with pytest.raises(ParameterError, match=r'does not weigh 2 spaces: .* Write for example "2:1"'):
        Combine(NAMES, weights=weights).blank_parts()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: make("cl-lsi+lsa"), "unknown space 'lsa'; known: untranslated"),
        (lambda: make("cl-lsi+"), "unknown space ''"),
        (lambda: make("combine+opca"), "needs two or more names of other spaces, got 'combine\\+opca'"),
        (lambda: Combine("opca").blank_parts(), "needs two or more names of other spaces, got 'opca'"),
        (lambda: make(NAMES, gamma=1), "has no parameter gamma; it has: n_components, parameters"),
        (lambda: make(NAMES, **{"cca.gamma": 1}), "'cca.gamma' is no parameter of a part; the parts are cl-lsi, opca"),
        (lambda: make(NAMES, **{"opca.gama": 1}), "opca has no parameter gama"),
        (lambda: make(NAMES, scale="length"), "unknown scale 'length' of a combination. Use one of norms, unit, none"),
    ],
)
def test_bad_settings_are_told_before_any_fit(build, message):
    with pytest.raises(ParameterError, match=message):
        build()


def test_fitted_spaces_that_do_not_fit_together(planted_views, parts):
    other = CLLSI(3).fit({"en": np.eye(4), "es": np.eye(4)})
    with pytest.raises(ParameterError, match="cl-lsi-2 was fitted on 4 columns in en, es, cl-lsi on"):
        Combine.of_fitted([parts[0], other], planted_views)
    with pytest.raises(ParameterError, match="needs training documents"):
        Combine.of_fitted(parts)
    without = Combine.of_fitted(parts, scale="none")
    with pytest.raises(ParameterError, match="mean lengths are not known"):
        without.set_params(scale="norms").transform(planted_views)


class Distant(Untranslated):
    """Compared by a distance."""

    similarity: ClassVar[str] = "l1"


def test_a_space_without_cosine_is_refused(monkeypatch):
    entry = SpaceCard(f"{__name__}:Distant", "A distance", "Nobody 2000", "none")
    monkeypatch.setitem(__import__("babelspace").SPACES, "distant", entry)
    with pytest.raises(ParameterError, match="distant compares vectors by l1, which does not add up"):
        make("opca+distant")


@pytest.fixture(scope="module")
def both_kinds():
    corpus = planted(rows=120, vocabulary=60)
    vectorizer = ViewsVectorizer("both", drop_top=0)
    return corpus, vectorizer, vectorizer.fit_transform(corpus)


def test_each_part_reads_its_own_kind(both_kinds):
    _, _, views = both_kinds
    table = views.words.table("en") | views.words.table("es")
    spelled = np.array(sorted({column for term, column in table.items() if term.startswith("#")}))
    words = np.setdiff1d(np.arange(views.shape[1]), spelled)
    assert len(spelled)
    assert len(words)
    space = make("cl-lsi+opca+untranslated", n_components=5, reads="words:ngrams:both").fit(views)
    by_hand = [
        CLLSI(5).fit(views.of_columns(words)),
        OPCA(5).fit(views.of_columns(spelled)),
        Untranslated().fit(views),
    ]
    seen = [views["es"][:, words], views["es"][:, spelled], views["es"]]
    expected = [prepare(part.transform(rows, "es")).rows for part, rows in zip(by_hand, seen, strict=True)]
    found = space.set_params(scale="unit").transform(views["es"], "es")
    np.testing.assert_array_equal(found, np.hstack([as_dense(rows) for rows in expected]))


def test_what_each_kind_counts_is_learned_saved_and_explained(both_kinds, tmp_path):
    corpus, vectorizer, views = both_kinds
    given = {"n_components": 8, "weights": "learned", "scale": "unit", "reads": "words:ngrams"}
    space = make("opca+opca", **given).fit(views)
    assert space.learned_.min() > 0
    assert (space.learned_**2).sum() == pytest.approx(1)
    encoder = Encoder.of_fitted(vectorizer, space, corpus)
    encoder.save(tmp_path / "model")
    assert_identical(Encoder.load(tmp_path / "model").transform(corpus), encoder.transform(corpus))
    texts = corpus.texts("en")[3], corpus.texts("es")[3]
    told = contributions(encoder, texts[0], "en", texts[1], "es")
    english, spanish = (encoder.encode([text], name)[0] for text, name in zip(texts, ("en", "es"), strict=True))
    assert told.score == pytest.approx(plain_cosine(english.astype(float), spanish.astype(float)), abs=1e-5)
    word, gram = (
        next(place for place, term in enumerate(told.source_terms) if term.startswith("#") == kind)
        for kind in (False, True)
    )
    spelled = np.array([term.startswith("#") for term in told.target_terms])
    written = ~spelled & np.array([term != AVERAGE for term in told.target_terms])
    # A word and an n-gram stand in different parts: together they add nothing.
    assert not told.values[word, spelled].any()
    assert not told.values[gram, written].any()


@pytest.mark.parametrize("reads", ["words", "words:both:both", "words:characters", ""])
def test_reads_that_tell_nothing(reads):
    with pytest.raises(ParameterError, match=r'does not tell what 2 spaces read: .* Write for example "words:both"'):
        make(NAMES, reads=reads)


def test_words_alone_have_one_kind(planted_views):
    with pytest.raises(ParameterError, match="have one kind only"):
        make(NAMES, n_components=4, reads="words:ngrams").fit(planted_views)
