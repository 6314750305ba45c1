"""Jobs: begun, watched as they go, cancelled, taken up again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from anyio import sleep, to_thread
from fastapi import APIRouter, Header, Request
from pydantic import Field, ValidationError
from starlette.responses import Response, StreamingResponse

from babelspace.service.access import Searching, Writing
from babelspace.service.answers import answer, page
from babelspace.service.api.schemas import PROBLEMS, ApiAnswer, Asked, Limit, Offset, PageAnswer
from babelspace.service.jobs.kinds import KINDS, FitAsked, check_open
from babelspace.service.jobs.records import ENDED, Job, Jobs
from babelspace.service.keys import Caller
from babelspace.service.names import check_place
from babelspace.service.observing import record
from babelspace.service.refusals import Refused, invalid

router = APIRouter(tags=["jobs"], responses=PROBLEMS)
JobId = Annotated[str, Field(pattern="^[0-9a-f]{12}$")]
# Seconds between two looks at a job, and between signs of life that keep a proxy from closing the connection.
LOOK, ALIVE = 0.25, 15.0
# Bytes of a log that are shown.
LOG = 200_000
# What names things that are there, and what will be there.
READ = ("corpus", "model", "source", "target", "bitext", "links", "documents")
MADE = ("output", "save")


class JobAsked(Asked):
    """A job to begin."""

    kind: Annotated[str, Field(description=f"One of: {', '.join(KINDS)}.")]
    settings: Annotated[dict[str, Any], Field(description="As GET /api/v1/job-kinds describes for each kind.")]
    overwrite: Annotated[bool, Field(description="Replace what has the name of the output.")] = False


class JobAnswer(ApiAnswer):
    """A job: how far it is, and what came of it."""

    id: str
    kind: str
    settings: dict[str, Any]
    owner: str
    state: str
    made: float
    begun: float | None
    ended: float | None
    progress: dict[str, Any]
    result: dict[str, Any]
    error: dict[str, Any]
    version: int
    can_resume: bool


class JobPage(PageAnswer):
    """Jobs, the newest first."""

    items: list[JobAnswer]


class JobLog(ApiAnswer):
    """The end of a job's log."""

    id: str
    log: str


def begin(request: Request, kind: str, settings: dict[str, Any], caller: Caller, overwrite: bool = False) -> Job:
    """A job that waits for its turn; what would fail at once is refused here."""
    if kind not in KINDS:
        raise Refused(422, f"no kind of job is called {kind!r}", hint=f"there are: {', '.join(KINDS)}")
    try:
        asked = KINDS[kind].settings(**settings)
    except (ValidationError, TypeError) as problem:
        raise invalid(problem, "GET /api/v1/job-kinds tells what each takes") from problem
    if isinstance(asked, FitAsked):
        check_open(asked)
    _check_names(request, asked, overwrite)
    jobs: Jobs = request.app.state.jobs
    job = jobs.add(kind, asked.model_dump(), caller.name, request.app.state.settings.waiting_jobs)
    record(request, caller, "job", id=job.id, kind=kind)
    request.app.state.runner.wake()
    return job


def _check_names(request: Request, asked: Asked, overwrite: bool) -> None:
    workspace = request.app.state.workspace
    given = asked.model_dump()
    for field in READ:
        names = given.get(field)
        for name in [names] if isinstance(names, str) else names or ():
            workspace.readable(name)
    for field in MADE:
        name = given.get(field)
        if name is None:
            continue
        path = workspace.inside(name)
        there = path.exists()
        check_place(path, workspace.folder)
        changes = given.get("mode", "new") != "new"
        if there and not (overwrite or changes):
            raise Refused(409, f"{name!r} is there already", hint="choose another name, or say {overwrite=True}")


def found(request: Request, id: str) -> Job:
    """The job of this id."""
    jobs: Jobs = request.app.state.jobs
    try:
        return jobs.get(id)
    except KeyError:
        raise Refused(404, f"no job {id!r}", hint="GET /api/v1/jobs lists them") from None


def log_of(request: Request, job: Job, most: int) -> str:
    """The end of a job's log, without the places of the machine."""
    path = request.app.state.jobs.place(job.id) / "log.txt"
    text = path.read_bytes()[-most:].decode("utf-8", "replace") if path.is_file() else ""
    return text.replace(str(request.app.state.workspace.folder), "…")


@router.get("/job-kinds")
async def kinds(request: Request, caller: Searching) -> dict[str, Any]:
    """Every kind of job with the JSON schema of its settings."""
    return {name: kind.settings.model_json_schema() for name, kind in KINDS.items()}


@router.post("/jobs", status_code=201, response_model=JobAnswer)
async def create(request: Request, caller: Writing, asked: JobAsked) -> Response:
    """Begin a job: fit, match, index, align, lexicon, compare, evaluate or classifier."""
    job = await to_thread.run_sync(begin, request, asked.kind, asked.settings, caller, asked.overwrite)
    return answer(request, job.as_dict(), 201)


@router.get("/jobs", response_model=JobPage)
async def listing(request: Request, caller: Searching, offset: Offset = 0, limit: Limit = 100) -> Response:
    """Jobs, the newest first."""
    jobs = await to_thread.run_sync(request.app.state.jobs.listing)
    return answer(request, page([job.as_dict() for job in jobs], offset, limit))


@router.get("/jobs/{id}", response_model=JobAnswer)
async def one(request: Request, caller: Searching, id: JobId) -> Response:
    """One job."""
    return answer(request, found(request, id).as_dict())


@router.get("/jobs/{id}/log", response_model=JobLog)
async def log(request: Request, caller: Searching, id: JobId) -> Response:
    """The end of its log."""
    return answer(request, {"id": id, "log": log_of(request, found(request, id), LOG)})


@router.post("/jobs/{id}/cancel", response_model=JobAnswer)
async def cancel(request: Request, caller: Writing, id: JobId) -> Response:
    """Ask a job to stop; what it has done so far is kept, so that it can go on."""
    job = found(request, id)
    request.app.state.jobs.cancel(job.id)
    record(request, caller, "job cancelled", id=job.id)
    request.app.state.runner.wake()
    return answer(request, found(request, id).as_dict())


@router.post("/jobs/{id}/resume", response_model=JobAnswer)
async def resume(request: Request, caller: Writing, id: JobId) -> Response:
    """Let a job go on that was stopped, cancelled or has failed."""
    job = found(request, id)
    if not request.app.state.jobs.resume(job.id):
        raise Refused(409, f"the job is {job.state}; only one that has stopped can go on")
    record(request, caller, "job resumed", id=job.id)
    request.app.state.runner.wake()
    return answer(request, found(request, id).as_dict())


@router.get("/jobs/{id}/events", responses={200: {"content": {"text/event-stream": {}}}})
async def events(
    request: Request, caller: Searching, id: JobId, last_event_id: Annotated[int, Header()] = -1
) -> Response:
    """Server-sent events: the job whenever it changes, until it has ended."""
    found(request, id)
    return StreamingResponse(
        _told(request, id, last_event_id), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )


async def _told(request: Request, id: str, seen: int) -> AsyncIterator[str]:
    jobs: Jobs = request.app.state.jobs
    silent = 0.0
    while not request.app.state.stopping.is_set():
        job = await to_thread.run_sync(jobs.get, id)
        if job.version != seen:
            seen, silent = job.version, 0.0
            yield f"id: {job.version}\nevent: job\ndata: {json.dumps(job.as_dict())}\n\n"
        if job.state in ENDED or await request.is_disconnected():
            return
        await sleep(LOOK)
        silent += LOOK
        if silent >= ALIVE:
            silent = 0.0
            yield ": alive\n\n"
