"""The first page, and who may come in."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from babelspace.service.access import Access, SearchingFiltered
from babelspace.service.computing import compute
from babelspace.service.pages.rendering import render, report_style

router = APIRouter()


@router.get("/")
async def start(request: Request, caller: SearchingFiltered) -> Response:
    """What there is, and what can be done with it."""
    found = [] if caller.filters else await compute(request, request.app.state.workspace.listing)
    return render(request, "start.html", found=found, folder=request.app.state.workspace.folder.name)


@router.get("/report.css")
async def style() -> Response:
    """Reports and workbench look alike."""
    return Response(report_style(), media_type="text/css", headers={"Cache-Control": "private, max-age=3600"})


@router.get("/login")
async def login_form(request: Request, next: str = "/") -> Response:
    """A box for a key."""
    return render(request, "login.html", next=_inside(next), wrong=False)


@router.post("/login")
async def login(request: Request, key: str = Form(max_length=200), next: str = Form("/", max_length=2000)) -> Response:
    """Begin a session with a key."""
    access: Access = request.app.state.access
    caller = access.sign_in(request, key.strip())
    if caller is None:
        return render(request, "login.html", 401, next=_inside(next), wrong=True)
    response = RedirectResponse(_inside(next), 303)
    access.begin_session(response, caller)
    return response


@router.post("/logout")
async def logout(request: Request) -> Response:
    """End the session."""
    response = RedirectResponse("/login", 303)
    request.app.state.access.end_session(request, response)
    return response


def error_page(request: Request, status: int, fact: str, hint: str) -> Response:
    """What a browser shows where the API answers with an error; who is not known may sign in."""
    if status == 401:
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(target, safe='')}", 303)
    return render(request, "error.html", status, status=status, fact=fact, hint=hint)


def _inside(target: str) -> str:
    """A path of this service: nobody is sent elsewhere after signing in."""
    plain = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if plain and "\\" not in target else "/"
