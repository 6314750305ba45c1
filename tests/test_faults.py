"""A disk that fails at any call leaves the state of before or of after.

`benchmarks/measure/faults.py` lets every call of every operation fail; here are a commit and some by chance.
"""

from __future__ import annotations

import random

import pytest

from benchmarks.measure.faults import Operations, calls_of, tried

NAMES = ["save", "classify", "create", "add", "replace", "delete", "finish", "search", "match"]
NAMES += ["learn on disk", "embed on disk"]


@pytest.fixture(scope="module")
def operations(tmp_path_factory):
    return Operations(tmp_path_factory.mktemp("operations")).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_fails_leaves_the_old_state_or_the_new(operations, name, tmp_path, global_random_seed):
    assert list(operations) == NAMES
    calls, states = calls_of(operations[name], tmp_path / "place")
    chance = random.Random(f"{name} {global_random_seed}")
    commits, writes = ([number for number, call in enumerate(calls, 1) if call == one] for one in ("commit", "write"))
    for at in {*commits[:1], *writes[:1], chance.randrange(1, len(calls) + 1)}:
        assert tried(operations[name], tmp_path / "place", at, chance.random() < 0.5, states) is None
