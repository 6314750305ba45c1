"""Whether the service is alive."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from babelspace import __version__

router = APIRouter(include_in_schema=False)


@router.get("/healthz")
async def health(request: Request) -> Response:
    """For load balancers and supervisors; tells nothing that needs a key."""
    return JSONResponse({"status": "ok", "version": __version__})
