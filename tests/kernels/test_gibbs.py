"""The sampler draws from the distribution that enumeration gives, on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chisquare

from babelspace.kernels.topics.gibbs import count, random_topics, sweep
from babelspace.kernels.topics.gibbs_inference import infer
from babelspace.kernels.topics.gibbs_layout import Layout
from babelspace.runtime import threads
from tests.oracles.gibbs import (
    ALPHA,
    ETA,
    K,
    log_joint,
    log_posterior,
    posterior,
    states,
    stationary,
    toy,
    transitions,
)

pytestmark = pytest.mark.family("lda")

DENSE = pytest.mark.parametrize("dense", [False, True], ids=["sparse", "dense"])
THINNING, SAMPLES = 3, 2_500


def visits(layout, rows_of=None, seed=1, dense=False):
    """How often a chain is in each state, every few sweeps."""
    topics = random_topics(layout.tokens, K, 0)
    state = count(layout, topics, K, rows_of, dense)
    powers = K ** np.arange(layout.tokens)[::-1]
    seen = np.zeros(K**layout.tokens)
    with threads.limit(1):  # six tokens are not worth waking a thread
        for number in range(1, THINNING * SAMPLES + 1):
            sweep(layout, state, ALPHA, ETA, seed, number, rows_of is not None)
            if number % THINNING == 0:
                seen[(state.topics * powers).sum()] += 1
    return seen


def fits(seen, expected):
    """Chi-square p-value, rare states together."""
    rare = expected * seen.sum() < 5
    pooled = [np.append(part[~rare], part[rare].sum()) for part in (seen, expected * seen.sum())]
    return chisquare(*[part[pooled[1] > 0] for part in pooled]).pvalue


def rows_state(dense=False):
    """Fixed counts of the two documents, as another language would give them."""
    other = Layout.of([sp.csr_array(np.array([[3.0], [2.0]]))], 1)
    state = count(other, np.array([0, 1, 1, 0, 0], np.uint16), K, dense=dense)
    return state, state.document_topics()


@pytest.mark.parametrize("fixed", [False, True])
def test_one_block_has_the_exact_posterior_as_stationary_distribution(fixed):
    layout = toy(1)
    rows = rows_state()[1] if fixed else None
    np.testing.assert_allclose(stationary(transitions(layout, rows)), posterior(layout, rows), atol=1e-9)


@DENSE
@pytest.mark.parametrize("blocks", [1, 2])
def test_draws_fit_the_stationary_distribution(blocks, dense):
    layout = toy(blocks)
    seen = visits(layout, dense=dense)
    expected = stationary(transitions(layout))
    assert fits(seen, expected) > 1e-3
    assert fits(seen, expected[::-1]) < 1e-6


@DENSE
def test_draws_with_fixed_documents_fit_the_posterior(dense):
    layout = toy(1)
    state, rows = rows_state(dense)
    seen = visits(layout, state)
    assert fits(seen, posterior(layout, rows)) > 1e-3
    assert fits(seen, posterior(layout)) < 1e-6


def test_more_blocks_are_near_the_posterior_even_on_six_tokens():
    distance = np.abs(stationary(transitions(toy(2))) - posterior(toy(1))[order_of(toy(2), toy(1))]).sum() / 2
    assert 0 < distance < 0.02


def order_of(layout, other):
    """For each state of one layout the number of the same state in the other."""
    place = {}
    for token, key in enumerate(zip(other.documents, other.token_words, strict=True)):
        place.setdefault(key, []).append(token)
    where = [place[key].pop(0) for key in zip(layout.documents, layout.token_words, strict=True)]
    powers = K ** np.arange(layout.tokens)[::-1]
    numbers = []
    for state in states(layout.tokens):
        moved = np.empty_like(state)
        moved[where] = state
        numbers.append((moved * powers).sum())
    return np.array(numbers)


def corpus(rng, rows=70, words=70, mean=0.4, languages=2):
    return [sp.csr_array(rng.poisson(mean, (rows, words)).astype(np.float32)) for _ in range(languages)]


@DENSE
@pytest.mark.parametrize("blocks", [1, 3])
def test_counts_stay_those_of_the_topics(blocks, dense, rng):
    layout = Layout.of(corpus(rng), blocks)
    state = count(layout, random_topics(layout.tokens, 9, 5), 9, dense=dense)
    for number in range(4):
        sweep(layout, state, np.full(9, 0.2), np.full(2, 0.1), 3, number)
        again = count(layout, state.topics, 9)
        np.testing.assert_array_equal(state.words, again.words)
        np.testing.assert_array_equal(state.totals, again.totals)
        np.testing.assert_array_equal(state.document_topics(), again.document_topics())
        assert state.document_topics().sum() == layout.tokens
        assert sum(state.entries()[1]) == layout.tokens


@DENSE
def test_one_and_two_threads_are_bitwise_the_same(dense):
    results = []
    for number in (1, 2):
        with threads.limit(number):
            layout = Layout.of(corpus(np.random.default_rng(0)), 4)
            state = count(layout, random_topics(layout.tokens, 40, 5), 40, dense=dense)
            logs = [sweep(layout, state, np.full(40, 0.2), np.full(2, 0.1), 3, n) for n in range(5)]
            results.append((state.topics.copy(), logs))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    assert results[0][1] == results[1][1]


def test_blocks_and_samplers_stay_at_the_same_likelihood(rng):
    """From the planted topics on, every way of sampling wanders where sequential sampling wanders."""
    beta = rng.dirichlet(np.full(120, 0.05), 6)
    theta = rng.dirichlet(np.full(6, 0.2), 150)
    matrices = [sp.csr_array(rng.poisson(40 * theta @ beta).astype(np.float32)) for _ in range(2)]
    alpha, eta, found = np.full(6, 0.2), np.full(2, 0.05), []
    for blocks, dense in ((1, False), (8, False), (8, True)):
        layout = Layout.of(matrices, blocks)
        planted = (theta[layout.documents] * beta[:, layout.token_words % 120].T).argmax(axis=1)
        state = count(layout, planted.astype(np.uint16), 6, dense=dense)
        joint = []
        with threads.limit(1):
            for number in range(60):
                sweep(layout, state, alpha, eta, 3, number)
                joint.append(log_joint(layout, state, alpha, eta))
        found.append(np.mean(joint[20:]) / layout.tokens)
    assert found == pytest.approx([found[0]] * 3, rel=2e-3)


@DENSE
def test_the_log_probability_is_that_of_each_token_given_all_others(dense):
    """With one token a sweep reports ln p(w | the rest), which is the normaliser of eq. 30."""
    layout = Layout.of([sp.csr_array(np.array([[1.0, 0.0], [0.0, 0.0]]))], 1)
    state = count(layout, np.zeros(1, np.uint16), K, dense=dense)
    assert sweep(layout, state, ALPHA, ETA[:1], 0, 1) == pytest.approx(np.log(0.5), abs=1e-6)


def test_log_joint_is_the_literal_one_up_to_a_constant():
    layout = toy(1)
    differences = [
        log_joint(layout, count(layout, state.astype(np.uint16), K), ALPHA, ETA) - log_posterior(layout, state)
        for state in states(layout.tokens)
    ]
    np.testing.assert_allclose(differences, differences[0], atol=1e-9)


def test_a_document_of_very_many_tokens():
    """Counts above 65,535 in one document need wider entries."""
    layout = Layout.of([sp.csr_array(np.array([[70_000.0, 300.0], [5.0, 5.0]]))], 1)
    state = count(layout, np.zeros(layout.tokens, np.uint16), 2)
    assert state.document_topics()[0].tolist() == [70_300, 0]
    for number in range(3):
        sweep(layout, state, ALPHA, ETA[:1], 0, number)
    np.testing.assert_array_equal(state.document_topics(), count(layout, state.topics, 2).document_topics())


@DENSE
def test_more_topics_than_one_run_of_leaves(dense):
    """Topics are drawn evenly where nothing tells them apart, over all of several partial sums."""
    size = 75
    layout = Layout.of([sp.csr_array(np.ones((60, 1)))], 1)
    state = count(layout, np.zeros(60, np.uint16), size, dense=dense)
    seen = np.zeros(size)
    with threads.limit(1):
        for number in range(300):
            sweep(layout, state, np.full(size, 2.0), np.array([1e6]), 7, number)
            seen += np.bincount(state.topics, minlength=size)
    assert chisquare(seen).pvalue > 1e-3


def test_inference_has_the_mean_of_the_posterior(rng):
    phi = rng.dirichlet(np.ones(4), 3).T.astype(np.float32, order="C")  # words x topics
    alpha = np.array([0.3, 0.8, 0.5])
    counts = sp.csr_array(np.array([[2.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]))
    words = np.array([0, 0, 2, 3])
    grids = np.stack(np.meshgrid(*[np.arange(3)] * 4, indexing="ij"), -1).reshape(-1, 4)
    weights, means = [], []
    for topics in grids:
        own = np.bincount(topics, minlength=3)
        rising = 1.0
        for topic in range(3):
            rising *= np.prod(alpha[topic] + np.arange(own[topic]))
        weights.append(rising * np.prod(phi[words, topics]))
        means.append((alpha + own) / (alpha.sum() + 4))
    expected = np.average(means, axis=0, weights=weights)
    found = infer(counts, phi, alpha, np.array([3, 4], np.uint64), 60_000, 59_000)
    np.testing.assert_allclose(found[0], expected, atol=5e-3)
    assert not found[1].any()
