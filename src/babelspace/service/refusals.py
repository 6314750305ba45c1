"""Everything that can go wrong as one kind of answer: {"error": {"fact", "hint", "status"}}."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from babelspace.errors import ArtifactError, BabelspaceError, MissingExtra, StoreError, TranslatorError
from babelspace.service.wording import parts

logger = logging.getLogger("babelspace.service")
# What is not the caller's doing; every other error of babelspace is something that was given.
STATUS: Mapping[type[BabelspaceError], int] = {
    StoreError: 409,
    ArtifactError: 409,
    MissingExtra: 501,
    TranslatorError: 502,
}
GIVEN_WRONG = 422
FAULT = ("an error of the service, not of the request", "the log of the service has its details")


class Refused(BabelspaceError):
    """A request that is not carried out, with its HTTP status."""

    def __init__(self, status: int, fact: str, *, hint: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(fact, hint=hint)
        self.status, self.headers = status, dict(headers or {})


def error_body(status: int, fact: str, hint: str = "") -> dict[str, Any]:
    """The body of every answer that is an error."""
    return {"error": {"fact": fact, "hint": hint, "status": status}}


def refusal(status: int, fact: str, hint: str = "", headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An answer that is an error."""
    return JSONResponse(error_body(status, fact, hint), status, headers=dict(headers or {}))


def handle_errors(app: FastAPI) -> None:
    """Every error of this application becomes such an answer, or a page where a browser asks for one."""
    app.add_exception_handler(BabelspaceError, _told)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(MemoryError, _memory)


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, BabelspaceError)
    fact, hint = parts(error)
    if isinstance(error, Refused):
        return _answered(request, error.status, fact, hint, error.headers)
    status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), GIVEN_WRONG)
    return _answered(request, status, fact, hint)


def _answered(
    request: Request, status: int, fact: str, hint: str = "", headers: Mapping[str, str] | None = None
) -> Response:
    wants_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
    if wants_page and request.app.state.error_page is not None:
        page: Response = request.app.state.error_page(request, status, fact, hint)
        return page
    return refusal(status, fact, hint, headers)


def invalid(error: ValidationError | RequestValidationError | TypeError, hint: str) -> Refused:
    """Everything that is wrong with what was given, and where."""
    if isinstance(error, TypeError):
        return Refused(GIVEN_WRONG, str(error), hint=hint)
    problems = [f"{_place(problem.get('loc', ()))}: {problem.get('msg', '')}" for problem in error.errors()]
    return Refused(GIVEN_WRONG, "; ".join(problems), hint=hint)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    told = invalid(error, "GET /api/v1/openapi.json tells what each request takes")
    return _answered(request, told.status, told.fact, told.hint)


def _place(location: Sequence[Any]) -> str:
    """Where in the request: `body.texts.0`."""
    return ".".join(map(str, location))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    hints = {404: "GET /api/v1/openapi.json tells what there is", 405: "GET /api/v1/openapi.json tells the methods"}
    if not request.url.path.startswith("/api/"):
        hints = {404: "No page has this address."}
    return _answered(request, error.status_code, str(error.detail), hints.get(error.status_code, ""), error.headers)


async def _memory(request: Request, error: Exception) -> Response:
    return _answered(request, 507, "not enough memory for this request", "ask for less at a time")
