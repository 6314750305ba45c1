from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma

from babelspace.kernels.alignment.table_estimation import Stems, exp_digamma, mean_closeness, translation_tables
from babelspace.kernels.alignment.word_pairs import co_occurring
from tests.oracles import alignment as twins
from tests.oracles.alignment_cases import random_text

pytestmark = pytest.mark.family("alignment")


def test_exp_digamma_is_scipys():
    values = np.geomspace(0.02, 1e5, 400)
    found = np.array([exp_digamma(value) for value in values])
    np.testing.assert_allclose(found, np.exp(digamma(values)), rtol=2e-6, atol=1e-30)
    assert exp_digamma(1e-5) == 0


SOURCES, TARGETS, PRIOR = 7, 9, 0.1


@pytest.mark.parametrize("backoff", [0.0, 3.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_tables_are_the_dirichlet_means(sparse, backoff):
    rng = np.random.default_rng(0)
    _, pairs, _ = co_occurring(random_text(rng, sentences=20), SOURCES, TARGETS)
    counts = rng.gamma(1, 3, (len(pairs.partners), 2))
    left, right = rng.permutation([0, 0, 0, 1, 2, 2, 3]), rng.permutation([0, 0, 1, 1, 1, 2, 3, 4, 4])
    seen = rng.integers(1, 9, SOURCES), rng.integers(1, 9, TARGETS)
    cognates = [(0, 4), (3, 1)]
    tables = translation_tables(
        counts, pairs, (SOURCES, TARGETS), PRIOR, sparse, packed_stems(left, right, seen, cognates), backoff
    )
    owners = np.repeat(np.arange(SOURCES), np.diff(pairs.starts))
    met = list(zip(owners.tolist(), pairs.partners.tolist(), strict=True))
    forward = twins.dirichlet_means(
        dict(zip(met, counts[:, 0], strict=True)), left, right, seen[1], cognates, PRIOR, backoff, sparse
    )
    turned = [(f, e) for e, f in met], [(g, s) for s, g in cognates]
    reverse = twins.dirichlet_means(
        dict(zip(turned[0], counts[:, 1], strict=True)), right, left, seen[0], turned[1], PRIOR, backoff, sparse
    )
    np.testing.assert_allclose(tables[:-2, 0], [forward[pair] for pair in met], rtol=1e-5)
    np.testing.assert_allclose(tables[:-2, 1], [reverse[pair] for pair in turned[0]], rtol=1e-5)


def packed_stems(left, right, seen, cognates):
    order = np.argsort(left, kind="stable").astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(left))])
    shares = [count / np.bincount(stems, count)[stems] for stems, count in zip((left, right), seen, strict=True)]
    mates = np.full(left.max() + 1, -1, np.int32)
    for one, other in cognates:
        mates[one] = other
    return Stems(order, starts, right.astype(np.int32), *shares, mates)


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
