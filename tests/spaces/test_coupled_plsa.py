"""Coupled PLSA: what its limits are, and that mates really agree."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.corpus import planted
from babelspace.errors import ParameterError
from babelspace.features import Views, ViewsVectorizer
from babelspace.runtime import threads
from babelspace.spaces import CPLSA, JPLSA
from babelspace.spaces.topics.plsa.coupled import CoupledEM, stacked

pytestmark = pytest.mark.family("plsa")


@pytest.fixture(scope="module")
def counts(global_random_seed):
    corpus = planted(200, languages=("en", "es", "de"), vocabulary=120, holes=0.2, seed=global_random_seed)
    return ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(corpus)


def apart(views):
    """Every document as a row of its own, in the order of the stack."""
    stack, _ = stacked(views)
    return Views({"a": stack, "b": 0 * stack})


def test_documents_of_a_row_stand_together(counts):
    stack, tuples = stacked(counts)
    assert tuples[-1] == stack.shape[0] == sum(mask.sum() for mask in counts.present.values())
    for row in (0, 5, 17):
        here = stack[tuples[row] : tuples[row + 1]].toarray()
        expected = [counts[name][row : row + 1].toarray()[0] for name in counts.languages if counts.present[name][row]]
        np.testing.assert_array_equal(here, expected)


@pytest.mark.parametrize("settings", [{"epsilon": 1.0}, {"penalty": 0.0}], ids=["tolerance", "price"])
def test_without_coupling_it_is_plsa_of_the_single_documents(counts, settings):
    coupled = CPLSA(6, max_iter=30, validation=0, tol=0, **settings).fit(counts)
    single = JPLSA(6, max_iter=30, validation=0, tol=0).fit(apart(counts))
    np.testing.assert_allclose(coupled.words_, single.words_, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(coupled.objective_, single.objective_, rtol=1e-6)


def test_equal_copies_of_a_document_agree_by_themselves(counts):
    """Mates that say the same need no coupling: three copies are as good as three documents on their own."""
    matrix = counts["en"]
    copies = Views({"a": matrix, "b": matrix, "c": matrix})
    coupled = CPLSA(6, max_iter=15, validation=0).fit(copies)
    single = JPLSA(6, max_iter=15, validation=0).fit(apart(copies))
    np.testing.assert_allclose(coupled.words_, single.words_, rtol=1e-3, atol=1e-7)


def fractions(engine, prior=0.1):
    """f = (θ (n + T prior) - prior) / n of every document after a step."""
    topics = engine.weights.shape[1]
    lengths = engine.lengths[:, None].astype(float)
    return (engine.weights * (lengths + topics * prior) - prior) / np.maximum(lengths, 1)


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_mates_agree_within_epsilon(counts, epsilon):
    space = CPLSA(6, epsilon=epsilon, projection_tol=1e-5, projection_steps=500)
    engine = CoupledEM(space, counts)
    for _ in range(5):
        engine.step()
    found = fractions(engine)
    for first, last in zip(engine.tuples, engine.tuples[1:], strict=False):
        here = found[first:last][engine.lengths[first:last] > 0]
        assert np.ptp(here, axis=0).max(initial=0) < epsilon + 1e-4


def test_the_objective_never_falls_when_projections_are_solved(counts):
    space = CPLSA(6, max_iter=40, validation=0, tol=0, projection_tol=1e-6, projection_steps=1_000)
    history = space.fit(counts).objective_
    assert (np.diff(history) > -2e-6 * np.abs(history[1:])).all()
    free = CPLSA(6, max_iter=40, validation=0, tol=0, penalty=0.0).fit(counts).objective_
    assert history[-1] < free[-1]


def test_few_steps_an_iteration_end_where_many_do(counts):
    """λ is kept from one iteration to the next, so projections need not be finished in one."""
    settings = {"max_iter": 150, "validation": 0, "tol": 0}
    exact = CPLSA(5, projection_tol=1e-6, projection_steps=500, **settings).fit(counts)
    brief = CPLSA(5, projection_tol=1e-6, projection_steps=2, **settings).fit(counts)
    assert brief.objective_[-1] == pytest.approx(exact.objective_[-1], rel=5e-3)


def test_a_short_document_has_as_much_say_as_its_long_mate(rng):
    """Long mates repeat themselves: joint PLSA listens to them, coupled PLSA to both."""
    topics = np.repeat(np.eye(2), 10, axis=1) + 0.05
    which = rng.integers(2, size=80)
    short = np.array([rng.multinomial(8, topics[t] / topics[t].sum()) for t in which])
    long = np.array([rng.multinomial(400, topics[t] / topics[t].sum()) for t in which])
    views = Views.separate({"a": short, "b": long})
    engine = CoupledEM(CPLSA(2, projection_tol=1e-4, projection_steps=200), views)
    for _ in range(30):
        engine.step()
    weights = fractions(engine).reshape(80, 2, 2)
    np.testing.assert_allclose(weights[:, 0], weights[:, 1], atol=1e-2)


def test_threads_change_no_bit(counts):
    results = []
    for count in (1, 2):
        with threads.limit(count):
            results.append(CPLSA(7, max_iter=12, validation=0).fit(counts).words_)
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"epsilon": -0.1}, "epsilon must be a number, 0 or more, got -0.1"),
        ({"penalty": -1.0}, "penalty must be a number, 0 or more or none, got -1.0"),
        ({"projection_steps": 1}, "projection_steps must be a whole number, 2 or more, got 1"),
    ],
    ids=["epsilon", "penalty", "steps"],
)
def test_settings_out_of_range(settings, words, counts):
    with pytest.raises(ParameterError, match=words):
        CPLSA(3, **settings).fit(counts)
