from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from babelspace.errors import CorpusError
from babelspace.mining.audit import audit_places, read_verdicts, recalibrate
from babelspace.mining.precision import cut
from babelspace.mining.tuned_settings import SETTINGS


def test_recalibration_equals_a_general_optimiser(rng):
    probability = rng.uniform(0.05, 0.99, 60)
    right = (rng.random(60) < probability**3).astype(float)

    def loss(weights):
        slip = SETTINGS.verdict_slip
        chance = slip + (1 - 2 * slip) * expit(weights[0] + weights[1] * logit(probability))
        prior = (weights[0] / SETTINGS.verdict_shift) ** 2 + ((weights[1] - 1) / SETTINGS.verdict_slope) ** 2
        return -np.sum(right * np.log(chance) + (1 - right) * np.log(1 - chance)) + prior / 2

    expected = minimize(loss, [0.0, 1.0], tol=1e-10).x
    found = recalibrate(probability, right)
    np.testing.assert_allclose([found.shift, found.slope], expected, atol=1e-4)


def test_verdicts_mend_probabilities_that_promise_too_much(rng):
    """19 times out of 20 the interval holds the true share; here 8 of 10 must."""
    inside = 0
    for _ in range(10):
        odds = rng.normal(2, 2, 1000)
        true, told = rng.random(1000) < expit(odds - 1.2), expit(odds)
        kept = np.flatnonzero(told > 0.9)
        places = audit_places(told, kept, 80, seed=int(rng.integers(1000)))
        moved = recalibrate(told[places], true[places].astype(float))
        known = np.full(1000, np.nan)
        known[places] = true[places]
        low, high = moved.precision_interval(told[kept], known[kept])
        assert high - low < 0.25
        inside += low <= true[kept].mean() <= high
        assert abs(moved.probability(told).mean() - true.mean()) < abs(told.mean() - true.mean())
    assert inside >= 8


def test_one_wrong_verdict_does_not_close_the_cut():
    """Two right ones and a wrong one on pairs that were all but certain: most pairs stay above the cut for .95."""
    probability = np.concatenate([np.linspace(0.999, 0.9, 80), np.linspace(0.9, 0.1, 40)])
    before = len(cut(probability, 0.95))
    told = np.array([0.995, 0.99, 0.998])
    moved = recalibrate(told, np.array([1.0, 1.0, 0.0])).probability(probability)
    assert 0.5 * before < len(cut(moved, 0.95)) < before
    many = recalibrate(np.full(30, 0.99), np.tile([1.0, 0.0, 0.0], 10)).probability(probability)
    assert len(cut(many, 0.95)) == 0, "when most verdicts are wrong, nothing stays above it"


def test_no_verdict_changes_nothing():
    probability = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(recalibrate(np.zeros(0), np.zeros(0)).probability(probability), probability, atol=1e-6)


def test_half_of_an_audit_is_near_the_cut(rng):
    probability = np.sort(rng.random(200))[::-1]
    places = audit_places(probability, np.arange(100), 20)
    assert len(set(places.tolist())) == 20
    assert set(range(95, 105)) <= set(places.tolist())
    assert sum(place < 100 for place in places.tolist()) == 15
    assert audit_places(probability, np.arange(0), 6)[:3].tolist() == [0, 1, 2]
    assert len(audit_places(probability[:3], np.arange(2), 50)) == 3


def test_verdicts_of_a_file(tmp_path):
    path = tmp_path / "audit.tsv"
    path.write_text("source\ttarget\tprobability\tverdict\na\tx\t.9\t1\nb\ty\t.8\tno\nc\tz\t.7\t\n", encoding="utf-8")
    assert read_verdicts(path) == {("a", "x"): True, ("b", "y"): False}
    path.write_text("source\ttarget\tverdict\na\tx\tperhaps\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"audit.tsv, line 2: verdict 'perhaps'"):
        read_verdicts(path)
    path.write_text("source\ttarget\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="no column verdict"):
        read_verdicts(path)
    path.write_text("source\ttarget\tverdict\na\tx\t\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="no pair is judged"):
        read_verdicts(path)
