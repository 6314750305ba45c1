"""What there is in the folder: models, indexes, corpora, results."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from babelspace.service.access import Searching
from babelspace.service.answers import answer, page
from babelspace.service.api.schemas import PROBLEMS, ArtifactAnswer, ArtifactPage, Limit, Offset
from babelspace.service.computing import compute
from babelspace.service.workspace import MODELS, Workspace
from babelspace.workflows.info import model_info
from babelspace.workflows.inventory import FoundArtifact

router = APIRouter(tags=["folder"], responses=PROBLEMS)


def told(one: FoundArtifact) -> dict[str, Any]:
    """A thing as JSON, without its place on the machine."""
    return {"name": one.name, "kind": one.kind, "facts": one.facts}


async def _listed(request: Request, kinds: tuple[str, ...], offset: int, limit: int) -> Response:
    found = await compute(request, request.app.state.workspace.listing, *kinds)
    return answer(request, page([told(one) for one in found], offset, limit))


@router.get("/models", response_model=ArtifactPage)
async def models(request: Request, caller: Searching, offset: Offset = 0, limit: Limit = 100) -> Response:
    """Models and classifiers."""
    return await _listed(request, MODELS, offset, limit)


@router.get("/models/{name:path}", response_model=ArtifactAnswer)
async def model(request: Request, caller: Searching, name: str) -> Response:
    """The card of a model: what it is made of and how well it did."""
    found = request.app.state.workspace.find(name, *MODELS)
    info = await compute(request, model_info, found.path)
    return answer(request, {**told(found), "facts": info})


@router.get("/indexes", response_model=ArtifactPage)
async def indexes(request: Request, caller: Searching, offset: Offset = 0, limit: Limit = 100) -> Response:
    """Indexes that can be searched."""
    return await _listed(request, ("index",), offset, limit)


@router.get("/indexes/{name:path}", response_model=ArtifactAnswer)
async def index(request: Request, caller: Searching, name: str) -> Response:
    """An index with how many documents of each language it holds."""
    workspace: Workspace = request.app.state.workspace
    found = workspace.find(name, "index")

    def counted() -> dict[str, int]:
        with workspace.index(name) as opened:
            return opened.counts()

    return answer(request, {**told(found), "facts": {**found.facts, "documents": await compute(request, counted)}})


@router.get("/corpora", response_model=ArtifactPage)
async def corpora(request: Request, caller: Searching, offset: Offset = 0, limit: Limit = 100) -> Response:
    """Corpora, and files of documents."""
    return await _listed(request, ("corpus",), offset, limit)


@router.get("/results", response_model=ArtifactPage)
async def results(request: Request, caller: Searching, offset: Offset = 0, limit: Limit = 100) -> Response:
    """Results of earlier work: pairs."""
    return await _listed(request, ("result",), offset, limit)
