from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from babelspace.errors import ParameterError
from babelspace.mining.calibration import Calibration, assign, learn, simulated
from babelspace.mining.overlap import SpellingCounter
from babelspace.mining.pair_features import EncodedDocuments, gaps, ordered, pair_features
from babelspace.mining.precision import cut
from babelspace.mining.regression import logistic
from babelspace.vectors.similarity import prepare


def aligned_documents(rng, rows, noise=0.6, columns=20, named=0.5):
    """Mates are noisy copies of each other; some of them share a name."""
    one = rng.standard_normal((rows, columns)).astype(np.float32)
    other = one + noise * rng.standard_normal((rows, columns)).astype(np.float32)
    names = [f"name{row}" if chance < named else "" for row, chance in enumerate(rng.random(rows))]
    sides = ((one, "en"), (other, "es"))
    return tuple(
        EncodedDocuments(prepare(side), SpellingCounter(language).count(names), np.ones(rows))
        for side, language in sides
    )


def judged(learned, left, right, share, rng, rows):
    candidates, correct = simulated(left, right, np.arange(rows), share, rows, rng)
    told = learned.judge(candidates)
    return told.probability, correct[told.pairs]


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_probabilities_are_true_on_more_documents(rng, share):
    learned = learn(*aligned_documents(rng, 200))
    probability, right = judged(learned, *aligned_documents(rng, 800), share, rng, 800)
    assert abs(probability.mean() - right.mean()) < 0.05
    bins = np.minimum((probability * 5).astype(int), 4)
    error = sum(abs(probability[bins == b].mean() - right[bins == b].mean()) * np.mean(bins == b) for b in set(bins))
    assert error < 0.06
    kept = cut(probability, 0.95)
    assert right[kept].mean() > 0.88


def test_the_null_is_the_same_for_few_and_many_documents_and_other_subjects(rng):
    """Gaps of documents without a mate, which the calibration takes for known."""
    medians = []
    for rows, noise, columns in ((150, 0.5, 20), (900, 0.5, 20), (400, 0.8, 60)):
        left, right = aligned_documents(rng, rows, noise, columns)
        candidates, correct = simulated(left, right, np.arange(rows), 0.6, rows, rng)
        fused = candidates.features[:, 0]
        pairs = assign(candidates, fused - np.quantile(fused, 0.2))
        medians.append(np.median(gaps(candidates, fused)[pairs][~correct[pairs]], axis=0))
    np.testing.assert_allclose(medians[0], medians[1], atol=0.5)
    np.testing.assert_allclose(medians[0], medians[2], atol=0.5)


def test_weights_follow_the_documents_at_hand(rng):
    """Names were rare where the probabilities were learned, and are all there is to go by here."""
    learned = learn(*aligned_documents(rng, 200, noise=0.4, named=0.1))
    left, right = aligned_documents(rng, 600, noise=1.2, named=0.9)
    candidates, correct = simulated(left, right, np.arange(600), 0.5, 600, rng)
    before, after = learned.judge(candidates, rounds=0), learned.judge(candidates)
    kept = [correct[told.pairs[cut(told.probability, 0.95)]] for told in (before, after)]
    assert correct[after.pairs].sum() > 1.15 * correct[before.pairs].sum()
    assert kept[1].sum() > 1.1 * kept[0].sum()
    assert kept[1].mean() > 0.9
    assert abs(after.probability.mean() - correct[after.pairs].mean()) < 0.1


def test_features_that_are_not_used_count_for_nothing(rng):
    learned = learn(*aligned_documents(rng, 100))
    candidates, _ = simulated(*aligned_documents(rng, 100), np.arange(100), 0.5, 100, rng)
    changed = replace(candidates, features=candidates.features + np.array([0, 0, 0, 5, -5]))
    latent = ("csls", "similarity", "length")
    one, other = learned.judge(candidates, latent), learned.judge(changed, latent)
    np.testing.assert_array_equal(one.pairs, other.pairs)
    np.testing.assert_array_equal(one.probability, other.probability)


def test_each_source_its_best(rng):
    learned = learn(*aligned_documents(rng, 100))
    candidates, _ = simulated(*aligned_documents(rng, 100), np.arange(100), 0.5, 100, rng)
    told = learned.judge(candidates, matched=False)
    assert np.unique(candidates.source[told.pairs]).tolist() == list(range(candidates.sources))


def test_a_higher_pair_is_never_less_probable(rng):
    learned = learn(*aligned_documents(rng, 100))
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


def test_logistic_is_drawn_towards_what_is_known(rng):
    features = rng.standard_normal((200, 3))
    known = np.array([0.3, 1.0, -2.0, 0.5])
    chance = 1 / (1 + np.exp(-known[0] - features @ known[1:]))
    # Probabilities that agree with the known weights leave them where they are.
    np.testing.assert_allclose(logistic(features, chance, towards=known), known, atol=1e-6)
    away = logistic(features, chance, towards=np.zeros(4))
    assert (np.abs(away[1:]) < np.abs(known[1:])).all()


def test_there_and_back_as_json(rng):
    learned = learn(*aligned_documents(rng, 60))
    assert Calibration.from_dict(learned.as_dict()) == learned
    with pytest.raises(ParameterError, match="another version"):
        Calibration.from_dict(learned.as_dict() | {"features": ["cosine"]})
    older = {name: value for name, value in learned.as_dict().items() if name != "ranking"}
    with pytest.raises(ParameterError, match="another version"):
        Calibration.from_dict(older)


def test_too_few_pairs(rng):
    with pytest.raises(ParameterError, match="10 pairs are too few"):
        learn(*aligned_documents(rng, 10))


def test_no_pairs_no_probabilities(rng):
    assert len(learn(*aligned_documents(rng, 60)).probabilities(np.zeros((0, 3)))) == 0


def test_ordered_equals_sorting_each_group(rng):
    group, values = rng.integers(6, size=40), rng.standard_normal(40)
    found, places = ordered(group, values, 7, 4)
    for number in range(7):
        own = np.sort(values[group == number])[::-1][:4]
        np.testing.assert_array_equal(found[number, : len(own)], own)
        assert (places[number, len(own) :] == -1).all()
        np.testing.assert_array_equal(values[places[number, : len(own)]], own)


def test_gaps_of_a_mate_that_stands_out(rng):
    left, right = aligned_documents(rng, 50, noise=0.01)
    candidates = pair_features(left, right)
    best = gaps(candidates, candidates.csls)[candidates.source == candidates.target]
    others = gaps(candidates, candidates.csls)[candidates.source != candidates.target]
    assert (best[:, 0] > 0).all() and (others[:, 0] < 0).all()


def test_documents_that_share_only_a_name_become_candidates(rng):
    """Vectors say nothing; the name does."""
    rows = 200
    sides = [prepare(rng.standard_normal((rows, 30)).astype(np.float32)) for _ in range(2)]
    names = [f"name{row}" for row in range(rows)]
    left, right = (EncodedDocuments(side, SpellingCounter("en").count(names), np.ones(rows)) for side in sides)
    candidates = pair_features(left, right)
    mates = candidates.source == candidates.target
    assert mates.sum() == rows
    assert candidates.overlap[mates, 0].min() == pytest.approx(1, abs=1e-5)


def test_cut_keeps_the_longest_list_that_is_good_enough():
    probability = np.array([0.2, 1.0, 0.9, 0.6, 0.98])
    assert cut(probability, 0.95).tolist() == [1, 4, 2]
    assert cut(probability, 0.99).tolist() == [1, 4]
    assert len(cut(np.array([0.5]), 0.9)) == 0
    assert len(cut(probability, 0.0)) == 5
