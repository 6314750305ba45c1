"""Topics: languages side by side, rows that show them, and names that stay."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from babelspace import ParameterError
from babelspace.runtime.exports.formats import write_stream
from babelspace.service.access import Reviewing, Searching
from babelspace.service.computing import compute
from babelspace.service.observing import record
from babelspace.service.pages.rendering import address, asked_for, listings, problem_shown, render
from babelspace.service.refusals import Refused
from babelspace.service.workspace import MODELS, Workspace
from babelspace.workflows.reading import load_corpus

if TYPE_CHECKING:
    from babelspace.workflows.topics import TopicReport

router = APIRouter(prefix="/topics")


@router.get("")
async def page(request: Request, caller: Searching) -> Response:
    """The topics of a model; with a corpus, its rows and how well words hang together; by a field, shares."""
    asked = asked_for(request, "model", "corpus", "by")
    shown: dict[str, Any] = {"report": None, "fields": (), "names": {}}
    with problem_shown(shown):
        if asked["model"]:
            found = await compute(request, _report, request.app.state.workspace, **asked)
            shown["report"], shown["fields"] = found
            shown["names"] = await compute(request, request.app.state.decisions.topic_names, asked["model"])
    lists = await listings(request, models=MODELS, corpora=["corpus"])
    return render(request, "topics.html", asked=asked, **shown, **lists)


@router.post("/name")
async def name(
    request: Request,
    caller: Reviewing,
    model: Annotated[str, Form(max_length=1_000)],
    number: Annotated[int, Form(ge=0, le=100_000)],
    name: Annotated[str, Form(max_length=200)] = "",
    corpus: Annotated[str, Form(max_length=1_000)] = "",
    by: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Give a topic a name."""
    await compute(request, request.app.state.decisions.name_topic, model, number, name.strip())
    record(request, caller, "topic named", model=model, number=number, name=name.strip())
    return RedirectResponse(address("/topics", model=model, corpus=corpus, by=by) + f"#topic-{number}", 303)


@router.get("/by.csv")
async def by_field(request: Request, caller: Searching, model: str, corpus: str, by: str) -> Response:
    """The shares of topics by a field, as a table."""
    report, _ = await compute(request, _report, request.app.state.workspace, model, corpus, by)
    if report.by is None:
        raise Refused(422, "no field was named", hint="name one of the corpus")
    record(request, caller, "download", name="topics", model=model, corpus=corpus, by=by)
    out = io.StringIO()
    write_stream(report.by, out, ".csv")
    headers = {"Content-Disposition": 'attachment; filename="topics.csv"'}
    return Response(out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _report(workspace: Workspace, model: str, corpus: str, by: str) -> tuple[TopicReport, tuple[str, ...]]:
    """The topics, and the fields of the corpus."""
    from babelspace import topics as described

    rows = load_corpus(workspace.readable(corpus)) if corpus else None
    if by and (rows is None or by not in rows.fields):
        has = ", ".join(rows.fields) if rows is not None and rows.fields else "no fields"
        raise ParameterError(f"no field {by!r} in {corpus or 'no corpus'}", hint=f"it has {has}")
    with workspace.model(model) as encoder:
        if rows is not None:
            rows = rows.select(languages=[code for code in rows.languages if code in encoder.languages_])
        found = described(encoder, rows, words=12, examples=3, by=by or None)
        return found, rows.fields if rows is not None else ()
