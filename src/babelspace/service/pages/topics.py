"""Topics: languages side by side, rows that show them, and names that stay."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from babelspace import BabelspaceError
from babelspace import topics as described
from babelspace.service.access import Reviewing, Searching
from babelspace.service.computing import compute
from babelspace.service.names import readable
from babelspace.service.pages.rendering import address, render
from babelspace.service.workspace import MODELS, Workspace
from babelspace.workflows.reading import load_corpus

router = APIRouter(prefix="/topics")


@router.get("")
async def page(request: Request, caller: Searching, model: str = "", corpus: str = "") -> Response:
    """The topics of a model; with a corpus, rows of each and how well its words hang together."""
    workspace: Workspace = request.app.state.workspace
    report, problem, names = None, None, {}
    models = await compute(request, workspace.listing, *MODELS)
    if model:
        try:
            report = await compute(request, _report, workspace, model, corpus)
            names = await compute(request, request.app.state.decisions.topic_names, model)
        except BabelspaceError as error:
            problem = error
    return render(
        request,
        "topics.html",
        models=models,
        corpora=await compute(request, workspace.listing, "corpus"),
        asked={"model": model, "corpus": corpus},
        report=report,
        names=names,
        problem=problem,
    )


@router.post("/name")
async def name(
    request: Request,
    caller: Reviewing,
    model: Annotated[str, Form(max_length=1_000)],
    number: Annotated[int, Form(ge=0, le=100_000)],
    name: Annotated[str, Form(max_length=200)] = "",
    corpus: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:
    """Give a topic a name."""
    await compute(request, request.app.state.decisions.name_topic, model, number, name.strip())
    return RedirectResponse(address("/topics", model=model, corpus=corpus) + f"#topic-{number}", 303)


def _report(workspace: Workspace, model: str, corpus: str) -> Any:
    rows = load_corpus(readable(workspace.folder, corpus, workspace.only)) if corpus else None
    with workspace.model(model) as encoder:
        if rows is not None:
            rows = rows.select(languages=[code for code in rows.languages if code in encoder.languages_])
        return described(encoder, rows, words=12, examples=3)
