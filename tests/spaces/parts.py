"""What the tests of spaces share."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.spaces import SPACES, LinearSpace, make
from babelspace.vectors.similarity import as_dense

LINEAR = [name for name, card in SPACES.items() if issubclass(card.load(), LinearSpace)]
LEARNED = [name for name in SPACES if name != "untranslated"]
TRAIN = 160  # rows of the planted corpus; the others are for testing

every_space = pytest.mark.parametrize("name", SPACES)
every_linear_space = pytest.mark.parametrize("name", LINEAR)


def small(name, dimensions=20, **settings):
    """A space with few dimensions and a seed, if it has these parameters."""
    allowed = SPACES[name].load()._get_param_names()
    wanted = {"n_components": dimensions, "random_state": 0, **settings}
    return make(name, **{key: value for key, value in wanted.items() if key in allowed})


def separated_space(name, dimensions=6):
    """A ridge of the size of the planted strengths keeps the correlations of CCA apart; solved to the third digit."""
    return small(name, dimensions, gamma=0.5, tol=1e-3)


def assert_identical(vectors, others):
    """Bitwise equal vectors in the same languages."""
    assert set(vectors) == set(others)
    for language in vectors:
        np.testing.assert_array_equal(as_dense(vectors[language]), as_dense(others[language]))
