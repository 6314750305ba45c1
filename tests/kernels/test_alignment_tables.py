from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma

from babelspace.kernels.alignment.tables import exp_digamma, mean_closeness, translation_tables
from babelspace.kernels.alignment.word_pairs import co_occurring
from tests.oracles.alignment_cases import random_text

pytestmark = pytest.mark.family("alignment")


def test_exp_digamma_is_scipys():
    values = np.geomspace(0.02, 1e5, 400)
    found = np.array([exp_digamma(value) for value in values])
    np.testing.assert_allclose(found, np.exp(digamma(values)), rtol=2e-6, atol=1e-30)
    assert exp_digamma(1e-5) == 0


@pytest.mark.parametrize("sparse", [False, True])
def test_tables_are_the_dirichlet_means(sparse):
    rng = np.random.default_rng(0)
    _, pairs, _ = co_occurring(random_text(rng, sentences=20), 7, 9)
    counts = rng.gamma(1, 3, (len(pairs.partners), 2))
    tables = translation_tables(counts, pairs, (7, 9), 0.1, sparse)
    owners = np.repeat(np.arange(7), np.diff(pairs.starts))
    mean = (lambda value: np.exp(digamma(value))) if sparse else (lambda value: value)
    for pair in range(len(counts)):
        by_source = counts[owners == owners[pair], 0].sum() + 0.1 * 9
        by_target = counts[pairs.partners == pairs.partners[pair], 1].sum() + 0.1 * 7
        expected = [mean(counts[pair, 0] + 0.1) / mean(by_source), mean(counts[pair, 1] + 0.1) / mean(by_target)]
        np.testing.assert_allclose(tables[pair], expected, rtol=1e-5)


def test_closeness_is_that_of_the_diagonal_and_its_slope_the_derivative():
    lengths, occurrences = np.array([[3, 4], [2, 5]]), np.array([2, 7])
    value, slope = mean_closeness(lengths, occurrences, 2.0)
    expected = 0.0
    for (words, sources), times in zip(lengths, occurrences, strict=True):
        for j in range(words):
            distance = np.abs((np.arange(sources) + 0.5) / sources - (j + 0.5) / words)
            weights = np.exp(-2.0 * distance)
            expected -= times * np.sum(weights * distance) / weights.sum()
    assert value == pytest.approx(expected, rel=1e-5)
    ahead, behind = (mean_closeness(lengths, occurrences, 2.0 + step)[0] for step in (0.05, -0.05))
    assert slope == pytest.approx((ahead - behind) / 0.1, rel=1e-2)
