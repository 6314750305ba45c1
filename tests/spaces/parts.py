"""What the tests of spaces share."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.corpus.planted import planted_words
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import SPACES, LinearSpace, make
from babelspace.spaces.registry import defaults, parts_of
from babelspace.vectors.similarity import as_dense
from tests import families

LINEAR = [name for name, card in SPACES.items() if issubclass(card.load(), LinearSpace)]
# Spaces that compare words as they find them; bare matrices count as translated.
TRANSLATED = ["translated", "translated-lsa"]
LEARNED = [name for name in SPACES if name not in ("untranslated", *TRANSLATED)]
# Weights that these learn from must not be negative.
BAGS = ["translation", "translation-lsa"]
COUNTING = [name for name, card in SPACES.items() if getattr(card.load(), "needs_counts", False)]
TRAIN = 160  # rows of the planted corpus; the others are for testing

every_space = pytest.mark.parametrize("name", families.spaces())
every_linear_space = pytest.mark.parametrize("name", families.spaces(LINEAR))


def small(name, dimensions=20, **settings):
    """A space with few dimensions and a seed, if it has these parameters."""
    allowed = SPACES[name].load()._get_param_names()
    wanted = {"n_components": dimensions, "random_state": 0, **settings}
    if name in COUNTING:
        wanted = {"sweeps": 60, "max_iter": 40, **wanted}
    of_parts = {f"{part}.{key}": settings[key] for part in parts_of(name) for key in {*settings} & {*defaults(part)}}
    own = {key: value for key, value in wanted.items() if key in allowed}
    return make(name, **own, **(of_parts if name == "combine" else {}))


def separated_space(name, dimensions=6):
    """A ridge of the size of the planted strengths keeps the correlations of CCA apart; solved to the third digit."""
    return small(name, dimensions, gamma=0.5, tol=1e-3)


def features(name, **settings):
    """A vectorizer that gives a space what it needs: weights, counts, or translated texts."""
    counts = {"weighting": "tf", "normalize": False} if name in COUNTING else {}
    translator = {"translator": {"into": "en", "function": in_english}} if name in TRANSLATED else {}
    return ViewsVectorizer(drop_top=0, **counts, **translator, **settings)


def in_english(texts, language, into):
    """Planted texts word by word in the planted words of another language; names have the same spelling in all."""
    words = dict(zip(planted_words(language, shared=0), planted_words(into, shared=0), strict=True))
    return [" ".join(words.get(word, word) for word in text.split()) for text in texts]


def suited(name, views):
    """Views of any numbers as they are, or as counts for a space that needs them."""
    if name in BAGS:
        return Views({language: abs(matrix) for language, matrix in views.items()}, views.present)
    if name not in COUNTING:
        return views
    return Views({language: np.rint(4 * abs(matrix.toarray())) for language, matrix in views.items()}, views.present)


def assert_identical(vectors, others):
    """Bitwise equal vectors in the same languages."""
    assert set(vectors) == set(others)
    for language in vectors:
        np.testing.assert_array_equal(as_dense(vectors[language]), as_dense(others[language]))
