from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

import babelspace.mining.candidates as module
from babelspace.errors import ParameterError
from babelspace.kernels.topk import rough_products
from babelspace.mining import rough_candidates
from babelspace.mining.candidates import both_ways
from babelspace.runtime.threads import limit
from babelspace.vectors.neighbours import nearest
from babelspace.vectors.similarity import prepare


def vectors(rng, rows, columns=12):
    return rng.standard_normal((rows, columns)).astype(np.float32)


@pytest.mark.parametrize(("left", "right"), [(50, 70), (70, 50), (5, 300), (1, 1)], ids=["wide", "tall", "few", "one"])
def test_one_pass_equals_two_searches(rng, left, right, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", 16)
    monkeypatch.setattr(module, "BLOCK_COLUMNS", 32)
    one, other = vectors(rng, left), vectors(rng, right)
    if left > 3:
        one[2] = 0
    a, b = prepare(one), prepare(other)
    forward, backward = both_ways(a, b, 4)
    for found, expected in ((forward, nearest(a, b, 4)), (backward, nearest(b, a, 4))):
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-6)


@pytest.fixture
def rough(monkeypatch):
    if not rough_products.available():
        pytest.skip("this processor does not multiply bfloat16")
    for name, value in {"PAIRS": 1, "ROWS": 32, "COLUMNS": 40}.items():
        monkeypatch.setattr(rough_candidates, name, value)


@pytest.mark.parametrize("columns", [12, 33])
def test_rough_products_find_the_same(rng, rough, columns, monkeypatch):
    one, other = vectors(rng, 150, columns), vectors(rng, 230, columns)
    one[2], other[7] = 0, 0
    # More that are alike than a list holds: those rows must be compared again.
    other[100:140] = one[3] + vectors(rng, 40, columns) * 1e-3
    a, b = prepare(one), prepare(other)
    again = []

    def watched(queries, documents, k):
        again.append(len(queries))
        return nearest(queries, documents, k)

    monkeypatch.setattr(rough_candidates, "nearest", watched)
    forward, backward = both_ways(a, b, 4)
    assert again and all(0 < count < 60 for count in again)
    for found, expected in ((forward, nearest(a, b, 4)), (backward, nearest(b, a, 4))):
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_array_equal(found.scores, expected.scores)


def test_rough_products_with_fewer_documents_than_asked_for(rng, rough):
    a, b = prepare(vectors(rng, 40)), prepare(vectors(rng, 3))
    forward, backward = both_ways(a, b, 5)
    np.testing.assert_array_equal(forward.indices, nearest(a, b, 5).indices)
    np.testing.assert_array_equal(backward.indices, nearest(b, a, 5).indices)


@pytest.mark.parametrize("similarity", ["euclidean", "l1"])
def test_other_similarities(rng, similarity):
    a, b = (prepare(np.abs(vectors(rng, 30)), similarity) for _ in range(2))
    found = both_ways(a, b, 3)
    np.testing.assert_array_equal(found[0].indices, nearest(a, b, 3).indices)
    np.testing.assert_array_equal(found[1].indices, nearest(b, a, 3).indices)


def test_sparse(rng):
    dense = [np.abs(vectors(rng, 30)) for _ in range(2)]
    sparse = both_ways(*(prepare(csr_array(side)) for side in dense), 3)
    np.testing.assert_array_equal(sparse[0].indices, both_ways(*map(prepare, dense), 3)[0].indices)


@pytest.mark.parametrize("approximate", [False, True])
def test_threads_change_nothing(rng, approximate, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", 16)
    a, b = prepare(vectors(rng, 400)), prepare(vectors(rng, 500))
    with limit(1):
        alone = both_ways(a, b, 5, approximate=approximate)
    with limit(2):
        together = both_ways(a, b, 5, approximate=approximate)
    for one, two in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.indices, two.indices)
        np.testing.assert_array_equal(one.scores, two.scores)


def test_approximate_finds_nearly_all_where_there_are_clusters(rng, monkeypatch):
    monkeypatch.setattr(module, "SETTINGS", replace(module.SETTINGS, clusters=0.9, probed=0.4))
    centres = vectors(rng, 20) * 3
    one = centres[rng.integers(20, size=500)] + vectors(rng, 500) * 0.5
    other = one + vectors(rng, 500) * 0.1
    a, b = prepare(one), prepare(other)
    exact, near = both_ways(a, b, 5, approximate=False), both_ways(a, b, 5, approximate=True)
    for full, part in zip(exact, near, strict=True):
        common = np.mean([len(np.intersect1d(x, y)) for x, y in zip(full.indices, part.indices, strict=True)]) / 5
        assert common > 0.97
        assert all(len(np.unique(row)) == 5 for row in part.indices)


def test_a_rough_pass_goes_on_where_it_was_stopped(rng, monkeypatch, rough):
    monkeypatch.setattr(rough_candidates, "ROWS", 8)
    test_a_pass_goes_on_where_it_was_stopped(rng, monkeypatch, False)


@pytest.mark.parametrize("approximate", [False, True])
def test_a_pass_goes_on_where_it_was_stopped(rng, monkeypatch, approximate):
    small = {"BLOCK_ROWS": 8, "GROUPS": 2, "BATCH_ROWS": 2, "BATCH": 8}
    monkeypatch.setattr(module, "SETTINGS", replace(module.SETTINGS, clusters=3.0, probed=0.5))
    for name, value in small.items():
        monkeypatch.setattr(module, name, value)
    a, b = prepare(vectors(rng, 100)), prepare(vectors(rng, 90))
    states = []

    class Killed(Exception):
        pass

    def save(state):
        states.append(state)
        if state.done == 3:
            raise Killed

    with pytest.raises(Killed):
        both_ways(a, b, 4, approximate=approximate, save=save)
    seen = []
    found = both_ways(a, b, 4, approximate=approximate, state=states[-1], save=lambda state: seen.append(state.done))
    assert seen == ([4, 5, 6, 7, 8] if approximate else [4, 5, 6, 7])
    for one, other in zip(found, both_ways(a, b, 4, approximate=approximate), strict=True):
        np.testing.assert_array_equal(one.indices, other.indices)
        np.testing.assert_array_equal(one.scores, other.scores)


def test_errors(rng):
    with pytest.raises(ParameterError, match="k must be"):
        both_ways(prepare(vectors(rng, 3)), prepare(vectors(rng, 3)), 0)
    with pytest.raises(ParameterError, match="dimensions"):
        both_ways(prepare(vectors(rng, 3)), prepare(vectors(rng, 3, 5)), 2)
