from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

from babelspace.classification import class_scores_of
from babelspace.classification.scores import _interval, macro_f1
from babelspace.errors import ParameterError
from babelspace.evaluation.significance import interval


def answers(rng, count=200):
    truth = rng.choice(["a", "b", "c"], size=count, p=[0.6, 0.3, 0.1])
    return truth, np.where(rng.random(count) < 0.7, truth, rng.choice(["a", "b", "d"], size=count))


def test_the_same_as_scikit_learn(rng):
    truth, predicted = answers(rng)
    found = class_scores_of(truth, predicted)
    assert found.accuracy == pytest.approx(accuracy_score(truth, predicted))
    assert found.macro_f1 == pytest.approx(f1_score(truth, predicted, average="macro", zero_division=0))
    assert np.array_equal(found.confusion, confusion_matrix(truth, predicted, labels=found.classes))
    assert found.documents == 200
    assert found.largest == pytest.approx(np.mean(truth == "a"))


def test_intervals_are_those_of_the_bootstrap_over_documents(rng):
    truth, predicted = answers(rng)
    found = class_scores_of(truth, predicted)
    assert found.accuracy_interval == pytest.approx(interval(truth == predicted), abs=0.02)
    low, high = found.macro_f1_interval
    assert low < found.macro_f1 < high
    draws = [rng.integers(200, size=200) for _ in range(150)]
    f1 = [f1_score(truth[rows], predicted[rows], average="macro", zero_division=0) for rows in draws]
    assert (low, high) == pytest.approx(np.quantile(f1, [0.025, 0.975]), abs=0.04)


def test_classes_that_do_not_occur_do_not_count():
    assert macro_f1(np.array([[[2, 0, 0], [0, 3, 0], [0, 0, 0]]])).tolist() == [1.0]


def test_mistakes_come_in_order():
    found = class_scores_of(["a", "a", "b", "b", "b"], ["b", "a", "c", "c", "b"])
    assert found.mistakes() == [("b", "c", 2), ("a", "b", 1)]
    assert found.mistakes(1) == [("b", "c", 2)]
    assert found.as_dict()["classes"] == ["a", "b", "c"]


def test_as_many_predictions_as_labels():
    with pytest.raises(ParameterError, match="a prediction for each label"):
        class_scores_of(["a"], ["a", "b"])


def test_intervals_hold_their_point_with_many_rare_classes(rng):
    """Plain percentiles of macro F1 lie below it when most classes have a document or two."""
    truth = [str(label) for label in rng.zipf(1.4, 300) % 60]
    predicted = [label if rng.random() < 0.8 else str(rng.integers(60)) for label in truth]
    scores = class_scores_of(truth, predicted)
    low, high = scores.macro_f1_interval
    assert low < scores.macro_f1 < high
    assert scores.accuracy_interval[0] < scores.accuracy < scores.accuracy_interval[1]


def test_an_interval_without_bias_is_the_percentile_interval(rng):
    values = rng.normal(0.5, 0.1, 20_001)
    low, high = _interval(values, float(np.median(values)))
    np.testing.assert_allclose([low, high], np.quantile(values, [0.025, 0.975]), atol=1e-3)
