"""Hints in the words of the API: settings as fields of a JSON body, operations as requests."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Mapping
from pathlib import Path

from babelspace.errors import BabelspaceError, worded

# Something to do -> the kind of job, or the request, that does it.
JOBS = {"fit_model": "fit", "build_index": "index", "match": "match", "train_aligner": "align"}
REQUESTS = {
    "train_classifier": "POST /api/v1/jobs with kind classifier",
    "doctor": "POST /api/v1/doctor",
    "list_spaces": "GET /api/v1/spaces",
}


def over_http(hint: str) -> str:
    """A hint for who sends requests.

    Examples
    --------
    >>> over_http("lower {precision=0.9}, or make one: {fit_model(space='opca')}")
    'lower "precision": 0.9, or make one: POST /api/v1/jobs with {"kind": "fit", "settings": {"space": "opca"}}'
    """
    return worded(hint, _field, _request)


def parts(error: BabelspaceError) -> tuple[str, str]:
    """Fact and hint of an error."""
    return error.told().partition("\nHint: ")[0], over_http(error.hint)


def named_inside(text: str, folder: Path) -> str:
    """Files by the names that they have in the folder that is served: where it lies is nobody's business."""
    return text.replace(f"{folder}{os.sep}", "")


def _field(name: str, value: str | None) -> str:
    return f'"{name}"' if value is None else f'"{name}": {_json(value)}'


def _request(name: str, settings: Mapping[str, str]) -> str:
    if name in JOBS:
        given = ", ".join(_field(key, value) for key, value in settings.items())
        inside = f', "settings": {{{given}}}' if given else ""
        return f'POST /api/v1/jobs with {{"kind": "{JOBS[name]}"{inside}}}'
    return REQUESTS[name]


def _json(value: str) -> str:
    """A Python value as JSON; a placeholder stays as it is."""
    try:
        return json.dumps(ast.literal_eval(value), ensure_ascii=False)
    except (ValueError, SyntaxError, TypeError):
        return value
