"""What the tests of spaces share."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import SPACES, LinearSpace, make
from babelspace.spaces.lda_base import TopicSpace
from babelspace.spaces.registry import defaults, parts_of
from babelspace.vectors.similarity import as_dense

LINEAR = [name for name, card in SPACES.items() if issubclass(card.load(), LinearSpace)]
LEARNED = [name for name in SPACES if name != "untranslated"]
COUNTING = [name for name, card in SPACES.items() if getattr(card.load(), "needs_counts", False)]
TRAIN = 160  # rows of the planted corpus; the others are for testing

every_space = pytest.mark.parametrize("name", SPACES)
every_linear_space = pytest.mark.parametrize("name", LINEAR)


def small(name, dimensions=20, **settings):
    """A space with few dimensions and a seed, if it has these parameters."""
    allowed = SPACES[name].load()._get_param_names()
    wanted = {"n_components": dimensions, "random_state": 0, **settings}
    if issubclass(SPACES[name].load(), TopicSpace):
        wanted = {"sweeps": 60, "max_iter": 40, **wanted}
    of_parts = {f"{part}.{key}": settings[key] for part in parts_of(name) for key in {*settings} & {*defaults(part)}}
    own = {key: value for key, value in wanted.items() if key in allowed}
    return make(name, **own, **(of_parts if name == "combine" else {}))


def separated_space(name, dimensions=6):
    """A ridge of the size of the planted strengths keeps the correlations of CCA apart; solved to the third digit."""
    return small(name, dimensions, gamma=0.5, tol=1e-3)


def features(name, **settings):
    """A vectorizer that gives a space what it needs: weights, or counts."""
    counts = {"weighting": "tf", "normalize": False} if name in COUNTING else {}
    return ViewsVectorizer(drop_top=0, **counts, **settings)


def suited(name, views):
    """Views of any numbers as they are, or as counts for a space that needs them."""
    if name not in COUNTING:
        return views
    return Views({language: np.rint(4 * abs(matrix.toarray())) for language, matrix in views.items()}, views.present)


def assert_identical(vectors, others):
    """Bitwise equal vectors in the same languages."""
    assert set(vectors) == set(others)
    for language in vectors:
        np.testing.assert_array_equal(as_dense(vectors[language]), as_dense(others[language]))
