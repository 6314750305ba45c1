from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from babelspace.errors import ParameterError
from babelspace.retrieval.calibration import (
    GRID,
    SHAPE_GRID,
    Calibration,
    assign,
    learn,
    logistic,
    null_density,
    shape_density,
    simulated,
    two_groups,
)
from babelspace.retrieval.evidence import Pile, gaps, gather, ordered
from babelspace.retrieval.mining import cut
from babelspace.retrieval.overlap import spell
from babelspace.vectors.similarity import prepare


def piles(rng, rows, noise=0.6, columns=20):
    """Mates are noisy copies of each other; half of them share a name."""
    one = rng.standard_normal((rows, columns)).astype(np.float32)
    other = one + noise * rng.standard_normal((rows, columns)).astype(np.float32)
    names = [f"name{row}" if row % 2 else "" for row in range(rows)]
    sides = ((one, "en"), (other, "es"))
    return tuple(Pile(prepare(side), spell(names, language), np.ones(rows)) for side, language in sides)


def judged(learned, left, right, share, rng, rows):
    evidence, correct = simulated(left, right, np.arange(rows), share, rows, rng)
    fused = learned.fuse(evidence)
    pairs = assign(evidence, fused)
    return learned.probabilities(gaps(evidence, fused)[pairs]), correct[pairs]


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_probabilities_are_true_on_piles_of_another_size(rng, share):
    learned = learn(*piles(rng, 200))
    probability, right = judged(learned, *piles(rng, 800), share, rng, 800)
    assert abs(probability.mean() - right.mean()) < 0.05
    bins = np.minimum((probability * 5).astype(int), 4)
    error = sum(abs(probability[bins == b].mean() - right[bins == b].mean()) * np.mean(bins == b) for b in set(bins))
    assert error < 0.06
    kept = cut(probability, 0.95)
    assert right[kept].mean() > 0.88


def test_the_null_is_the_same_for_small_and_large_piles_and_other_subjects(rng):
    """Gaps of documents without a mate, which the calibration takes for known."""
    medians = []
    for rows, noise, columns in ((150, 0.5, 20), (900, 0.5, 20), (400, 0.8, 60)):
        left, right = piles(rng, rows, noise, columns)
        evidence, correct = simulated(left, right, np.arange(rows), 0.6, rows, rng)
        fused = evidence.features[:, 0]
        pairs = assign(evidence, fused)
        medians.append(np.median(gaps(evidence, fused)[pairs][~correct[pairs]], axis=0))
    np.testing.assert_allclose(medians[0], medians[1], atol=0.5)
    np.testing.assert_allclose(medians[0], medians[2], atol=0.5)


def test_two_groups_recovers_a_planted_mixture(rng):
    wrong, right = rng.standard_normal(600), rng.normal(4, 1.5, 400)
    null = null_density(np.sort(rng.standard_normal(2000)))
    shape = shape_density(np.sort(rng.standard_normal(1000)))
    height = np.concatenate([wrong, right])
    share, mean, spread = two_groups(height, np.interp(height, GRID, null), (6.0, 1.0), shape)
    assert (share, mean, spread) == pytest.approx((0.4, 4.0, 1.5), abs=0.25)


def test_densities_sum_to_one(rng):
    null, shape = null_density(rng.standard_normal(200)), shape_density(rng.standard_normal(100))
    assert np.trapezoid(null, GRID) == pytest.approx(1, abs=0.01)
    assert np.trapezoid(shape, SHAPE_GRID) == pytest.approx(1, abs=0.01)


def test_a_higher_pair_is_never_less_probable(rng):
    learned = learn(*piles(rng, 100))
    steps = np.sort(np.concatenate([rng.normal(-1, 1, 300), rng.normal(6, 1, 200), [-15, 30]]))
    probability = learned.probabilities(np.column_stack([steps, steps, steps]))
    assert (np.diff(probability) >= -1e-12).all()
    assert probability[0] < 0.2 and probability[-1] > 0.8


def test_logistic_equals_scikit_learn(rng):
    features = rng.standard_normal((300, 3)) * [1, 5, 0.2] + 2
    right = rng.random(300) < 1 / (1 + np.exp(-features @ [1, -0.3, 2] + 5))
    standard = (features - features.mean(axis=0)) / features.std(axis=0)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(standard, right)
    ours = logistic(features, right)
    np.testing.assert_allclose(ours[1:] * features.std(axis=0), theirs.coef_[0], rtol=1e-4)
    np.testing.assert_allclose(ours[0] + features @ ours[1:], theirs.decision_function(standard), rtol=1e-3, atol=1e-3)


def test_there_and_back_as_json(rng):
    learned = learn(*piles(rng, 60))
    assert Calibration.from_dict(learned.as_dict()) == learned
    with pytest.raises(ParameterError, match="another version"):
        Calibration.from_dict(learned.as_dict() | {"features": ["cosine"]})


def test_too_few_pairs(rng):
    with pytest.raises(ParameterError, match="10 pairs are too few"):
        learn(*piles(rng, 10))


def test_no_pairs_no_probabilities(rng):
    assert len(learn(*piles(rng, 60)).probabilities(np.zeros((0, 3)))) == 0


def test_ordered_equals_sorting_each_group(rng):
    group, values = rng.integers(6, size=40), rng.standard_normal(40)
    found, places = ordered(group, values, 7, 4)
    for number in range(7):
        own = np.sort(values[group == number])[::-1][:4]
        np.testing.assert_array_equal(found[number, : len(own)], own)
        assert (places[number, len(own) :] == -1).all()
        np.testing.assert_array_equal(values[places[number, : len(own)]], own)


def test_gaps_of_a_mate_that_stands_out(rng):
    left, right = piles(rng, 50, noise=0.01)
    evidence = gather(left, right)
    best = gaps(evidence, evidence.csls)[evidence.source == evidence.target]
    others = gaps(evidence, evidence.csls)[evidence.source != evidence.target]
    assert (best[:, 0] > 0).all() and (others[:, 0] < 0).all()


def test_documents_that_share_only_a_name_become_candidates(rng):
    """Vectors say nothing; the name does."""
    rows = 200
    sides = [prepare(rng.standard_normal((rows, 30)).astype(np.float32)) for _ in range(2)]
    names = [f"name{row}" for row in range(rows)]
    left, right = (Pile(side, spell(names, "en"), np.ones(rows)) for side in sides)
    evidence = gather(left, right)
    mates = evidence.source == evidence.target
    assert mates.sum() == rows
    assert evidence.overlap[mates, 0].min() == pytest.approx(1, abs=1e-5)


def test_cut_keeps_the_longest_list_that_is_good_enough():
    probability = np.array([0.2, 1.0, 0.9, 0.6, 0.98])
    assert cut(probability, 0.95).tolist() == [1, 4, 2]
    assert cut(probability, 0.99).tolist() == [1, 4]
    assert len(cut(np.array([0.5]), 0.9)) == 0
    assert len(cut(probability, 0.0)) == 5
