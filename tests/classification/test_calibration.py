from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import log_loss

from babelspace.classification.calibration import calibration_error, fit_temperature, probabilities
from babelspace.classification.expected_accuracy import (
    FOREIGN,
    UNLABELLED,
    Expected,
    JudgedDocuments,
    class_chances,
    expected,
    wilson,
)


@pytest.mark.parametrize("temperature", [0.05, 1.0, 7.0])
def test_a_planted_temperature_is_found(rng, temperature):
    scores = temperature * rng.standard_normal((20_000, 4)) * 2
    chances = softmax(scores / temperature, axis=1)
    drawn = (chances.cumsum(axis=1) > rng.random((len(chances), 1))).argmax(axis=1)
    assert fit_temperature(scores, np.eye(4)[drawn]) == pytest.approx(temperature, rel=0.05)
    # Probabilities of the truth serve as well as the truth itself.
    assert fit_temperature(scores, chances) == pytest.approx(temperature, rel=0.01)


def test_it_is_the_minimum_of_the_cross_entropy(rng):
    scores, codes = rng.standard_normal((300, 3)), rng.integers(3, size=300)
    scores[np.arange(300), codes] += 1
    best = fit_temperature(scores, np.eye(3)[codes])
    losses = [log_loss(codes, probabilities(scores, t)) for t in (best * 0.8, best, best * 1.25)]
    assert losses[1] == min(losses)


def test_what_is_always_right_is_not_certain():
    scores = np.tile([1.0, 0.0], (8, 1))
    found = fit_temperature(scores, np.tile([1.0, 0.0], (8, 1)))
    assert 0.9 < probabilities(scores, found)[0, 0] < 1


def test_calibration_error():
    sure = np.full(10, 0.75)
    assert calibration_error(sure, np.arange(10) < 5) == pytest.approx(0.25)
    both = np.concatenate([sure, np.full(10, 0.15)])
    right = np.concatenate([np.arange(10) < 5, np.arange(10) < 4])
    assert calibration_error(both, right) == pytest.approx(0.25)


def test_wilson_holds_what_it_should(rng):
    shares = rng.binomial(60, 0.8, size=2_000) / 60
    held = [low <= 0.8 <= high for low, high in (wilson(share, 60) for share in shares)]
    assert 0.92 < np.mean(held) < 0.98
    assert wilson(1.0, 20)[1] == 1.0
    assert wilson(1.0, 20)[0] < 0.9


def judged(scores, codes, empty=None):
    codes = np.asarray(codes)
    return JudgedDocuments(np.arange(len(codes)), np.asarray(scores, float), codes, np.zeros(len(codes), bool))


def test_the_card_counts_labels_of_the_source():
    scores = np.eye(2)[[0, 0, 1, 1] * 10]
    codes = np.array([0, 1, 1, 1] * 10)
    found = expected("es", judged(scores, codes), None, np.array([0.5, 0.5]), 1.0)
    assert found.accuracy == 0.75
    assert found.labelled == found.documents == 40


def test_without_labels_the_probabilities_of_the_source_count():
    scores = np.eye(2)[[0, 1] * 20]
    source = np.tile([0.9, 0.1], (40, 1))
    found = expected("es", judged(scores, np.full(40, UNLABELLED)), source, np.array([0.5, 0.5]), 1.0)
    assert found.accuracy == pytest.approx(0.5)
    assert found.labelled == 0


def test_soft_labels_estimate_the_accuracy(rng):
    """Calibrated probabilities of the source, in place of labels, give the true accuracy of the target."""
    codes = rng.integers(3, size=4_000)
    evidence = rng.standard_normal((4_000, 3))
    evidence[np.arange(4_000), codes] += 1.5
    source = softmax(1.5 * evidence, axis=1)  # exact posterior of this Gaussian shift
    target = evidence + rng.standard_normal((4_000, 3))
    truth = float(np.mean(target.argmax(axis=1) == codes))
    found = expected("es", judged(target, np.full(4_000, UNLABELLED)), source, np.full(3, 1 / 3), 1.0)
    assert found.accuracy == pytest.approx(truth, abs=0.02)


def test_labels_that_were_not_learned_are_errors():
    scores = np.eye(2)[[0] * 40]
    codes = np.array([0, FOREIGN] * 20)
    assert expected("es", judged(scores, codes), np.full((40, 2), 0.5), np.array([0.5, 0.5]), 1.0).accuracy == 0.5


def test_too_few_pairs_tell_nothing():
    found = expected("es", judged(np.eye(2), [0, 1]), None, np.array([0.5, 0.5]), 3.0)
    assert found.accuracy is None
    assert found.temperature == 3.0
    assert Expected.from_dict(found.as_dict()) == found


def test_documents_without_a_word_have_the_shares_of_training():
    chances = class_chances(
        np.array([[-np.inf, -np.inf], [5.0, 0.0]]), np.array([True, False]), 1.0, np.array([0.3, 0.7])
    )
    assert chances[0].tolist() == [0.3, 0.7]
    assert chances[1, 0] > 0.99
