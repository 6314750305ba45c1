"""Files that are sent with a form, which is read only once it is known who sends it and that they may."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Request
from starlette.datastructures import FormData, UploadFile

from babelspace.service.refusals import Refused

MOST_FILES, MOST_FIELDS = 20_000, 100
# Characters of a field beside the files.
LONGEST = 200


@asynccontextmanager
async def sent_form(request: Request) -> AsyncIterator[tuple[FormData, list[UploadFile]]]:
    """The form of a request and its files, which are closed afterwards.

    A form that stands in the parameters of a route is read before anybody asks for the caller: strangers could fill
    the disk.
    """
    async with request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS) as form:
        files = [one for one in form.getlist("files") if isinstance(one, UploadFile) and one.filename]
        if not files:
            raise Refused(422, "no files were sent", hint=f"send 1 to {MOST_FILES:,} in the field files of a form")
        yield form, files


def text_field(form: FormData, name: str) -> str:
    """A field of a form that is no file, "" where it was not sent."""
    value = form.get(name, "")
    if not isinstance(value, str) or len(value) > LONGEST:
        raise Refused(422, f"{name} is no text of up to {LONGEST} characters")
    return value


def form_schema(*texts: str) -> dict[str, Any]:
    """What such a form is in the OpenAPI schema."""
    files = {"type": "array", "minItems": 1, "items": {"type": "string", "format": "binary"}}
    fields: Sequence[tuple[str, Any]] = [(name, {"type": "string", "maxLength": LONGEST}) for name in texts]
    schema = {"type": "object", "required": ["files"], "properties": {"files": files, **dict(fields)}}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}
