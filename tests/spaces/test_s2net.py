"""S2Net: gradients by differences, vectors that have not seen their rows, and what training must not do."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.corpus import planted
from babelspace.errors import ParameterError
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import CCA, OPCA, S2Net
from babelspace.spaces.discriminative import s2net
from babelspace.spaces.discriminative.contrastive_loss import contrastive_loss
from babelspace.spaces.discriminative.out_of_fold import content_order, out_of_fold_vectors, rotation


def loss_of_one_pair_at_a_time(vectors, mates, temperature):
    """The definition: mean over pairs of the two cross entropies."""
    total, count = 0.0, 0
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for left, right in mates:
        for i, j in zip(left, right, strict=True):
            forward = [np.exp(unit[i] @ unit[k] / temperature) for k in right]
            backward = [np.exp(unit[k] @ unit[j] / temperature) for k in left]
            own = np.exp(unit[i] @ unit[j] / temperature)
            total -= (np.log(own / sum(forward)) + np.log(own / sum(backward))) / 2
            count += 1
    return total / count


@pytest.fixture
def batch(rng):
    mates = [(np.arange(5), np.arange(5, 10)), (np.arange(5, 9), np.arange(10, 14))]
    return rng.standard_normal((14, 6)), mates


def test_the_loss_is_its_definition(batch):
    vectors, mates = batch
    loss, _ = contrastive_loss(vectors, mates, 0.3)
    assert loss == pytest.approx(loss_of_one_pair_at_a_time(vectors, mates, 0.3))


def test_the_gradient_is_that_of_the_summed_loss(batch):
    vectors, mates = batch
    pairs = sum(len(left) for left, _ in mates)
    _, gradient = contrastive_loss(vectors, mates, 0.3)
    expected = np.zeros_like(vectors)
    for place in np.ndindex(vectors.shape):
        step = np.zeros_like(vectors)
        step[place] = 1e-5
        ahead, behind = (contrastive_loss(vectors + sign * step, mates, 0.3)[0] for sign in (1, -1))
        expected[place] = pairs * (ahead - behind) / 2e-5
    np.testing.assert_allclose(gradient, expected, atol=1e-6)


def test_a_zero_vector_changes_nothing(batch):
    vectors, mates = batch
    vectors[3] = 0
    loss, gradient = contrastive_loss(vectors, mates, 0.3)
    assert np.isfinite(loss)
    assert np.isfinite(gradient).all()


def test_content_order_knows_neither_rows_nor_languages(planted_views, rng):
    order = content_order(planted_views)
    shuffle = rng.permutation(len(planted_views))
    turned = planted_views.only(["es", "en"])[shuffle]
    np.testing.assert_array_equal(shuffle[content_order(turned)], order)


def test_rotation_finds_the_turn(rng):
    source = {"en": rng.standard_normal((30, 5)), "es": rng.standard_normal((30, 5))}
    turn = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    np.testing.assert_allclose(rotation(source, {name: rows @ turn for name, rows in source.items()}), turn, atol=1e-6)


def test_vectors_out_of_fold_have_not_seen_their_rows(planted_views):
    order = content_order(planted_views)
    held, kept = order[::3], np.sort(np.setdiff1d(order, order[::3]))
    whole = OPCA(8).fit(planted_views)
    vectors = out_of_fold_vectors(planted_views, whole, lambda part: OPCA(8).fit(part), 3, order)
    space = OPCA(8).fit(planted_views[kept])
    for name in planted_views.languages:
        unseen = space.transform(planted_views[name][held], name)
        # The same up to a turn: all products are the same.
        np.testing.assert_allclose(vectors[name][held] @ vectors[name][held].T, unseen @ unseen.T, rtol=1e-2, atol=1e-2)


def test_of_many_rows_some_folds_are_enough(planted_views, monkeypatch):
    order = content_order(planted_views)
    whole = OPCA(4).fit(planted_views)
    vectors = out_of_fold_vectors(planted_views, whole, lambda part: OPCA(4).fit(part), 3, order, fitted=1)
    for name in planted_views.languages:
        there = planted_views.present[name]
        np.testing.assert_array_equal(vectors[name].any(axis=1), there & np.isin(np.arange(len(order)), order[::3]))
    monkeypatch.setattr(s2net, "folds_to_fit", lambda rows, folds: 1)
    views = corpus_views(800, shared=0.1, holes=0.2)
    space = S2Net(6).fit(views[:600])
    assert len(space.losses_) > 1
    assert space.score(views[600:]) > OPCA(6).fit(views[:600]).score(views[600:]) - 0.1


def corpus_views(rows=300, **settings):
    return ViewsVectorizer(drop_top=0).fit_transform(planted(rows, vocabulary=150, **settings))


@pytest.mark.parametrize("start", ["opca", "cca", "cl-lsi"])
def test_training_lowers_the_held_out_loss_and_keeps_what_the_start_has_found(start):
    views = corpus_views(800, shared=0.1)
    train, test = views[:600], views[600:]
    space = S2Net(6, start=start).fit(train)
    plain = space._start(6).fit(train)
    assert len(space.losses_) > 1
    assert (np.diff(space.losses_) < 0).all()
    # 200 test rows: three standard errors.
    assert space.score(test) > plain.score(test) - 0.1


def test_a_start_with_projections_of_their_own_keeps_them_apart():
    views = corpus_views(shared=0.3)
    space = S2Net(8, start="cca").fit(views)
    assert space.weights_["en"] is not space.weights_["es"]
    assert {len(space.weights_[name]) for name in views.languages} == {
        len(CCA(8).fit(views).weights_[name]) for name in views.languages
    }


def test_without_a_step_that_helps_it_is_its_start(planted_views, rng):
    # Mates that have nothing in common but chance teach nothing.
    noise = Views({name: rng.random((60, 40)) * (rng.random((60, 40)) < 0.3) for name in ("en", "es")})
    space = S2Net(6, wide=1, temperature=0.01).fit(noise)
    if len(space.losses_) == 1:
        start = OPCA(6).fit(noise).transform(noise)
        for name, rows in space.transform(noise).items():
            cosines = np.sum(rows * start[name], axis=1) / np.linalg.norm(rows, axis=1)
            np.testing.assert_allclose(cosines / np.linalg.norm(start[name], axis=1), 1, atol=1e-4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"start": "lda"}, "start must be one of opca, cca, cl-lsi, got 'lda'"),
        ({"folds": 1}, "folds must be a whole number, 2 or more, got 1"),
        ({"dropout": 1.0}, "dropout must be a number, 0 or more and below 1, got 1.0"),
        ({"temperature": 0}, "temperature must be a number above 0, got 0"),
        ({"folds": 100}, r"needs 800 of them, got 240"),
    ],
)
def test_settings_outside_their_range(planted_views, settings, message):
    with pytest.raises(ParameterError, match=message):
        S2Net(4, **settings).fit(planted_views)
