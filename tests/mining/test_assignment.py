from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import babelspace.mining.assignment as module
from babelspace.mining.assignment import competitive, one_to_one, optimal


def drawn(rng, rows=4, columns=5, share=0.6):
    source, target = np.array([pair for pair in product(range(rows), range(columns)) if rng.random() < share]).T
    return source, target, rng.normal(0.5, 1, len(source))


def best_sum(source, target, gain):
    """Try every subset of pairs that shares no document."""
    most = 0.0
    for chosen in product((False, True), repeat=len(gain)):
        mask = np.array(chosen)
        if len(set(source[mask])) == mask.sum() == len(set(target[mask])):
            most = max(most, float(gain[mask].sum()))
    return most


def test_optimal_equals_brute_force(rng):
    for _ in range(10):
        source, target, gain = drawn(rng, 3, 4)
        chosen = optimal(source, target, gain, 3, 4)
        assert len(set(source[chosen])) == len(chosen) == len(set(target[chosen]))
        assert (gain[chosen] > 0).all()
        assert gain[chosen].sum() == pytest.approx(best_sum(source, target, gain))


def test_competitive_takes_the_best_first():
    source, target = np.array([0, 0, 1]), np.array([0, 1, 0])
    gain = np.array([3.0, 2.0, 2.5])
    assert competitive(source, target, gain).tolist() == [0]
    assert optimal(source, target, gain, 2, 2).tolist() == [1, 2]


def test_large_piles_are_linked(monkeypatch, rng):
    monkeypatch.setattr(module, "SETTINGS", replace(module.SETTINGS, optimal_documents=2))
    source, target, gain = drawn(rng)
    np.testing.assert_array_equal(one_to_one(source, target, gain, 4, 5), competitive(source, target, gain))


def test_nothing_worth_choosing():
    nothing = np.zeros(0, np.int64)
    assert len(one_to_one(nothing, nothing, np.zeros(0), 3, 3)) == 0
    assert len(one_to_one(np.array([0]), np.array([0]), np.array([-1.0]), 1, 1)) == 0
