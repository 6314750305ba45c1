from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from babelspace.mining.candidate_weights import candidate_lists, ranking_weights
from babelspace.mining.pair_features import PairFeatures

RIDGE = 1.5


def planted_candidates(rng, documents=30, each=6, truth=(1.5, -0.7, 0.2)):
    """Every source has some targets, one of which it chooses by known weights."""
    source = np.repeat(np.arange(documents), each)
    target = np.concatenate([rng.permutation(documents)[:each] for _ in range(documents)])
    features = rng.standard_normal((len(source), len(truth))) * [1.0, 4.0, 0.1]
    score = features @ np.array(truth) + rng.gumbel(size=len(source))
    chosen, taken = [], set()
    for number in range(documents):
        rows = np.flatnonzero(source == number)
        best = rows[np.argmax(score[rows])]
        if target[best] not in taken:
            taken.add(target[best])
            chosen.append(best)
    nothing = np.zeros(len(source))
    candidates = PairFeatures(source, target, documents, documents, nothing, nothing, nothing[:, None], features)
    return candidates, np.array(chosen)


def value(weights, candidates, chosen, weight, home):
    """The same sum in loops."""
    spread = candidates.features[np.concatenate([rows for rows in lists(candidates, chosen)])].std(axis=0)
    total = -0.5 * RIDGE * float((((weights - home) * spread) ** 2).sum())
    score = candidates.features @ weights
    for group in (candidates.source, candidates.target):
        for place, share in zip(chosen, weight, strict=True):
            rows = np.flatnonzero(group == group[place])
            total += share * (score[place] - np.log(np.exp(score[rows]).sum()))
    return total


def lists(candidates, chosen):
    return [
        np.flatnonzero(group == number)
        for group in (candidates.source, candidates.target)
        for number in np.unique(group[chosen])
    ]


def test_equals_a_general_optimiser(rng):
    candidates, chosen = planted_candidates(rng)
    weight, home = rng.uniform(0.2, 1, len(chosen)), np.array([0.5, 0.0, 0.3])
    ours = ranking_weights(candidate_lists(candidates, chosen, weight), home, RIDGE)
    theirs = minimize(lambda w: -value(w, candidates, chosen, weight, home), home, method="BFGS", tol=1e-8)
    assert value(ours, candidates, chosen, weight, home) == pytest.approx(-theirs.fun, abs=1e-4)
    np.testing.assert_allclose(ours, theirs.x, rtol=0.02, atol=0.01)


def test_planted_weights_are_found(rng):
    candidates, chosen = planted_candidates(rng, documents=800)
    found = ranking_weights(candidate_lists(candidates, chosen, np.ones(len(chosen))), np.zeros(3), 1e-3)
    assert found[0] / found[1] == pytest.approx(1.5 / -0.7, rel=0.15)


def test_what_a_list_has_in_common_changes_nothing(rng):
    """Sources alone: a constant added to all candidates of a document cancels out."""
    candidates, chosen = planted_candidates(rng)
    (sources, _) = candidate_lists(candidates, chosen, np.ones(len(chosen)))
    lengths = np.diff(np.append(sources.starts, len(sources.features)))
    shift = rng.standard_normal((len(lengths), 3))
    moved = sources.__class__(
        sources.features + np.repeat(shift, lengths, axis=0),
        sources.starts,
        sources.weight,
        sources.chosen + sources.weight @ shift,
    )
    one, other = sources.expected(np.ones(3)), moved.expected(np.ones(3))
    np.testing.assert_allclose(sources.chosen - one[1], moved.chosen - other[1], atol=1e-9)
    np.testing.assert_allclose(one[2], other[2], atol=1e-9)


def test_nothing_chosen_keeps_the_weights(rng):
    candidates, chosen = planted_candidates(rng)
    home = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(
        ranking_weights(candidate_lists(candidates, chosen, np.zeros(len(chosen))), home, 1.0), home
    )
