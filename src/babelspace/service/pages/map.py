"""Map: documents as points, by language, topic or field; what a lasso catches can be taken away."""

from __future__ import annotations

from threading import Lock
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from babelspace.service.access import Searching
from babelspace.service.answers import answer
from babelspace.service.computing import compute
from babelspace.service.names import readable
from babelspace.service.pages.rendering import render
from babelspace.service.workspace import MODELS, Workspace
from babelspace.workflows.map_documents import map_paths

router = APIRouter(prefix="/map")
# Points beyond which laying them out is no work for a request, and maps that are kept.
MOST, KEPT = 1_500, 8


class Maps:
    """Laid out once, looked at many times."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int], dict[str, Any]] = {}
        self._lock = Lock()

    def get(self, workspace: Workspace, model: str, corpus: str) -> dict[str, Any]:
        """The columns of a map."""
        path = readable(workspace.folder, corpus, workspace.only)
        place = workspace.find(model, *MODELS).path
        key = (model, corpus, place.stat().st_ino)
        with self._lock:
            if key not in self._known:
                with workspace.model(model) as encoder:
                    found = map_paths(encoder, [path], most=MOST)
                columns = {name: list(values) for name, values in found.columns().items()}
                self._known[key] = {"columns": columns, "left_out": found.left_out, "unplaced": found.unplaced}
                for old in list(self._known)[:-KEPT]:
                    del self._known[old]
            return self._known[key]


@router.get("")
async def page(request: Request, caller: Searching, model: str = "", corpus: str = "") -> Response:
    """The canvas; its points come from `data`."""
    workspace: Workspace = request.app.state.workspace
    return render(
        request,
        "map.html",
        models=await compute(request, workspace.listing, *MODELS),
        corpora=await compute(request, workspace.listing, "corpus"),
        asked={"model": model, "corpus": corpus},
    )


@router.get("/data")
async def data(request: Request, caller: Searching, model: str, corpus: str) -> Response:
    """Points with what is known of each document."""
    return answer(
        request, await compute(request, request.app.state.maps.get, request.app.state.workspace, model, corpus)
    )
