"""Fixed points are maxima of the likelihood that a generic optimiser finds too."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import gammaln

from babelspace.kernels.topics.gibbs_priors import (
    document_prior,
    expected_document_prior,
    expected_word_prior,
    word_prior,
)

pytestmark = pytest.mark.family("lda")


def test_alpha_is_the_maximum_of_the_likelihood(rng):
    counts = np.array([rng.multinomial(40, theta) for theta in rng.dirichlet([0.2, 1.0, 3.0], 200)])
    lengths = counts.sum(axis=1)

    def negative(logs):
        alpha = np.exp(logs)
        value = gammaln(alpha + counts).sum() - gammaln(alpha.sum() + lengths).sum()
        return -(value + len(counts) * (gammaln(alpha.sum()) - gammaln(alpha).sum()))

    rows, topics = np.nonzero(counts)
    found = document_prior((topics, counts[rows, topics]), lengths, np.full(3, 0.5), steps=3000)
    best = minimize(negative, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9})
    np.testing.assert_allclose(found, np.exp(best.x), rtol=1e-3)
    assert found == pytest.approx([0.2, 1.0, 3.0], rel=0.35)


def test_eta_is_the_maximum_of_the_likelihood(rng):
    words = np.array([rng.multinomial(300, beta) for beta in rng.dirichlet(np.full(60, 0.15), 8)]).T
    totals = words.sum(axis=0)

    def negative(log):
        eta = np.exp(log)
        value = gammaln(eta + words).sum() - gammaln(60 * eta + totals).sum()
        return -(value + 8 * (gammaln(60 * eta) - 60 * gammaln(eta)))

    best = np.exp(minimize_scalar(negative, bounds=(-8, 3), method="bounded").x)
    assert word_prior(words, totals, 1.0, steps=2000) == pytest.approx(best, rel=1e-3)


def test_a_topic_that_no_document_has_keeps_a_prior_above_zero():
    found = document_prior((np.array([0, 0]), np.array([3, 2])), np.array([3, 2]), np.array([1.0, 1.0]))
    assert found[1] > 0


def test_eta_of_counts_that_are_certain_is_that_of_counts(rng):
    words = np.array([rng.multinomial(300, beta) for beta in rng.dirichlet(np.full(60, 0.15), 8)]).T
    told = expected_word_prior(words, words == 0, 1.0)
    assert told == pytest.approx(word_prior(words, words.sum(axis=0), 1.0))


def test_priors_do_not_grow_because_shares_are_soft():
    """A document of one token says nothing of how even its topics are: ψ(α + 1) - ψ(α) = 1 / α, whichever it is."""
    half = np.full((10, 2), 0.5)
    np.testing.assert_allclose(expected_document_prior(half, half, np.array([1.0, 1.0])), 1.0)
