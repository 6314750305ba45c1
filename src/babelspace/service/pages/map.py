"""Map: documents as points, by language, topic or field; what a lasso catches can be taken away or kept as a list."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from babelspace.service.access import Searching, Writing
from babelspace.service.answers import answer
from babelspace.service.computing import compute
from babelspace.service.maps import MOST
from babelspace.service.observing import record
from babelspace.service.pages.rendering import address, asked_for, listings, render
from babelspace.service.workspace import MODELS, Workspace
from babelspace.workflows.make_subcorpus import keep_documents

router = APIRouter(prefix="/map")


class Caught(BaseModel):
    """Documents that are to be kept as a list, each told by language and id."""

    model_config = ConfigDict(extra="forbid")
    model: Annotated[str, Field(max_length=1_000)]
    corpus: Annotated[str, Field(max_length=1_000)]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    documents: Annotated[list[tuple[str, str]], Field(min_length=1, max_length=MOST)]


@router.get("")
async def page(request: Request, caller: Searching) -> Response:
    """The canvas; its points come from `data`."""
    lists = await listings(request, models=MODELS, corpora=["corpus"])
    return render(request, "map.html", asked=asked_for(request, "model", "corpus"), **lists)


@router.get("/data")
async def data(request: Request, caller: Searching, model: str, corpus: str) -> Response:
    """Points with what is known of each document."""
    state = request.app.state
    return answer(request, await compute(request, state.maps.get, state.workspace, model, corpus))


@router.post("/list")
async def keep(request: Request, caller: Writing, caught: Caught) -> Response:
    """Keep documents as a corpus of their own; the answer has addresses of what can be done with it."""
    workspace: Workspace = request.app.state.workspace
    path = workspace.readable(caught.corpus)
    target = workspace.fresh(caught.name.strip())
    await compute(request, keep_documents, path, caught.documents, target)
    name = target.relative_to(workspace.folder.resolve()).as_posix()
    record(request, caller, "list", name=name, documents=len(caught.documents))
    languages = list(dict.fromkeys(language for language, _ in caught.documents))
    pair = {"source_language": languages[0], "target_language": languages[1]} if len(languages) > 1 else {}
    found = {"name": name, "documents": len(caught.documents), "corpus": address("/corpus", name=name)}
    if await compute(request, workspace.listing, "index"):
        found["search"] = address("/search", within=name)
    if pair:
        found["review"] = address("/review", model=caught.model, source=name, target=name, name=f"{name}-pairs", **pair)
    return answer(request, found)
