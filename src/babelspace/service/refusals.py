"""Everything that can go wrong as one kind of answer: {"error": {"fact", "hint", "status"}}."""

from __future__ import annotations

import errno
import logging
from collections.abc import Mapping, Sequence
from sqlite3 import SQLITE_FULL, OperationalError
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from babelspace.errors import ArtifactError, BabelspaceError, MissingExtra, StoreError, TranslatorError
from babelspace.service.hints import parts

logger = logging.getLogger("babelspace.service")
# What is not the caller's doing; every other error of babelspace is something that was given.
STATUS: Mapping[type[BabelspaceError], int] = {
    StoreError: 409,
    ArtifactError: 409,
    MissingExtra: 501,
    TranslatorError: 502,
}
GIVEN_WRONG = 422
# What the system says, without its places: status, fact and hint.
NO_ROOM = (507, "no room is left on the disk of the service", "tell who runs it; what is there is as it was")
TOO_MANY = (503, "too many files are open", "send fewer at a time, or try again soon")
TOO_LONG = (422, "a name is too long for the disk of the service", "choose a shorter one")
REFUSED_BY_SYSTEM = {
    errno.ENOSPC: NO_ROOM,
    errno.EDQUOT: NO_ROOM,
    errno.EMFILE: TOO_MANY,
    errno.ENFILE: TOO_MANY,
    errno.ENAMETOOLONG: TOO_LONG,
}
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
    app.add_exception_handler(OSError, _system)
    app.add_exception_handler(OperationalError, _database)


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, BabelspaceError)
    error.hint = hint_for(request, error)
    fact, hint = parts(error)
    if isinstance(error, Refused):
        return _answered(request, error.status, fact, hint, error.headers)
    status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), GIVEN_WRONG)
    return _answered(request, status, fact, hint)


def hint_for(request: Request, error: BabelspaceError) -> str:
    """The hint of an error, unless it may list what a caller who sees some documents alone must not know of."""
    caller = getattr(request.state, "caller", None)
    lists = not isinstance(error, Refused) or error.status == 404
    return "" if caller is not None and caller.filters and lists else error.hint


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


async def _system(request: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    logger.error("the system refused", exc_info=error, extra={"path": request.url.path})
    return _answered(request, *REFUSED_BY_SYSTEM.get(error.errno or 0, (500, *FAULT)))


async def _database(request: Request, error: Exception) -> Response:
    assert isinstance(error, OperationalError)
    logger.error("the database refused", exc_info=error, extra={"path": request.url.path})
    full = getattr(error, "sqlite_errorcode", None) == SQLITE_FULL
    return _answered(request, *(REFUSED_BY_SYSTEM[errno.ENOSPC] if full else (500, *FAULT)))


async def _memory(request: Request, error: Exception) -> Response:
    return _answered(request, 507, "not enough memory for this request", "ask for less at a time")
