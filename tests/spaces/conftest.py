"""Spaces that are fitted once and only looked at."""

from __future__ import annotations

import pytest

from babelspace.corpus import planted
from tests.spaces.lda_parts import counted
from tests.spaces.parts import COUNTING, TRANSLATED, features, small


@pytest.fixture(scope="session")
def planted_counts(planted_corpus):
    """The planted views as counts."""
    return features(COUNTING[0]).fit_transform(planted_corpus)


@pytest.fixture(scope="session")
def planted_translated(planted_corpus):
    """The planted views of texts that were all translated into English."""
    return features(TRANSLATED[0]).fit_transform(planted_corpus)


@pytest.fixture(scope="session")
def fitted(planted_corpus):
    """name -> a small space fitted on the planted views; do not change it."""
    spaces = {}

    def one(name):
        if name not in spaces:
            spaces[name] = small(name).fit(features(name).fit_transform(planted_corpus))
        return spaces[name]

    return one


@pytest.fixture(scope="session")
def topic_counts(global_random_seed):
    """Counts in three languages with holes."""
    settings = {"vocabulary": 80, "shared": 0.1, "holes": 0.2}
    return counted(planted(120, languages=("en", "es", "de"), **settings, seed=global_random_seed))
