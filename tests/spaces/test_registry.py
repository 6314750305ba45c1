"""The table of spaces is complete and consistent."""

from __future__ import annotations

import pytest

from babelspace.errors import ParameterError
from babelspace.spaces import Space, make
from babelspace.spaces.registry import SPACES, card, name_of
from tests.spaces.parts import every_space


@every_space
def test_every_row_names_a_space_with_title_and_citation(name):
    entry = SPACES[name]
    kind = entry.load()
    assert issubclass(kind, Space)
    assert entry.title
    assert any(character.isdigit() for character in entry.citation), "a citation has a year"
    assert set(entry.grid) <= set(kind._get_param_names())
    assert "References" in kind.__doc__
    assert ">>>" in kind.__doc__


@every_space
def test_names_and_classes_belong_together(name):
    assert name_of(make(name)) == name
    assert card(name) is SPACES[name]


def test_parameters_are_passed_on():
    assert make("opca", gamma=0.5, n_components=7).get_params()["gamma"] == 0.5


def test_every_public_space_is_in_the_table():
    import babelspace.spaces as package

    kinds = {getattr(package, name) for name in package.__all__ if isinstance(getattr(package, name), type)}
    named = {entry.load() for entry in SPACES.values()}
    models = {kind for kind in kinds if issubclass(kind, Space) and not kind.__subclasses__()}
    assert models <= named


def test_untranslated_leaves_everything_as_it_is(planted_views):
    space = make("untranslated").fit(planted_views)
    for language, matrix in planted_views.items():
        assert (space.transform(matrix, language) != matrix).nnz == 0


@pytest.mark.parametrize("name", ["OPCA", "babelspace.spaces.linear.opca:OPCA", ""])
def test_only_registry_names_are_known(name):
    with pytest.raises(ValueError, match="unknown space"):
        make(name)


def test_a_near_name_is_suggested():
    with pytest.raises(ParameterError, match=r"unknown space 'opcaa'; known: .* Did you mean 'opca'\?"):
        make("opcaa")
