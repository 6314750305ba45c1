"""Jobs, keys and the audit log, for the person who runs the service."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from babelspace.service.access import Administering, Writing
from babelspace.service.api.jobs import found, log_of
from babelspace.service.computing import compute
from babelspace.service.observing import record
from babelspace.service.pages.rendering import render
from babelspace.service.settings import RIGHTS

router = APIRouter(prefix="/jobs")
LOG, AUDITED = 20_000, 100


@router.get("")
async def page(request: Request, caller: Administering) -> Response:
    """All jobs, all keys."""
    return await _page(request, "")


@router.post("/keys")
async def add_key(
    request: Request,
    caller: Administering,
    name: Annotated[str, Form(max_length=100)],
    rights: Annotated[list[str], Form()],
) -> Response:
    """A new key, shown this once."""
    text = await compute(request, request.app.state.access.keys.add, name, rights)
    record(request, caller, "key added", name=name, rights=rights)
    return await _page(request, text)


@router.post("/keys/{id}/remove")
async def remove_key(request: Request, caller: Administering, id: str) -> Response:
    """Nobody comes in with this key any more."""
    await compute(request, request.app.state.access.keys.remove, id)
    record(request, caller, "key removed", id=id)
    return RedirectResponse("/jobs", 303)


@router.get("/{id}")
async def job(request: Request, caller: Writing, id: str) -> Response:
    """One job: how far it is, its log, what came of it."""
    one = found(request, id)
    return render(request, "job.html", job=one, log=log_of(request, one, LOG))


@router.post("/{id}/{action}")
async def change(request: Request, caller: Writing, id: str, action: str) -> Response:
    """Cancel a job, or let it go on."""
    one = found(request, id)
    jobs = request.app.state.jobs
    if action in ("cancel", "resume"):
        await compute(request, jobs.cancel if action == "cancel" else jobs.resume, one.id)
        record(request, caller, "job cancelled" if action == "cancel" else "job resumed", id=one.id)
        request.app.state.runner.wake()
    return RedirectResponse(f"/jobs/{one.id}", 303)


async def _page(request: Request, fresh: str) -> Response:
    jobs = await compute(request, request.app.state.jobs.listing)
    keys = await compute(request, request.app.state.access.keys.listing)
    audit = await compute(request, request.app.state.audit.last, AUDITED)
    return render(request, "jobs.html", jobs=jobs[:200], keys=keys, rights=RIGHTS, fresh=fresh, audit=audit)
