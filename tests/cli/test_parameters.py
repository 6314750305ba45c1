"""Values of `--set` and `--grid`."""

from __future__ import annotations

import click
import pytest

from babelspace.cli.parameters import parse_settings, read_value
from babelspace.errors import ParameterError


def test_settings_are_typed():
    given = parse_settings("opca", ["gamma=1", "center=true", "block_terms=9"])
    assert given == {"gamma": 1.0, "center": True, "block_terms": 9}
    assert type(given["gamma"]) is float


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("gamma", "'gamma' is not NAME=VALUE; write for example --set gamma=1"),
        ("gama=1", "opca has no parameter 'gama'; it has: .*gamma=0.1"),
        ("gamma=much", "gamma takes a number above 0, got 'much'; its default is --set gamma=0.1"),
        ("gamma=nan", "gamma takes a number above 0, got 'nan'"),
        ("gamma=inf", "gamma takes a number above 0, got 'inf'"),
        ("center=1", "center takes true or false, got '1'; its default is --set center=false"),
        ("block_terms=1.5", "block_terms takes a whole number, 1 or more, got '1.5'"),
    ],
)
def test_bad_settings(setting, message):
    with pytest.raises(click.BadParameter, match=message):
        parse_settings("opca", [setting])


def test_unknown_space():
    with pytest.raises(ParameterError, match=r"unknown space 'lsa'; known: untranslated, cl-lsi(.|\n)*see list_spaces"):
        parse_settings("lsa", [])


@pytest.mark.parametrize(
    ("space", "name", "text", "value"),
    [
        ("kernel-cca", "kappa", "auto", "auto"),
        ("kernel-cca", "kappa", "2", 2.0),
        ("kernel-cca", "gamma", "none", None),
        ("esa", "prune", "100", 100),
        ("esa", "prune", "none", None),
        ("combine", "weights", "1:2", "1:2"),
        ("combine", "weights", "[1, 2]", [1, 2]),
        ("combine", "parameters", '{"opca.gamma": 1}', {"opca.gamma": 1}),
        ("cl-lsi+opca", "opca.center", "true", True),
        ("opca+opca", "opca-2.gamma", "1", 1.0),
        ("opca", "random_state", "3", 3),
    ],
)
def test_values_are_of_a_kind_that_the_parameter_takes(space, name, text, value):
    found = read_value(space, name, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("name", "kinds"), [("prune", "a whole number, 1 or more or none"), ("association", None)])
def test_several_kinds_are_told(name, kinds):
    if kinds is None:
        assert read_value("esa", name, "bm25") == "bm25"
        return
    with pytest.raises(ValueError, match=kinds):
        read_value("esa", name, "x")
