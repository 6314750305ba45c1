"""Variational steps against loops over tokens, and the bound that they climb."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from scipy.special import digamma, gammaln

from babelspace.kernels.topics.cvb0 import collapsed_step, count_shares, fold_in, random_shares
from babelspace.kernels.topics.variational import (
    Entries,
    documents_step,
    expected_log_words,
    psi,
    word_statistics,
    words_bound,
)
from babelspace.kernels.topics.variational_priors import asymmetric, inverse_digamma, symmetric

pytestmark = pytest.mark.family("lda")

ALPHA = np.array([0.3, 0.8, 0.5])
SIZES = np.array([4, 3])
ETA = np.array([0.2, 0.4])


@pytest.fixture
def counts(rng):
    return sp.csr_array(rng.poisson(0.9, (6, 7)).astype(np.float32))


@given(st.floats(1e-4, 1e6))
def test_psi_is_the_digamma_function(x):
    assert psi(x) == pytest.approx(digamma(x), rel=1e-11, abs=1e-11)


@given(st.floats(-30, 15))
def test_inverse_digamma(value):
    assert digamma(inverse_digamma(value)) == pytest.approx(value, abs=1e-7)


def literal_step(matrix, words, gamma, factor):
    """One update of γ, token by token (eqs. 34, 36, 46), and Σ c φ of each word with the new γ."""
    fresh, statistics, bound = np.tile(ALPHA, (len(gamma), 1)), np.zeros_like(words), 0.0
    for row, word in np.argwhere(matrix > 0):
        phi = np.exp(digamma(gamma[row]) - digamma(gamma[row].sum())) * words[word]
        fresh[row] += factor * matrix[row, word] * phi / phi.sum()
    for row, word in np.argwhere(matrix > 0):
        phi = np.exp(digamma(fresh[row]) - digamma(fresh[row].sum())) * words[word]
        statistics[word] += matrix[row, word] * phi / phi.sum()
        bound += matrix[row, word] * np.log(phi.sum())
    logs = digamma(fresh) - digamma(fresh.sum(axis=1, keepdims=True))
    bound += ((ALPHA - fresh) * logs).sum() + gammaln(fresh).sum() - gammaln(fresh.sum(axis=1)).sum()
    return fresh, statistics, bound + len(fresh) * (gammaln(ALPHA.sum()) - gammaln(ALPHA).sum())


@pytest.mark.parametrize("factor", [1.0, 3.0])
def test_a_step_is_the_loop_over_tokens(factor, counts, rng):
    weights = rng.gamma(1.0, 1.0, (7, 3)) + 0.1
    words = np.exp(expected_log_words(weights, SIZES))
    for language in (slice(0, 4), slice(4, 7)):
        np.testing.assert_allclose(
            np.log(words[language]), digamma(weights[language]) - digamma(weights[language].sum(axis=0))
        )
    gamma = rng.gamma(2.0, 1.0, (6, 3)) + 0.1
    expected = literal_step(counts.toarray(), words, gamma, factor)
    entries = Entries.of(counts)
    theta, ratios, bound = documents_step(entries, words, ALPHA, gamma, factor, 1, 0.0)
    np.testing.assert_allclose(gamma, expected[0], rtol=1e-10)
    np.testing.assert_allclose(word_statistics(entries, words, theta, ratios), expected[1], rtol=1e-10, atol=1e-14)
    assert bound == pytest.approx(expected[2], rel=1e-10)


def test_no_steps_leave_gamma_alone(counts, rng):
    gamma = rng.gamma(2.0, 1.0, (6, 3)) + 0.1
    before = gamma.copy()
    documents_step(Entries.of(counts), rng.random((7, 3)), ALPHA, gamma, 1.0, 0, 0.0)
    np.testing.assert_array_equal(gamma, before)


def test_the_bound_is_below_the_evidence(rng):
    """Two tokens of two words: ln p(w) by enumeration is above the bound, and near it."""
    counts, eta = sp.csr_array(np.array([[1.0, 1.0]])), np.array([0.5])
    alpha, sizes = np.array([0.5, 0.5]), np.array([2])
    # p(w) = Σ_z p(z) p(w | z): the two tokens share a topic with chance (α + 1) / (2α + 1).
    same = 1.5 / 2.0
    evidence = np.log(same * 0.5 * (0.5 / 2.0) + (1 - same) * 0.25)
    weights, gamma = rng.gamma(1.0, 1.0, (2, 2)) + 0.5, rng.gamma(1.0, 1.0, (1, 2)) + 0.5
    entries, bounds = Entries.of(counts), []
    for _ in range(200):
        logs = expected_log_words(weights, sizes)
        theta, ratios, bound = documents_step(entries, np.exp(logs), alpha, gamma, 1.0, 5, 0.0)
        bounds.append(bound + words_bound(weights, logs, sizes, eta))
        weights = eta[0] + word_statistics(entries, np.exp(logs), theta, ratios)
    assert (np.diff(bounds) > -1e-12).all()
    assert evidence - 1.5 < bounds[-1] < evidence


def test_priors_are_the_maxima_of_the_likelihood(rng):
    draws = rng.dirichlet([0.3, 1.0, 2.0], 3000)
    found = asymmetric(np.log(draws).mean(axis=0), np.ones(3), steps=500)
    np.testing.assert_allclose(found, [0.3, 1.0, 2.0], rtol=0.1)
    np.testing.assert_allclose(digamma(found) - digamma(found.sum()), np.log(draws).mean(axis=0), atol=1e-6)
    even = rng.dirichlet(np.full(5, 0.4), 3000)
    assert symmetric(float(np.log(even).mean()), 5, 1.0, steps=500) == pytest.approx(0.4, rel=0.05)


def literal_collapsed(matrix, shares, places):
    """One step of CVB0, entry by entry; word counts are those before the step."""
    words = np.zeros((7, 3))
    for (row, word), place in places.items():
        words[word] += matrix[row, word] * shares[place]
    totals = np.array([words[:4].sum(axis=0), words[4:].sum(axis=0)])
    fresh = shares.astype(np.float64).copy()
    for row in range(len(matrix)):
        own = {word: places[row, word] for word in np.flatnonzero(matrix[row])}
        for word, place in own.items():
            language = int(word >= 4)
            document = sum(matrix[row, other] * fresh[at] for other, at in own.items()) - fresh[place]
            weight = (ALPHA + document) * (ETA[language] + words[word] - fresh[place])
            weight /= SIZES[language] * ETA[language] + totals[language] - fresh[place]
            fresh[place] = weight / weight.sum()
    return fresh


def test_a_collapsed_step_is_the_loop_over_entries(counts):
    matrix, entries = counts.toarray(), Entries.of(counts)
    shares = random_shares(counts.nnz, 3, 5)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)
    places = {tuple(map(int, key)): place for place, key in enumerate(np.argwhere(matrix > 0))}
    expected = literal_collapsed(matrix, shares, places)
    words = count_shares(entries, shares, 7)
    np.testing.assert_allclose(words.sum(axis=1), matrix.sum(axis=0), rtol=1e-5)
    totals = np.array([words[:4].sum(axis=0), words[4:].sum(axis=0)])
    languages = np.repeat([0, 1], SIZES)
    collapsed_step(entries, shares, words, totals, languages, ALPHA, ETA, ETA * SIZES)
    np.testing.assert_allclose(shares, expected, rtol=1e-4, atol=1e-6)


def test_folding_in_ends_at_its_own_equation(rng):
    words = rng.dirichlet(np.ones(7), 3).T.astype(np.float32, order="C")
    counts = sp.csr_array(np.array([[2.0, 0, 1, 0, 3, 0, 0], [0.0] * 7]))
    theta = fold_in(counts, words, ALPHA, 300).astype(np.float64)
    own = theta[0] * (ALPHA.sum() + 6) - ALPHA
    shares = {}
    for word, number in ((0, 2), (2, 1), (4, 3)):
        share = np.full(3, 1 / 3)
        for _ in range(300):
            weight = (ALPHA + own - share) * words[word]
            share = weight / weight.sum()
        shares[word] = number * share
    np.testing.assert_allclose(sum(shares.values()), own, atol=1e-4)
    assert not theta[1].any()
