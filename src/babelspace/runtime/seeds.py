"""Randomness enters a fit once, as one generator."""

from __future__ import annotations

import numpy as np

from babelspace.errors import ParameterError

Seed = int | np.random.Generator | np.random.SeedSequence | None


def generator(random_state: Seed) -> np.random.Generator:
    """One generator for one fit; an int gives the same one every time."""
    if isinstance(random_state, bool) or not (
        random_state is None or isinstance(random_state, (int, np.integer, np.random.Generator, np.random.SeedSequence))
    ):
        raise ParameterError(
            f"random_state must be an int, None or a numpy Generator, got {random_state!r}. Use random_state=0."
        )
    return np.random.default_rng(random_state)
