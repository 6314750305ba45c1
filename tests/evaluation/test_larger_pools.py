"""What a small pool promises for larger ones, against larger ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from babelspace.corpus import planted
from babelspace.evaluation.larger_pools import expected_top1
from babelspace.evaluation.mates import evaluate
from babelspace.features import ViewsVectorizer
from babelspace.spaces import OPCA, Encoder


def simulated(rng, mean, spread, queries, rivals):
    """How many rivals beat each mate, counted from 1."""
    chance = ndtr(-rng.normal(mean, spread, queries))
    return rng.binomial(rivals, chance) + 1


@pytest.mark.parametrize(("mean", "spread"), [(2.5, 0.8), (4.0, 0.8), (5.0, 1.5)])
def test_simulated_ranks(rng, mean, spread):
    truth = {pool: np.mean(ndtr(rng.normal(mean, spread, 200_000)) ** (pool - 1)) for pool in (1_000, 10_000, 100_000)}
    inside, errors = [], []
    for _ in range(8):
        found = expected_top1({"en->es": simulated(rng, mean, spread, 400, 399)}, 400)
        inside += [told.low - 0.01 <= truth[pool] <= told.high + 0.01 for pool, told in found.items()]
        errors.append([found[pool].top1 - truth[pool] for pool in truth])
    assert np.mean(inside) > 0.75
    assert np.abs(np.mean(errors, axis=0)).max() < 0.08


def test_documents_without_a_vector_stay_lost():
    ranks = np.ones(300, np.int64)
    whole = expected_top1({"a->b": ranks}, 300)[1_000].top1
    ranks[:30] = 300
    found = expected_top1({"a->b": ranks}, 300)[1_000]
    assert found.high <= 0.9 and found.top1 == pytest.approx(0.9 * whole, abs=0.01)


def test_rows_that_stand_in_several_directions_count_once():
    one = np.array([1] * 190 + [3] * 10)
    alone = expected_top1({"a->b": one}, 200)
    both = expected_top1({"a->b": one, "b->a": one}, 200)
    assert both[10_000].top1 == pytest.approx(alone[10_000].top1)
    assert both[10_000].low == pytest.approx(alone[10_000].low)


def test_only_larger_pools_are_told():
    assert list(expected_top1({"a->b": np.ones(2_000, np.int64)}, 2_000)) == [10_000, 100_000]
    assert expected_top1({"a->b": np.ones(1, np.int64)}, 1) == {}


def test_a_small_part_foretells_the_whole(global_random_seed):
    corpus = planted(rows=1400, words=25, vocabulary=400, seed=global_random_seed)
    encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(30)).fit(corpus.select(range(300)))
    small = evaluate(encoder, corpus.select(range(300, 500)))
    whole = evaluate(encoder, corpus.select(range(300, 1400)))
    told = small.expected_top1[1_000]
    assert small["mean"].top1 > whole["mean"].top1 + 0.02
    assert told.low - 0.02 <= whole["mean"].top1 <= told.high + 0.02
    assert small.as_dict()["expected_top1"]["1000"]["top1"] == told.top1
