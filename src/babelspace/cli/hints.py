"""Hints in the words of the command line: settings as flags, operations as commands."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Mapping
from functools import partial
from typing import Any

import click

from babelspace.errors import Advice, BabelspaceError, worded

# Settings whose flag is not --name.
FLAGS = {"n_components": "--dim", "dimensions": "--dims", "random_state": "--seed", "k": "-k", "shares": "--split"}
FLAGS |= {"output": "-o", "folder": "-o", "lexicons": "--lexicon", "into": "--in", "filters": "--where"}
OPERATIONS = {
    "fit_model": "fit CORPUS -o MODEL",
    "build_index": "index MODEL DOCUMENTS -o INDEX",
    "check": "check FOLDER",
    "train_classifier": "classify train MODEL CORPUS --language en -o CLASSIFIER",
    "train_aligner": "align SOURCE TARGET --save FOLDER",
    "doctor": "doctor MODEL SOURCE TARGET",
    "match": "match MODEL SOURCE TARGET",
    "mine_sentences": "sentences SOURCE TARGET -o bitext.tmx",
    "list_spaces": "spaces",
}


def on_the_command_line(error: BabelspaceError | Advice, command: click.Command | None = None) -> str:
    """The message of an error or a warning of this command."""
    return error.told(partial(_flag, command), partial(_command_line, command))


def hint_on_the_command_line(hint: str) -> str:
    """A hint that no error carries."""
    return worded(hint, partial(_flag, None), partial(_command_line, None))


def _flag(command: click.Command | None, name: str, value: str | None) -> str:
    """`--flag value`; a parameter for which the command has no option of its own is one of the space's."""
    own = {param.name for param in command.params} if command is not None else set()
    flag = FLAGS.get(name, "--" + name.replace("_", "-"))
    if name in own or name in FLAGS or "settings" not in own:
        return _given(flag, value)
    return f"--set {name}" + ("" if value is None else f"={_plain(_read(value))}")


def _command_line(command: click.Command | None, name: str, settings: Mapping[str, str]) -> str:
    flags = [_flag(None, key, value) for key, value in settings.items()]
    return " ".join(["babelspace", OPERATIONS[name], *flags])


def _given(flag: str, value: str | None) -> str:
    if value is None:
        return flag
    read = _read(value)
    if isinstance(read, bool):
        return flag if read else "--no-" + flag.removeprefix("--")
    if isinstance(read, Mapping):
        return " ".join(f"{flag} {shlex.quote(f'{key}={part}')}" for key, part in read.items())
    return f"{flag} {_plain(read)}"


def _read(value: str) -> Any:
    """The Python value that is meant; a number or a placeholder stays as it is written."""
    try:
        read = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return _Placeholder(value)
    return _Placeholder(value) if isinstance(read, (int, float)) and not isinstance(read, bool) else read


class _Placeholder(str):
    """A value that stands in the hint as it is typed."""


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value) if isinstance(value, _Placeholder) else shlex.quote(str(value))
