"""The kernels of translation tables against dense arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from babelspace.kernels.alignment.bag_translation import Columns, TranslationPattern, expected_counts, explained
from babelspace.runtime import threads

pytestmark = pytest.mark.family("alignment")


@pytest.fixture
def case(rng):
    """Dense shares, weights, probabilities with zeros among them, and a null word."""
    shares = rng.random((9, 6)) * (rng.random((9, 6)) < 0.6)
    weights = rng.random((9, 7)) * (rng.random((9, 7)) < 0.6)
    table = rng.random((6, 7)) * (rng.random((6, 7)) < 0.5)
    table[2] = 0
    return shares, weights, table, 0.01 + rng.random(7)


def arguments(shares, weights, table):
    pattern = sp.csr_array(table)
    return (
        Columns.of(sp.csr_array(shares)),
        Columns.of(sp.csr_array(weights)),
        TranslationPattern.of(pattern),
        pattern.data,
    )


def test_every_entry_is_explained_by_the_words_of_its_row(case):
    shares, weights, table, null = case
    source, target, pairs, probability = arguments(shares, weights, table)
    found = explained(source, target, pairs, probability, null, 9)
    expected = (shares @ table + null).T[weights.T > 0]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_counts_are_the_posteriors_summed(case):
    shares, weights, table, null = case
    source, target, pairs, probability = arguments(shares, weights, table)
    chance = explained(source, target, pairs, probability, null, 9)
    found = expected_counts(source, target, pairs, probability, target.values / chance, 9)
    counts = np.zeros_like(table)
    for n in range(9):
        for f in range(7):
            for e in range(6):
                z = shares[n] @ table[:, f] + null[f]
                counts[e, f] += weights[n, f] * shares[n, e] * table[e, f] / z
    np.testing.assert_allclose(found, counts[table > 0], rtol=1e-5)


def test_results_do_not_depend_on_the_number_of_threads(case):
    shares, weights, table, null = case
    source, target, pairs, probability = arguments(shares, weights, table)
    results = []
    for count in (1, 2):
        with threads.limit(count):
            chance = explained(source, target, pairs, probability, null, 9)
            results.append(expected_counts(source, target, pairs, probability, target.values / chance, 9))
    np.testing.assert_array_equal(*results)
