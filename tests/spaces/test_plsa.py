"""Joint PLSA against its formulas: EM, start, fold-in, early stopping."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from babelspace.corpus import planted
from babelspace.errors import ArtifactError, ParameterError
from babelspace.features import Views, ViewsVectorizer
from babelspace.runtime import threads
from babelspace.spaces import CPLSA, JPLSA
from babelspace.spaces.topics.base import TopicModel
from babelspace.spaces.topics.checkpoint import TrainingCheckpoint
from babelspace.spaces.topics.plsa.base import words_by_frequency
from babelspace.spaces.topics.plsa.training import Training

pytestmark = pytest.mark.family("plsa")


@pytest.fixture(scope="module")
def counts(global_random_seed):
    corpus = planted(260, languages=("en", "es", "de"), vocabulary=120, holes=0.2, seed=global_random_seed)
    return ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(corpus)


def literal_em(views, topics, iterations, alpha=1.1, beta=1.01):
    """The model as it is described: φ, θ and the log posterior before each iteration, in dense float64."""
    x = sum(matrix.toarray().astype(float) for _, matrix in views.items())
    columns, frequency = x.shape[1], x.sum(axis=0)
    topic_of = {int(w): place * topics // columns for place, w in enumerate(np.argsort(-frequency, kind="stable"))}
    hard = np.zeros((columns, topics))
    for w, t in topic_of.items():
        hard[w, t] = 1
    theta, phi = x @ hard + alpha - 1, hard * frequency[:, None] + beta - 1
    theta, phi = theta / theta.sum(axis=1, keepdims=True), phi / phi.sum(axis=0)
    history = []
    for _ in range(iterations):
        mixture = theta @ phi.T
        history.append((x * np.log(mixture)).sum() + (alpha - 1) * np.log(theta).sum() + (beta - 1) * np.log(phi).sum())
        ratio = x / mixture
        theta, phi = theta * (ratio @ phi) + alpha - 1, phi * (ratio.T @ theta) + beta - 1
        theta, phi = theta / theta.sum(axis=1, keepdims=True), phi / phi.sum(axis=0)
    return phi, np.array(history)


def test_em_is_the_literal_one(counts):
    space = JPLSA(6, max_iter=25, validation=0, tol=0).fit(counts)
    phi, history = literal_em(counts, 6, 25)
    np.testing.assert_allclose(space.words_, phi, rtol=5e-3, atol=1e-6)
    np.testing.assert_allclose(space.objective_, history, rtol=1e-6)
    assert space.n_iter_ == 25


@pytest.mark.parametrize("settings", [{}, {"alpha": 1.0, "beta": 1.0}, {"alpha": 2.0, "beta": 1.5}], ids=str)
def test_the_log_posterior_never_falls(counts, settings):
    history = JPLSA(8, max_iter=120, validation=0, tol=0, **settings).fit(counts).objective_
    assert len(history) == 120
    assert (np.diff(history) > -1e-6 * np.abs(history[1:])).all()


def test_stops_when_the_posterior_stands_still(counts):
    space = JPLSA(8, validation=0, tol=1e-5, check_every=5).fit(counts)
    assert 5 < space.n_iter_ < 500
    grown = (space.objective_[5:] - space.objective_[:-5]) / np.abs(space.objective_[5:])
    assert grown[-1] < 5e-5 <= grown[-6::-5].min()  # looked at every fifth iteration


def test_the_start_gives_each_topic_as_many_words_of_like_frequency():
    frequency = np.array([5, 50, 40, 1, 2, 30, 3])
    topic = words_by_frequency(frequency, 3).toarray().argmax(axis=1)
    assert topic.tolist() == [1, 0, 0, 2, 2, 0, 1]
    assert words_by_frequency(np.ones(5), 2).sum(axis=1).tolist() == [1] * 5
    assert np.bincount(words_by_frequency(np.arange(1000), 7).toarray().argmax(axis=1)).tolist() == [143] * 6 + [142]


def test_fold_in_is_one_em_step_from_equal_weights(counts):
    space = JPLSA(6, max_iter=30, validation=0).fit(counts)
    x = counts["es"][:20].toarray().astype(float)
    phi = space.words_.astype(float)
    found = space.transform(x, "es")
    for row in range(20):
        expected = np.full(6, 0.1)
        for w in np.flatnonzero(x[row]):
            joint = phi[w] * (1 / 6)
            expected += x[row, w] * joint / joint.sum()
        wanted = expected / expected.sum() if x[row].any() else np.zeros(6)
        np.testing.assert_allclose(found[row], wanted, atol=1e-6)


def test_a_word_that_training_never_saw_says_nothing(counts):
    train = {name: matrix.toarray() for name, matrix in counts.items()}
    for matrix in train.values():
        matrix[:, 7] = 0
    space = JPLSA(5, max_iter=20, validation=0).fit(train)
    assert not space.words_[7].any()
    alone = np.zeros((1, counts.shape[1]))
    alone[0, 7] = 3
    assert not space.transform(alone, "en").any()
    document = counts["en"][:1].toarray()
    document[0, 7] = 0
    with_it = document + alone
    np.testing.assert_array_equal(space.transform(document, "en"), space.transform(with_it, "en"))


def test_a_row_is_its_languages_added_up(counts):
    """All that joint PLSA sees is the sum, so any other division into languages gives the same topics."""
    whole = sum(matrix for _, matrix in counts.items())
    halves = JPLSA(5, max_iter=15, validation=0).fit({"a": 0.5 * whole, "b": 0.5 * whole})
    np.testing.assert_allclose(
        JPLSA(5, max_iter=15, validation=0).fit(counts).words_, halves.words_, rtol=1e-3, atol=1e-7
    )


@pytest.mark.parametrize("kind", [JPLSA, CPLSA])
def test_topics_are_found(kind, global_random_seed):
    """Two blocks of words that never meet become topics of their own in every language."""
    rng = np.random.default_rng(global_random_seed)
    matrices = {}
    for language in ("en", "es"):
        block = rng.poisson(2.0, (60, 20))
        block[:30, 10:] = block[30:, :10] = 0
        matrices[language] = block
    space = kind(2, validation=0, max_iter=100).fit(Views.separate(matrices))
    for words in space.topic_words_.values():
        own = words[:, words.any(axis=0)]
        halves = np.stack([own[:, :10].sum(axis=1), own[:, 10:].sum(axis=1)])
        assert halves.max(axis=0).min() > 0.98
    assert isinstance(space, TopicModel)


def test_topic_words_are_distributions_over_the_words_of_the_language(counts):
    space = JPLSA(6, max_iter=30, validation=0).fit(counts)
    assert space.topic_sizes_.sum() == pytest.approx(1)
    for name, words in space.topic_words_.items():
        assert words.shape == (6, counts.shape[1])
        np.testing.assert_allclose(words.sum(axis=1), 1, rtol=1e-4)
        assert not words[:, counts[name].sum(axis=0) == 0].any()


def test_sizes_are_expected_shares_of_the_tokens(counts):
    space = JPLSA(6, max_iter=40, validation=0).fit(counts)
    frequency = sum(matrix.sum(axis=0) for _, matrix in counts.items())
    # p(w) = Σ_t size_t φ_wt is how often words occur, up to the prior.
    np.testing.assert_allclose(space.words_ @ space.topic_sizes_, frequency / frequency.sum(), atol=2e-4)


def test_early_stopping_keeps_the_best_iteration(counts):
    space = JPLSA(10, check_every=3, patience=2, max_iter=60, validation=0.2).fit(counts)
    checks = space.validation_scores_
    assert checks[:, 0].tolist() == [*range(3, 3 * len(checks) + 1, 3)]
    assert space.n_iter_ == checks[checks[:, 1] == checks[:, 1].max(), 0][-1]
    assert len(space.objective_) in (60, space.n_iter_ + 6)


def test_dev_rows_decide_in_place_of_held_out_ones(counts):
    train, dev = counts[:200], counts[200:]
    space = JPLSA(10, check_every=2, patience=1, max_iter=40).fit(train, dev=dev)
    again = JPLSA(10, max_iter=space.n_iter_, validation=0, tol=0).fit(train)
    np.testing.assert_array_equal(space.words_, again.words_)


def test_held_out_rows_do_not_depend_on_order_and_are_left_out(counts, rng):
    order = rng.permutation(len(counts))
    space = JPLSA(4, max_iter=2)
    first, second = space._divided(counts), space._divided(counts[order])
    for one, two in zip(first, second, strict=True):
        assert {row.tobytes() for row in one["en"].toarray()} == {row.tobytes() for row in two["en"].toarray()}
    train, held_out = first
    assert len(train) + len(held_out) == len(counts)
    assert len(held_out) == pytest.approx(0.1 * len(counts), abs=3)
    documents = np.sum([held_out.present[name] for name in held_out.languages], axis=0)
    assert (documents > 1).all()


def test_few_rows_are_all_learned_from(counts):
    space = JPLSA(3, max_iter=15).fit(counts[:50])
    assert space.validation_scores_.shape == (0, 2)
    assert space.n_iter_ == len(space.objective_)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alpha": 0.9}, "alpha must be a number, 1 or more, got 0.9"),
        ({"beta": 0}, "beta must be a number, 1 or more, got 0"),
        ({"n_components": 0}, "n_components must be a whole number, 1 or more, got 0"),
        ({"max_iter": 0}, "max_iter must be a whole number, 1 or more, got 0"),
        ({"validation": 1.0}, "validation must be a number, 0 or more and below 1, got 1.0"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_settings_out_of_range(settings, words, counts):
    with pytest.raises(ParameterError, match=words):
        JPLSA(**settings).fit(counts)


def test_negative_values_are_refused(rng):
    with pytest.raises(
        ParameterError, match=r'JPLSA needs counts; b has values down to -.*weighting="tf", normalize=False'
    ):
        JPLSA(2).fit({"a": np.ones((4, 3)), "b": rng.standard_normal((4, 3))})
    space = JPLSA(2, max_iter=3).fit({"a": np.ones((4, 3)), "b": np.ones((4, 3))})
    with pytest.raises(ParameterError, match="JPLSA needs counts; a has values down to -1"):
        space.transform(-np.ones((1, 3)), "a")
    with pytest.raises(ParameterError, match="dev has 2 columns in a, b, the training rows have 3 in a, b"):
        space.fit({"a": np.ones((4, 3)), "b": np.ones((4, 3))}, dev={"a": np.ones((4, 2)), "b": np.ones((4, 2))})


def test_more_topics_than_words_and_empty_rows():
    views = {"a": sp.csr_array(np.eye(4)), "b": sp.csr_array((4, 4))}
    for settings in ({}, {"alpha": 1.0, "beta": 1.0}):
        space = JPLSA(9, max_iter=5, **settings).fit(views)
        assert np.isfinite(space.words_).all()
        assert np.isfinite(space.transform(views)["a"]).all()


both = pytest.mark.parametrize("kind", [JPLSA, CPLSA])


@both
def test_neither_order_nor_threads_matter(kind, counts, rng):
    """What the contract asks on data with negative values, here on counts."""
    space = kind(8, max_iter=40)
    expected = space.fit(counts).transform(counts)
    order = rng.permutation(len(counts))
    with threads.limit(1):
        alone = space.fit(counts).transform(counts)
    turned = space.fit(counts.only(["de", "en", "es"])).transform(counts)
    shuffled = space.fit(counts[order]).transform(counts)
    for name, vectors in expected.items():
        np.testing.assert_array_equal(alone[name], vectors)
        np.testing.assert_allclose(turned[name], vectors, atol=2e-3)
        np.testing.assert_allclose(shuffled[name], vectors, atol=2e-3)


@both
def test_score_is_the_share_of_mates_nearest_in_l1(kind, counts):
    views = counts[counts.complete()].only(["en", "es"])
    space = kind(8, max_iter=40, validation=0).fit(views)
    vectors = space.transform(views)
    distance = np.abs(vectors["en"][:, None].astype(float) - vectors["es"][None]).sum(axis=2)
    hits = [(d <= np.diag(d)[:, None] + 2e-6).sum(axis=1) == 1 for d in (distance, distance.T)]
    assert space.score(views) == pytest.approx(np.mean(hits), abs=0.01)


@both
def test_state_comes_back(kind, counts):
    space = kind(6, max_iter=30).fit(counts)
    other = kind(6).set_state(space.get_state(), space.languages_, space.n_features_in_)
    np.testing.assert_array_equal(other.transform(counts["en"], "en"), space.transform(counts["en"], "en"))
    assert other.n_iter_ == space.n_iter_
    for name, words in space.topic_words_.items():
        np.testing.assert_array_equal(other.topic_words_[name], words)


class Killed(Exception):
    pass


@both
@pytest.mark.parametrize("validation", [0, 0.2])
def test_a_killed_fit_goes_on_to_the_same_result(kind, validation, counts, tmp_path, monkeypatch):
    settings = {"n_components": 6, "max_iter": 30, "check_every": 4, "validation": validation, "tol": 0}
    expected = kind(**settings).fit(counts)
    folder = str(tmp_path / "work")
    monkeypatch.setattr(TrainingCheckpoint, "write", killed_after(2, TrainingCheckpoint.write))
    with pytest.raises(Killed):
        kind(**settings, checkpoint=folder).fit(counts)
    monkeypatch.undo()
    steps = []
    monkeypatch.setattr(Training, "_look", lambda self, look=Training._look: (steps.append(self), look(self)))
    found = kind(**settings, checkpoint=folder).fit(counts)
    assert len(steps) <= len(range(4, 31, 4)) + 1 - 2
    np.testing.assert_array_equal(found.words_, expected.words_)
    np.testing.assert_array_equal(found.objective_, expected.objective_)
    np.testing.assert_array_equal(found.validation_scores_, expected.validation_scores_)
    assert found.n_iter_ == expected.n_iter_


def killed_after(times, write):
    """A writer that works so many times and then dies."""
    left = [times]

    def one(self, *parts):
        if left[0] == 0:
            raise Killed
        left[0] -= 1
        write(self, *parts)

    return one


def test_a_checkpoint_of_something_else_is_refused(counts, tmp_path):
    folder = str(tmp_path / "work")
    JPLSA(4, max_iter=13, checkpoint=folder).fit(counts)
    for space, views in ((JPLSA(4, alpha=1.2, checkpoint=folder), counts), (JPLSA(4, checkpoint=folder), counts[:90])):
        with pytest.raises(ArtifactError, match="holds the training of another corpus or other settings"):
            space.fit(views)
    more = JPLSA(4, max_iter=20, checkpoint=folder).fit(counts)
    np.testing.assert_array_equal(more.words_, JPLSA(4, max_iter=20).fit(counts).words_)
