"""Review: two texts side by side, the words that made the score marked, a key for each verdict."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, cast

from fastapi import APIRouter, Form, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, RedirectResponse, Response

from babelspace import BabelspaceError, Review
from babelspace.service.access import Reviewing, Writing
from babelspace.service.answers import answer
from babelspace.service.api.jobs import begin
from babelspace.service.computing import compute
from babelspace.service.hints import named_inside, parts
from babelspace.service.keys import Caller
from babelspace.service.observing import record
from babelspace.service.pages.rendering import asked_for, listings, render
from babelspace.service.refusals import Refused
from babelspace.service.workspace import Workspace
from babelspace.workflows.highlight_shared_words import MarkedPair, mark_pair, plain_pair

router = APIRouter(prefix="/review")
EXPORTS = {"pairs": ("tsv", "tmx", "xlsx", "jsonl"), "terms": ("tsv", "tbx", "xlsx", "jsonl")}
Reviewer = Annotated[str, Query(max_length=100)]


class Judged(BaseModel):
    """A verdict on the pair at a place."""

    model_config = ConfigDict(extra="forbid")
    place: int
    verdict: str
    note: Annotated[str, Field(max_length=10_000)] = ""


@router.get("")
async def reviews(request: Request, caller: Reviewing) -> Response:
    """The reviews of the folder, and a form for a new one."""
    workspace: Workspace = request.app.state.workspace
    found = await compute(request, workspace.listing, "review")
    standings = await compute(request, lambda: [(one, *_standing(request, one.name)) for one in found])
    asked = asked_for(request, "model", "source", "source_language", "target", "target_language", "name")
    lists = await listings(request, models=["model"], corpora=["corpus"])
    return render(request, "reviews.html", reviews=standings, asked=asked, **lists)


def _standing(request: Request, name: str) -> tuple[Any, str]:
    """How far a review is, or why that cannot be told: one file must not hide the others."""
    try:
        return _of(request, name).standing(), ""
    except BabelspaceError as problem:
        fact, hint = parts(problem)
        told = named_inside(fact, request.app.state.workspace.folder).removeprefix(f"{name}: ")
        return None, f"{told}. {hint}"
    except OSError as problem:
        return None, problem.strerror or "it cannot be read"


@router.post("")
async def make(request: Request, caller: Writing) -> Response:
    """Match two sides as a job; its review is here when it is done."""
    form = {name: str(value).strip() for name, value in (await request.form()).items()}
    names = ("model", "source", "target", "source_language", "target_language")
    settings: dict[str, Any] = {name: form.get(name, "") for name in names}
    settings["precision"] = form.get("precision") or 0.95
    settings["output"] = f"{form.get('name', '').removesuffix('.review')}.review"
    settings["unpaired"] = bool(form.get("unpaired"))
    job = await compute(request, begin, request, "review", settings, caller)
    return RedirectResponse(f"/jobs/{job.id}", 303)


@router.get("/{name:path}/export")
async def export(
    request: Request, caller: Reviewing, name: str, kind: str = "tsv", which: str = "accepted"
) -> Response:
    """The pairs as a file."""
    review = _of(request, name)
    if kind not in EXPORTS[review.kind]:
        raise Refused(422, f"{review.kind} are written as {', '.join(EXPORTS[review.kind])}, not {kind}")
    path = Path(tempfile.mkdtemp()) / f"{Path(name).stem}.{kind}"
    gone = BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True)
    try:
        await compute(request, lambda: review.pairs(cast(Any, which)).write(path))
    except BaseException:
        await gone()
        raise
    record(request, caller, "download", name=name, kind=kind, which=which)
    return FileResponse(path, filename=path.name, background=gone)


@router.get("/{name:path}/next")
async def next_pair(request: Request, caller: Reviewing, name: str, reviewer: Reviewer = "") -> Response:
    """What comes next, as JSON."""
    return answer(request, await compute(request, _state, request, name, _name(caller, reviewer)))


@router.post("/{name:path}/verdict")
async def judge(request: Request, caller: Reviewing, name: str, judged: Judged, reviewer: Reviewer = "") -> Response:
    """A verdict: on the disk when this answers, with what comes next."""
    who = _name(caller, reviewer)

    def done() -> dict[str, Any]:
        _of(request, name).judge(judged.place, judged.verdict, who, judged.note)
        record(request, caller, "verdict", review=name, place=judged.place, verdict=judged.verdict, reviewer=who)
        return {"saved": judged.place, **_state(request, name, who)}

    return answer(request, await compute(request, done))


@router.post("/{name:path}/undo")
async def undo(request: Request, caller: Reviewing, name: str, reviewer: Reviewer = "") -> Response:
    """Take back the last verdict; its pair comes again."""
    who = _name(caller, reviewer)

    def done() -> dict[str, Any]:
        pair = _of(request, name).undo(who)
        if pair is not None:
            record(request, caller, "undo", review=name, place=pair.place, reviewer=who)
        return {"undone": pair is not None, **_state(request, name, who, None if pair is None else pair.place)}

    return answer(request, await compute(request, done))


@router.post("/{name:path}/precision")
async def set_precision(
    request: Request,
    caller: Reviewing,
    name: str,
    precision: Annotated[float, Form(ge=0, lt=1)],
    reviewer: Reviewer = "",
) -> Response:
    """Move the cut."""
    review = _of(request, name)

    def done() -> dict[str, Any]:
        review.precision = precision
        record(request, caller, "precision", review=name, precision=precision)
        return _state(request, name, _name(caller, reviewer))

    return answer(request, await compute(request, done))


@router.get("/{name:path}")
async def page(request: Request, caller: Reviewing, name: str, reviewer: Reviewer = "") -> Response:
    """The page of one review."""
    who = _name(caller, reviewer)
    state = await compute(request, _state, request, name, who)
    review = _of(request, name)
    return render(
        request,
        "review.html",
        name=name,
        reviewer=who,
        free=caller.key is None,
        state=state,
        languages=review.languages,
        directions=review.directions,
        exports=EXPORTS[review.kind],
    )


def _of(request: Request, name: str) -> Review:
    workspace: Workspace = request.app.state.workspace
    review: Review = request.app.state.reviews.get(workspace.find(name, "review").path)
    return review


def _name(caller: Caller, reviewer: str) -> str:
    """Who has a key has its name; who sits at the machine says who they are."""
    return caller.name if caller.key is not None else reviewer.strip() or caller.name


def _state(request: Request, name: str, reviewer: str, place: int | None = None) -> dict[str, Any]:
    """A pair to judge and where the review stands."""
    review = _of(request, name)
    pair = review.next(reviewer) if place is None else review.pair(place)
    standing = review.standing()
    shares = {"observed_value": standing.observed.value, "observed_interval": standing.observed.interval}
    told: dict[str, Any] = {"standing": asdict(standing) | shares, "pair": None}
    if pair is not None:
        shown = _marked(request.app.state.workspace, review, pair.source_text, pair.target_text)
        own = review.votes(pair.place).get(reviewer, ("", ""))
        told["pair"] = {
            "place": pair.place,
            "source": pair.source,
            "target": pair.target,
            "probability": review.probability(pair.place),
            "above": pair.place < standing.above,
            "source_pieces": shown.source.pieces,
            "target_pieces": shown.target.pieces,
            "reasons": shown.reasons,
            "verdict": own[0],
            "note": own[1],
        }
    return told


def _marked(workspace: Workspace, review: Review, source: str, target: str) -> MarkedPair:
    """With the reasons of the model that found the pair, where it is at hand."""
    one, other = review.languages
    # The model may be gone or be another one now: the texts can still be judged.
    with suppress(BabelspaceError, ValueError):
        if review.model is not None:
            name = Path(review.model).resolve().relative_to(workspace.folder).as_posix()
            with workspace.model(name) as encoder:
                return mark_pair(encoder, source, one, target, other)
    return plain_pair(source, one, target, other)
