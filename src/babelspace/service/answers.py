"""Answers of the API: JSON with an ETag, or JSON lines as they come."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from anyio import to_thread
from fastapi import Request
from starlette.responses import Response, StreamingResponse

from babelspace.service.computing import notes_of

NDJSON = "application/x-ndjson"


def plain(value: Any) -> Any:
    """A value as JSON has it: arrays become lists, numbers that JSON lacks become null."""
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if hasattr(value, "as_dict"):
        return plain(value.as_dict())
    return [plain(part) for part in value]


def answer(request: Request, value: Any, status: int = 200) -> Response:
    """The value, with notes where there are any; or 304 where the client has it already."""
    if isinstance(value, dict) and notes_of(request):
        value = {**value, "notes": notes_of(request)}
    body = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    known = request.headers.get("if-none-match", "")
    if status == 200 and tag in {part.strip().removeprefix("W/") for part in known.split(",")}:
        return Response(status_code=304, headers={"ETag": tag})
    return Response(body, status, headers={"ETag": tag}, media_type="application/json")


def wants_lines(request: Request) -> bool:
    """Whether the client asks for JSON lines."""
    return NDJSON in request.headers.get("accept", "")


def lines(records: Iterable[Any]) -> StreamingResponse:
    """A record a line, sent as they are made; each is made in a thread."""

    async def sent() -> Any:
        iterator = iter(records)
        while True:
            block = await to_thread.run_sync(_block, iterator)
            if not block:
                return
            yield block

    return StreamingResponse(sent(), media_type=NDJSON)


def _block(records: Iterator[Any], most: int = 100) -> bytes:
    """The next records; few, so that the first ones are there at once."""
    found = []
    for record in records:
        found.append(json.dumps(plain(record), ensure_ascii=False, separators=(",", ":")) + "\n")
        if len(found) >= most:
            break
    return "".join(found).encode("utf-8", "replace")


def page(items: list[Any], offset: int, limit: int) -> dict[str, Any]:
    """A part of a list, how long the list is, and where the next part begins."""
    end = offset + limit
    return {"items": items[offset:end], "total": len(items), "next": end if end < len(items) else None}
