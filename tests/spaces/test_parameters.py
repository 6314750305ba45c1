"""Every parameter of every estimator is declared once, and what is declared is what is checked, read and told."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import numpy as np
import pytest

from babelspace import ALIGNERS, CeptAligner, CrossLanguageClassifier, SemanticKernel
from babelspace.errors import ParameterError
from babelspace.runtime.parameters import (
    Boolean,
    Choice,
    Integer,
    Nothing,
    Parameter,
    Real,
    Structure,
    Text,
    check_parameters,
    defaults_of,
    estimator,
    parameter,
)
from babelspace.spaces.registry import SPACES, defaults, make, parameters

ESTIMATORS = {
    **{name: card.load() for name, card in SPACES.items()},
    **ALIGNERS,
    "cepts": CeptAligner,
    "classifier": CrossLanguageClassifier,
    "kernel": SemanticKernel,
}
every_estimator = pytest.mark.parametrize("kind", ESTIMATORS.values(), ids=list(ESTIMATORS))


@every_estimator
def test_the_table_is_the_constructor(kind):
    arguments = inspect.signature(kind).parameters
    assert set(kind._parameters) == set(arguments)


@every_estimator
def test_defaults_are_allowed_and_sentences_are_sentences(kind):
    table = kind._parameters
    for name, value in defaults_of(kind).items():
        assert table[name].accepts(value), f"{name}={value!r}"
    for name, declared in table.items():
        assert declared.sentence.endswith("."), name
        assert declared.text.endswith("."), name
        assert declared.sentence[0].isupper(), name


@every_estimator
def test_the_docstring_tells_every_parameter_in_its_place(kind):
    titles = re.findall(r"^(\w+)\n---", inspect.getdoc(kind), re.MULTILINE)
    assert titles == [name for name in ("Parameters", "Attributes", "References", "Examples") if name in titles]
    if kind._parameters:
        section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w+\n---|\Z)", inspect.getdoc(kind), re.DOTALL | re.MULTILINE)[
            1
        ]
        assert re.findall(r"^(\w+) : ", section, re.MULTILINE) == list(inspect.signature(kind).parameters)


def test_without_docstrings_parameters_are_told_all_the_same():
    code = "from babelspace import OPCA; print(OPCA(20).n_components, OPCA._parameters['gamma'].sentence)"
    shown = subprocess.run([sys.executable, "-OO", "-B", "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "20 Ridge on the noise; 0.1 is the paper's."


@pytest.mark.parametrize("name", SPACES)
def test_what_is_shown_can_be_typed(name):
    for key, value in defaults(name).items():
        if isinstance(value, (int, float, bool, type(None), str)) and key != "lexicon":
            text = str(value).lower() if value is None or isinstance(value, bool) else str(value)
            assert parameters(name)[key].read(text) == value
            assert isinstance(parameters(name)[key].read(text), bool) is isinstance(value, bool)


@pytest.mark.parametrize("name", SPACES)
def test_grids_are_allowed(name):
    for key, values in SPACES[name].grid.items():
        assert all(parameters(name)[key].accepts(value) for value in values), key


@pytest.mark.parametrize(
    ("kind", "inside", "outside", "allowed"),
    [
        (Integer(1), [1, np.int64(7)], [0, 1.0, True, "1", None], "a whole number, 1 or more"),
        (Integer(1, 9), [1, 9], [0, 10], "a whole number from 1 to 9"),
        (Real(above=0), [1e-9, 3, np.float32(2)], [0, -1, float("nan"), float("inf"), True, "1"], "a number above 0"),
        (Real(low=0, below=1), [0, 0.5], [1, -0.1], "a number, 0 or more and below 1"),
        (Real(above=0.5, high=1), [0.6, 1], [0.5, 1.1], "a number above 0.5 and at most 1"),
        (Choice("a", "b"), ["a"], ["c", 1, None], "'a' or 'b'"),
        (Choice("a", "b", "c"), ["c"], ["d"], "one of a, b, c"),
        (Boolean(), [True, np.bool_(False)], [1, "true"], "true or false"),
        (Nothing(), [None], [0, ""], "none"),
        (Text(), ["x"], [1], "a word"),
        (Structure("a list"), [[1], (1, 2), np.arange(2)], ["12", {"a": 1}, 3], "a list"),
        (Structure("an object", dict), [{}], [[1]], "an object"),
    ],
)
def test_kinds(kind, inside, outside, allowed):
    assert all(map(kind.accepts, inside))
    assert not any(map(kind.accepts, outside))
    assert kind.allowed == allowed


def test_a_text_is_read_as_the_first_kind_that_takes_it():
    declared = Parameter("What.", Real(above=0), Choice("auto"), Nothing())
    assert [declared.read(text) for text in ("2", "auto", "none")] == [2.0, "auto", None]
    for text in ("-1", "car", "nan"):
        with pytest.raises(ValueError, match="a number above 0 or 'auto' or none"):
            declared.read(text)


def test_messages_have_the_first_sentence_alone():
    declared = Parameter("Ridge, as in eq. 3 of the paper. More is told elsewhere.", Real())
    assert declared.sentence == declared.schema()["description"] == "Ridge, as in eq. 3 of the paper."


def test_a_class_has_the_parameters_of_its_bases_first():
    @estimator
    class Base:
        gamma: float = parameter(0.1, "Ridge.", Real(above=0))

    @estimator
    class Kind(Base):
        """What it is."""

        depth: int = parameter(2, "Depth.", Integer(1))
        most: int | None = parameter(None, "Most.", Integer(1))

    assert list(Kind._parameters) == list(inspect.signature(Kind).parameters) == ["gamma", "depth", "most"]
    assert [Kind._parameters[name].accepts(None) for name in ("depth", "most")] == [False, True]
    assert (Kind().gamma, Kind(0.5, 3).depth) == (0.1, 3)
    assert "gamma : a number above 0, default 0.1\n    Ridge." in Kind.__doc__


def test_a_wrong_value_is_told_with_what_is_allowed_and_the_default():
    with pytest.raises(ParameterError) as told:
        check_parameters(make("opca", gamma=0))
    assert str(told.value).splitlines() == [
        "gamma must be a number above 0, got 0 (Ridge on the noise; 0.1 is the paper's)",
        "Hint: gamma=0.1 is the default",
    ]


def test_parameters_of_a_combination_have_the_names_of_their_parts():
    table = parameters("cl-lsi+opca")
    assert table["opca.gamma"] is parameters("opca")["gamma"]
    assert set(table) == set(defaults("cl-lsi+opca"))


def test_forms_know_type_range_and_choices():
    schemas = {name: declared.schema() for name, declared in parameters("kernel-cca").items()}
    assert schemas["n_components"]["minimum"] == 1
    assert schemas["penalty"]["enum"] == ["dual", "norm"]
    assert {"enum": ["auto", "spectrum"]} in schemas["kappa"]["anyOf"]
