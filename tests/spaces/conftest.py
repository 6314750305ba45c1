"""Spaces that are fitted once and only looked at."""

from __future__ import annotations

import pytest

from tests.spaces.parts import small


@pytest.fixture(scope="session")
def fitted(planted_views):
    """name -> a small space fitted on the planted views; do not change it."""
    spaces = {}

    def one(name):
        if name not in spaces:
            spaces[name] = small(name).fit(planted_views)
        return spaces[name]

    return one
