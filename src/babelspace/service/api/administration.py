"""For the person who runs the service: keys, and who did what."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from babelspace.service.access import Access, Administering
from babelspace.service.answers import answer
from babelspace.service.api.schemas import PROBLEMS, ApiAnswer, Asked, Limit, Offset
from babelspace.service.computing import compute
from babelspace.service.observing import AuditLog, record
from babelspace.service.settings import RIGHTS

router = APIRouter(tags=["operations"], responses=PROBLEMS)


class KeyAsked(Asked):
    """A key to make."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    rights: Annotated[list[str], Field(min_length=1, description=f"Of: {', '.join(RIGHTS)}.")]
    filters: Annotated[
        dict[str, list[str]], Field(description="Documents that alone it may see: a field, or language, and values.")
    ] = Field(default_factory=dict)


class KeyAnswer(BaseModel):
    """A key without its secret."""

    id: str
    name: str
    rights: list[str]
    filters: dict[str, list[str]]
    made: str
    removed: str | None


class KeysAnswer(ApiAnswer):
    """All keys."""

    items: list[KeyAnswer]


class NewKeyAnswer(ApiAnswer):
    """The text of a new key, which is told this once."""

    key: str


class AuditAnswer(ApiAnswer):
    """Who did what, the newest first."""

    items: list[dict[str, Any]]


@router.get("/keys", response_model=KeysAnswer)
async def keys(request: Request, caller: Administering) -> Response:
    """All keys, those that were removed too; never their secrets."""
    access: Access = request.app.state.access
    return answer(request, {"items": access.keys.listing()})


@router.post("/keys", status_code=201, response_model=NewKeyAnswer)
async def add_key(request: Request, caller: Administering, asked: KeyAsked) -> Response:
    """A new key; from the first one on everybody needs one."""
    access: Access = request.app.state.access
    text = await compute(request, access.keys.add, asked.name, asked.rights, asked.filters)
    record(request, caller, "key added", name=asked.name, rights=asked.rights, filters=asked.filters)
    return answer(request, {"key": text}, 201)


@router.delete("/keys/{id}", response_model=KeysAnswer)
async def remove_key(request: Request, caller: Administering, id: str) -> Response:
    """Nobody comes in with this key any more."""
    access: Access = request.app.state.access
    await compute(request, access.keys.remove, id)
    record(request, caller, "key removed", id=id)
    return answer(request, {"items": access.keys.listing()})


@router.get("/audit", response_model=AuditAnswer)
async def audit(request: Request, caller: Administering, offset: Offset = 0, limit: Limit = 100) -> Response:
    """Who searched and judged what, the newest first."""
    log: AuditLog = request.app.state.audit
    return answer(request, {"items": await compute(request, log.last, limit, offset)})
