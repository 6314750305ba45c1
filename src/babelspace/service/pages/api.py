"""The API for people: every request with what it takes, from the schema that programs read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from babelspace.service.access import SearchingFiltered
from babelspace.service.pages.rendering import render

router = APIRouter()
Schema = Mapping[str, Any]


@router.get("/docs", include_in_schema=False)
async def documentation(request: Request, caller: SearchingFiltered) -> Response:
    """Every request, its fields and a line for curl."""
    schema = request.app.openapi()
    return render(request, "api.html", operations=list(operations(schema)), here=str(request.base_url).rstrip("/"))


def operations(schema: Schema) -> Iterator[dict[str, Any]]:
    """Method, path, text and fields of every request.

    Examples
    --------
    >>> fields = {"properties": {"k": {"type": "integer"}}, "required": ["k"]}
    >>> body = {"content": {"application/json": {"schema": fields}}}
    >>> paths = {"/search": {"post": {"summary": "Search", "description": "Find.", "requestBody": body}}}
    >>> next(operations({"paths": paths}))["fields"]
    [{'name': 'k', 'kind': 'integer', 'needed': True, 'text': '', 'place': 'body'}]
    """
    for path, methods in schema["paths"].items():
        for method, one in methods.items():
            given = [_field(part["name"], part["schema"], part, part["in"]) for part in one.get("parameters", ())]
            for kind, content in one.get("requestBody", {}).get("content", {}).items():
                body = _resolved(schema, content["schema"])
                needed = body.get("required", ())
                place = "body" if kind == "application/json" else "form"
                given += [
                    _field(name, _resolved(schema, part), {"required": name in needed}, place)
                    for name, part in body.get("properties", {}).items()
                ]
            text = one.get("description") or one.get("summary", "")
            yield {"method": method.upper(), "path": path, "text": text, "fields": given}


def _field(name: str, schema: Schema, part: Schema, place: str) -> dict[str, Any]:
    text = str(part.get("description") or schema.get("description") or "")
    if "default" in schema:
        text = f"{text} Default: {json.dumps(schema['default'])}.".strip()
    return {"name": name, "kind": _kind(schema), "needed": bool(part.get("required")), "text": text, "place": place}


def _kind(schema: Schema) -> str:
    """What a value may be, in a few words."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_kind, schema["anyOf"])))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if "enum" in schema:
        return " or ".join(map(repr, schema["enum"]))
    return str(schema.get("type") or schema.get("$ref", "any").rpartition("/")[2])


def _resolved(schema: Schema, part: Schema) -> Schema:
    """What a reference means."""
    found: Any = part
    if "$ref" in part:
        found = schema
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
    return found
