"""Below the command line no message names a flag or a command: hints name settings, and each surface words them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click
import pytest

import babelspace
from babelspace.cli.hints import OPERATIONS, on_the_command_line
from babelspace.cli.main import COMMANDS
from babelspace.errors import _NAMED, BabelspaceError, CorpusError, ParameterError, UnknownLanguage, settings_named

SOURCE = Path(babelspace.__file__).parent
SURFACES = ("cli", "service")
FLAG = re.compile(rf"(?<![\w-])--[a-z][a-z-]+|(?<!\S)-[ok] |\bbabelspace ({'|'.join(COMMANDS)})\b")


def strings(tree):
    """The strings of a module that are not docstrings."""
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body
        if isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node


def modules():
    below = (path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in SURFACES)
    return sorted(below)


def test_no_module_below_the_command_line_names_a_flag_or_a_command():
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {node.value!r}"
        for path in modules()
        for node in strings(ast.parse(path.read_text(encoding="utf-8")))
        if FLAG.search(node.value)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("bad", ["lower --drop-top", "rank with -k 10", "make one: babelspace fit CORPUS"])
def test_the_check_finds_flags_and_commands(bad):
    assert FLAG.search(bad)


def test_every_operation_in_a_hint_has_a_command():
    named = {
        match[1]
        for path in modules()
        for node in strings(ast.parse(path.read_text(encoding="utf-8")))
        for match in _NAMED.finditer(node.value.replace("{{", "{").replace("}}", "}"))
        if match[3] is not None
    }
    assert {"fit_model", "build_index"} <= named <= set(OPERATIONS)


def test_a_hint_reads_as_python_and_as_flags():
    hint = 'hold out more ({holdout=0.2}), {fit_model(space="opca")}, {normalize=False}, {replace=True} or {drop_top}'
    error = BabelspaceError("too few rows", hint=hint)
    assert str(error) == (
        'too few rows\nHint: hold out more (holdout=0.2), fit_model(…, space="opca"), normalize=False, '
        "replace=True or drop_top"
    )
    assert on_the_command_line(error) == (
        "too few rows\nHint: hold out more (--holdout 0.2), babelspace fit CORPUS -o MODEL --space opca, "
        "--no-normalize, --replace or --drop-top"
    )


def test_values_that_flags_spell_in_another_way():
    hint = '{translator={"es": "apertium -u spa-eng"}} {languages=["en", "es"]} {n_components=20} {calibrate=CORPUS}'
    told = on_the_command_line(BabelspaceError("x", hint=hint))
    assert told == "x\nHint: --translator 'es=apertium -u spa-eng' --languages en,es --dim 20 --calibrate CORPUS"


def test_a_setting_without_an_option_of_the_command_is_a_parameter_of_the_space():
    fit = click.Command("fit", params=[click.Option(["--holdout"]), click.Option(["--set", "settings"])])
    error = BabelspaceError("x", hint="{gamma=1.5} {holdout=0.1} {n_components=3}")
    assert on_the_command_line(error, fit) == "x\nHint: --set gamma=1.5 --holdout 0.1 --dim 3"


def test_text_of_the_user_in_a_hint_stays_as_it_is():
    error = CorpusError("bad", path="a{b}.tsv", line=3, hint='write {"id": "1"}')
    assert str(error) == on_the_command_line(error) == 'a{b}.tsv, line 3: bad\nHint: write {"id": "1"}'


def test_a_caller_gives_settings_its_own_names():
    with pytest.raises(CorpusError) as caught, settings_named(base="gold_base"):
        raise CorpusError("bad", path="gold.txt", line=2, hint="say {base=0}, or {other}")
    assert str(caught.value) == "gold.txt, line 2: bad\nHint: say gold_base=0, or other"


@pytest.mark.parametrize(
    "error",
    [
        ParameterError("x", hint="y {z=1}"),
        CorpusError("bad", path="a.tsv", line=3, hint="mend it"),
        UnknownLanguage("xx", ("en", "es")),
    ],
)
def test_errors_survive_a_process(error):
    import pickle

    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)
