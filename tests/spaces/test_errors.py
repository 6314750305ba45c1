"""What every space says when it is used in a wrong way."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.errors import HolesError, ParameterError, UnknownLanguage
from babelspace.features import Views
from babelspace.spaces import SPACES, make
from tests.spaces.parts import COUNTING, LINEAR, TRANSLATED, every_linear_space, every_space, small


@pytest.fixture
def planted_views(name, planted_views, planted_counts, planted_translated):
    """Counts or translated texts for the spaces that need them."""
    return planted_counts if name in COUNTING else planted_translated if name in TRANSLATED else planted_views


@every_space
def test_an_unknown_language_is_told(name, fitted, planted_views):
    space = fitted(name)
    with pytest.raises(UnknownLanguage, match="unknown language 'xx'; known: en, es"):
        space.transform(planted_views["en"], "xx")
    with pytest.raises(UnknownLanguage, match="unknown language 'xx'"):
        space.transform({"en": planted_views["en"], "xx": planted_views["es"]})


@every_space
def test_another_width_is_told(name, fitted, planted_views):
    space = fitted(name)
    width = planted_views.shape[1]
    with pytest.raises(
        ParameterError, match=rf"was fitted on {width} columns, got {width + 1}. Vectorise with the vec"
    ):
        space.transform(np.ones((2, width + 1)), "en")


@every_space
def test_one_language_is_told(name):
    with pytest.raises(ParameterError, match=r"a space needs two or more languages, got en. Add a language"):
        small(name).fit({"en": np.eye(3)})


@every_space
def test_no_rows_are_told(name):
    with pytest.raises(ParameterError, match=r"no rows to learn from. Give a corpus with at least one aligned row"):
        small(name).fit({"en": np.zeros((0, 3)), "es": np.zeros((0, 3))})


@every_space
def test_what_are_not_views_is_told(name):
    with pytest.raises(ParameterError, match="Expected Views, a dict"):
        small(name).fit(np.eye(3))


@every_linear_space
@pytest.mark.parametrize("dimensions", [0, -3])
def test_no_dimensions_are_told(name, dimensions, planted_views):
    with pytest.raises(ParameterError, match=f"n_components must be a whole number, 1 or more, got {dimensions}"):
        small(name, dimensions).fit(planted_views)


@pytest.mark.parametrize("name", [name for name in LINEAR if "gamma" in SPACES[name].load()._get_param_names()])
@pytest.mark.parametrize("gamma", [0, -1.0])
def test_a_ridge_that_is_not_positive_is_told(name, gamma, planted_views):
    with pytest.raises(ParameterError, match=f"gamma must be a number above 0.*, got {gamma}"):
        small(name, gamma=gamma).fit(planted_views)


def test_an_unknown_space_is_told():
    with pytest.raises(
        ParameterError, match=f"unknown space 'lsa'; known: {', '.join(SPACES)}\\.(.|\\n)*see list_spaces"
    ):
        make("lsa")


def test_an_unknown_parameter_is_told():
    with pytest.raises(
        ParameterError, match="cl-lsi has no parameter gama; it has: n_components, power, random_state, tol"
    ):
        make("cl-lsi", gama=1)


@pytest.fixture
def never_together():
    """No row has both languages."""
    half = np.arange(8) < 4
    eyes = np.eye(8)
    matrices = {"en": eyes * half[:, None], "es": eyes * ~half[:, None]}
    return Views(matrices, {"en": half, "es": ~half})


def test_languages_that_never_meet_have_no_correlation(never_together):
    with pytest.raises(HolesError, match="no row has both 'en' and 'es', so their correlation is unknown"):
        make("cca", n_components=2).fit(never_together)


def test_languages_that_never_meet_have_no_contrast(never_together):
    with pytest.raises(
        ParameterError, match="no row has two languages, so nothing says which documents belong together"
    ):
        make("opca", n_components=2).fit(never_together)
