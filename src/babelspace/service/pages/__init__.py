"""The workbench: pages in the browser, made here from templates that escape everything."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse, Response

from babelspace import __version__
from babelspace.service.access import Access, SearchingFiltered

STATIC = Path(__file__).with_name("static")
router = APIRouter(include_in_schema=False)


@cache
def environment() -> Environment:
    """The templates of this folder; a name that is not there is an error, not an empty string."""
    return Environment(
        loader=PackageLoader("babelspace.service.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(request: Request, name: str, status: int = 200, /, **context: Any) -> HTMLResponse:
    """A template filled in; it also has `nonce` (for scripts and styles inside the page), `caller` and `settings`."""
    values = {
        "nonce": request.state.nonce,
        "caller": getattr(request.state, "caller", None),
        "settings": request.app.state.settings,
        "version": __version__,
        **context,
    }
    return HTMLResponse(environment().get_template(name).render(values), status)


def error_page(request: Request, status: int, fact: str, hint: str) -> Response:
    """What a browser shows where the API answers with an error; who is not known may sign in."""
    if status == 401:
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(target, safe='')}", 303)
    return render(request, "error.html", status, status=status, fact=fact, hint=hint)


@router.get("/")
async def start(request: Request, caller: SearchingFiltered) -> Response:
    """What there is, and what can be done with it."""
    found = [] if caller.filters else request.app.state.workspace.listing()
    return render(request, "start.html", found=found)


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


def _inside(target: str) -> str:
    """A path of this service: nobody is sent elsewhere after signing in."""
    plain = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if plain and "\\" not in target else "/"
