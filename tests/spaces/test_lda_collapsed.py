"""CVB0: approximate training and hyper-parameters on the way."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import gammaln

from babelspace.errors import UnknownLanguage
from babelspace.kernels.topics.cvb0 import count_shares, document_counts, fixed_step, random_shares
from babelspace.kernels.topics.gibbs_priors import document_prior, expected_document_prior
from babelspace.kernels.topics.variational import Entries
from babelspace.spaces import CollapsedMLDA

pytestmark = pytest.mark.family("lda")


def toy(rng, rows=6, words=5):
    return sp.csr_array(rng.integers(0, 4, (rows, words)).astype(np.float32))


def test_a_step_with_fixed_documents_by_its_formula(rng):
    matrix, topics, eta = toy(rng), 3, 0.2
    entries = Entries.of(matrix)
    shares = random_shares(matrix.nnz, topics, 1)
    theta = rng.dirichlet(np.ones(topics), matrix.shape[0])
    words = count_shares(entries, shares, matrix.shape[1])
    totals = words.sum(axis=0)
    before = shares.copy().astype(np.float64)
    value, moved = fixed_step(entries, shares, words, totals, theta, eta, eta * matrix.shape[1])
    logs = change = 0.0
    for row in range(matrix.shape[0]):
        for entry in range(matrix.indptr[row], matrix.indptr[row + 1]):
            word, count = matrix.indices[entry], matrix.data[entry]
            own = theta[row] * (eta + words[word] - before[entry])
            own /= eta * matrix.shape[1] + totals - before[entry]
            np.testing.assert_allclose(shares[entry], own / own.sum(), atol=1e-5)
            logs += count * np.log(own.sum())
            change += count * np.abs(own / own.sum() - before[entry]).sum()
    assert value == pytest.approx(logs / matrix.sum(), rel=1e-5)
    assert moved == pytest.approx(change / matrix.sum(), rel=1e-4)


def test_counts_of_documents_by_their_formula(rng):
    matrix = toy(rng)
    shares = random_shares(matrix.nnz, 4, 2)
    expected = [
        matrix.data[first:last] @ shares[first:last]
        for first, last in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    ]
    np.testing.assert_allclose(document_counts(Entries.of(matrix), shares), expected, rtol=1e-5)


def test_the_prior_of_expected_counts_is_that_of_drawn_ones_where_these_are_whole(rng):
    counts = rng.poisson(rng.dirichlet([0.5, 1, 2], 50) * 30).astype(np.float64)
    rows, topics = np.nonzero(counts)
    drawn = document_prior((topics, counts[rows, topics]), counts.sum(axis=1), np.ones(3))
    np.testing.assert_allclose(expected_document_prior(counts, counts == 0, np.ones(3)), drawn, rtol=1e-10)


def test_the_prior_never_gets_less_likely(rng):
    counts = rng.gamma(1.0, 5.0, (40, 3)) * rng.dirichlet([0.3, 1, 3], 40)

    def likelihood(alpha):
        total, lengths = alpha.sum(), counts.sum(axis=1)
        own = gammaln(counts + alpha).sum(axis=1) - gammaln(alpha).sum()
        return float((own + gammaln(total) - gammaln(total + lengths)).sum())

    alpha = np.ones(3)
    for _ in range(5):
        better = expected_document_prior(counts, np.zeros_like(counts), alpha, steps=1)
        assert likelihood(better) >= likelihood(alpha) - 1e-9
        alpha = better


def test_approximate_training_is_nearly_as_good_as_standard(planted_counts):
    train, test = planted_counts[:160], planted_counts[160:]
    settings = {"n_components": 12, "alpha": 0.5, "random_state": 0}
    standard = CollapsedMLDA(**settings).fit(train)
    approximate = CollapsedMLDA(**settings, training="approximate", pivot="en").fit(train)
    assert set(approximate.trace_) == {"en", "es"}
    assert approximate.score(test) > standard.score(test) - 0.15
    assert approximate.held_out(test) > standard.held_out(test) - 0.1
    # The pivot alone says what the topics are: the counts of the other language change nothing there.
    other = CollapsedMLDA(**settings, training="approximate", pivot="en").fit(train.only(["en", "es"]))
    np.testing.assert_array_equal(other.word_topics_["en"], approximate.word_topics_["en"])


def test_hyper_parameters_are_fitted_and_raise_the_held_out_probability(planted_counts):
    train, test = planted_counts[:160], planted_counts[160:]
    plain = CollapsedMLDA(12, random_state=0).fit(train)
    fitted = CollapsedMLDA(12, random_state=0, optimize_every=5).fit(train)
    assert len(set(fitted.alpha_.round(6))) > 1
    assert fitted.held_out(test) > plain.held_out(test)


def test_a_killed_fit_goes_on_with_its_hyper_parameters(planted_counts, tmp_path):
    settings = {"n_components": 6, "tol": 0.0, "optimize_every": 3, "training": "approximate", "checkpoint_every": 1}
    whole = CollapsedMLDA(**settings, max_iter=12, further_iter=4).fit(planted_counts)
    folder = str(tmp_path / "work")
    CollapsedMLDA(**settings, max_iter=7, further_iter=1, checkpoint=folder).fit(planted_counts)
    for stage in (tmp_path / "work").iterdir():
        if stage.name != next(iter(whole.trace_)):
            # Of another θ: a longer training of the pivot begins the other languages anew.
            for file in stage.iterdir():
                file.unlink()
            stage.rmdir()
    resumed = CollapsedMLDA(**settings, max_iter=12, further_iter=4, checkpoint=folder).fit(planted_counts)
    np.testing.assert_array_equal(resumed.word_topics_["en"], whole.word_topics_["en"])
    np.testing.assert_array_equal(resumed.alpha_, whole.alpha_)


def test_a_pivot_that_is_not_there_is_told(planted_counts):
    with pytest.raises(UnknownLanguage, match="unknown language 'xx'"):
        CollapsedMLDA(4, training="approximate", pivot="xx").fit(planted_counts)
