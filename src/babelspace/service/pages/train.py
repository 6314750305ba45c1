"""Train: a form made from the table of spaces, and what is learned as a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from babelspace.service.access import Writing
from babelspace.service.api.jobs import begin
from babelspace.service.computing import compute
from babelspace.service.jobs.kinds import CLOSED
from babelspace.service.pages.rendering import listings, render, written
from babelspace.service.refusals import Refused
from babelspace.workflows.list_spaces import describe_space, list_spaces

router = APIRouter(prefix="/train")
PREFIX = "parameter."
# What is done unless somebody knows better.
AUTO = {
    "name": "auto",
    "title": "chosen by trying",
    "citation": "Several spaces, features and dimensions are tried on rows set aside; the best one is learned.",
}


@router.get("")
async def page(request: Request, caller: Writing, corpus: str = "", space: str = AUTO["name"]) -> Response:
    """The form of one space."""
    known = [AUTO] + [one for one in list_spaces() if open_parameters(one["name"]) is not None]
    if space not in [one["name"] for one in known]:
        raise Refused(404, f"no space is called {space!r}")
    chosen = AUTO if space == AUTO["name"] else describe_space(space)
    lists = await listings(request, corpora=["corpus"], models=["model"])
    settings = open_parameters(space)
    return render(request, "train.html", corpus=corpus, spaces=known, space=chosen, parameters=settings, **lists)


@router.post("")
async def train(request: Request, caller: Writing) -> Response:
    """Begin to learn."""
    form = await request.form()
    given = {name: str(value).strip() for name, value in form.items()}
    space = given.get("space") or AUTO["name"]
    settings: dict[str, Any] = {
        "corpus": given.get("corpus", ""),
        "output": given.get("output", ""),
        "space": None if space == AUTO["name"] else space,
        "parameters": read_parameters(space, given),
    }
    if given.get("holdout"):
        settings["holdout"] = given["holdout"]
    job = await compute(request, begin, request, "fit", settings, caller)
    return RedirectResponse(f"/jobs/{job.id}", 303)


@router.post("/index")
async def index(request: Request, caller: Writing) -> Response:
    """Make a corpus searchable with a model."""
    form = await request.form()
    settings = {
        "model": str(form.get("model", "")),
        "documents": [str(form.get("documents", ""))],
        "output": str(form.get("output", "")).strip(),
    }
    job = await compute(request, begin, request, "index", settings, caller)
    return RedirectResponse(f"/jobs/{job.id}", 303)


def open_parameters(space: str) -> dict[str, Any] | None:
    """What a request may choose of a space; None for one that needs files or programs of the machine."""
    if space == AUTO["name"]:
        return {}
    schemas: dict[str, Any] = describe_space(space)["parameters"]
    if any(name in CLOSED and "default" not in schema for name, schema in schemas.items()):
        return None
    return {name: schema for name, schema in schemas.items() if name not in CLOSED and name != "random_state"}


def read_parameters(space: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Boxes of the form as values; what was left as it is by default is not told.

    Examples
    --------
    >>> read_parameters("opca", {"parameter.n_components": "20", "parameter.gamma": "0.1", "parameter.center": "true"})
    {'n_components': 20, 'center': True}
    """
    found: dict[str, Any] = {}
    for name, schema in (open_parameters(space) or {}).items():
        text = given.get(PREFIX + name, "").strip()
        if not text or text == written(schema["default"]):
            continue
        found[name] = _value(text, schema, name)
    return found


def _value(text: str, schema: Mapping[str, Any], name: str) -> Any:
    kinds = {schema.get("type")} | {part.get("type") for part in schema.get("anyOf", ())}
    if text in ("true", "false") and "boolean" in kinds:
        return text == "true"
    for kind, read in (("integer", int), ("number", float)):
        if kind in kinds:
            try:
                return read(text)
            except ValueError:
                continue
    if kinds & {"integer", "number", "boolean"} and "string" not in kinds:
        raise Refused(422, f"{name} is {text!r}, which is no number")
    return text
