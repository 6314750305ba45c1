"""Randomness enters once."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.errors import ParameterError
from babelspace.runtime.seeds import generator


def draws(random_state):
    return generator(random_state).random(5).tolist()


def test_an_int_gives_the_same_numbers_every_time(global_random_seed):
    assert draws(global_random_seed) == draws(global_random_seed) == draws(np.int64(global_random_seed))
    assert draws(global_random_seed) != draws(global_random_seed + 1)
    assert draws(global_random_seed) == np.random.default_rng(global_random_seed).random(5).tolist()


def test_none_gives_others_every_time():
    assert draws(None) != draws(None)


def test_a_generator_is_used_as_it_is(rng):
    assert generator(rng) is rng


def test_a_seed_sequence(global_random_seed):
    sequence = np.random.SeedSequence(global_random_seed)
    assert draws(sequence) == draws(np.random.SeedSequence(global_random_seed))


def test_the_global_state_is_neither_read_nor_changed():
    before = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002
    draws(None), draws(0)
    np.testing.assert_array_equal(np.random.get_state(legacy=False)["state"]["key"], before)  # noqa: NPY002


@pytest.mark.parametrize("given", ["0", 1.0, True, [1], np.random.RandomState])
def test_anything_else_is_told(given):
    with pytest.raises(
        ParameterError, match=r"random_state must be an int, None or a numpy Generator, got .* random_state=0"
    ):
        generator(given)
