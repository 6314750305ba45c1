"""Whether the service is alive, and how it fares, for the programs that watch it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from babelspace import __version__
from babelspace.service.access import Administering
from babelspace.service.computing import compute
from babelspace.service.observing import Metrics

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def health(request: Request) -> Response:
    """For load balancers and supervisors; tells nothing that needs a key."""
    return JSONResponse({"status": "ok", "version": __version__})


@router.get("/metrics")
async def metrics(request: Request, caller: Administering) -> Response:
    """Numbers as Prometheus reads them."""
    state = request.app.state
    found: Metrics = state.metrics
    told = [*found.lines(), "# TYPE babelspace_loaded_artifacts gauge"]
    told += [f"babelspace_loaded_artifacts {state.workspace.loaded()}", "# TYPE babelspace_jobs gauge"]
    counts = await compute(request, state.jobs.counts)
    told += [f'babelspace_jobs{{state="{name}"}} {number}' for name, number in sorted(counts.items())]
    return PlainTextResponse("\n".join(told) + "\n", media_type="text/plain; version=0.0.4; charset=utf-8")
