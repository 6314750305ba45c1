"""What no request may do, before any of it is read: foreign sites, foreign host names, bodies too large or too slow.

Plain ASGI: Starlette's middleware of functions buffers streams and hides that a client went away.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Mapping
from time import monotonic
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from babelspace.service.access import current_caller
from babelspace.service.hints import over_http
from babelspace.service.refusals import FAULT, Refused, error_body, logger
from babelspace.service.settings import ServiceSettings, is_loopback

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SAME_SITE = frozenset({"same-origin", "none"})
# Where files are sent to; everything else is JSON or a form.
UPLOADS = ("/api/v1/uploads", "/corpus/upload")
# Bytes of a body that are read of anybody.
UNASKED = 100_000
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not "no-referrer": with it browsers send "Origin: null" with forms, which could not be told from a stranger's.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def content_policy(nonce: str) -> str:
    """What a page may load (from here alone) and run (files from here, or what carries the nonce)."""
    own = f"'self' 'nonce-{nonce}'"
    return (
        f"default-src 'none'; script-src {own}; style-src {own}; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


class Guard:
    """Refuses what must not come in, bounds what does, and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # There are no web sockets here.
            return await self.app(scope, receive, send) if scope["type"] == "lifespan" else None
        exchange = _Exchange(secrets.token_urlsafe(16), send)
        scope.setdefault("state", {})["nonce"] = exchange.nonce
        try:
            headers = Headers(scope=scope)
            self._check(scope, headers)
            body = self._bounded(scope, receive, headers)
            await self.app(scope, lambda: exchange.received(body), exchange.send)
        except Refused as problem:
            exchange.refused = problem
        except Exception as problem:
            logger.error("unexpected error", exc_info=problem, extra={"path": scope["path"]})
            exchange.refused = Refused(500, FAULT[0], hint=FAULT[1])
        return await exchange.end(scope, receive)

    def _bounded(self, scope: Scope, receive: Receive, headers: Headers) -> Receive:
        """An upload may be larger, and take longer in proportion; its route reads it once the caller is known."""
        settings, upload = self.settings, scope["path"] in UPLOADS
        most = settings.max_upload if upload else settings.max_body
        seconds = settings.body_seconds * max(1.0, most / settings.max_body)
        body = _bounded(receive, headers, most, seconds, settings.body_seconds)
        return body if upload else _asked(body, scope, headers)

    def _check(self, scope: Scope, headers: Headers) -> None:
        check_host(headers, self.settings.hosts, open_to_all_names=not self.settings.loopback)
        check_site(scope["method"], headers)
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit():
            raise Refused(400, "Content-Length is no number")


class _Exchange:
    """One request and its answer, which gets its headers here and may yet become a refusal."""

    def __init__(self, nonce: str, send: Send) -> None:
        self.nonce, self._send = nonce, send
        self.started = False
        self.refused: Refused | None = None

    async def received(self, body: Receive) -> Message:
        """The next part of the body; a refusal stays one, whatever is made of half a body."""
        try:
            return await body()
        except Refused as problem:
            self.refused = problem
            raise

    async def send(self, message: Message) -> None:
        """A part of the answer."""
        if self.refused is not None and not self.started:
            return
        if message["type"] == "http.response.start":
            self.started = True
            _head(MutableHeaders(scope=message), self.nonce)
        await self._send(message)

    async def end(self, scope: Scope, receive: Receive) -> None:
        """Refuse, if something was wrong; where half an answer is out, a broken connection is all that can be told."""
        problem, self.refused = self.refused, None
        if problem is None:
            return
        if self.started:
            raise problem
        body = error_body(problem.status, problem.fact, over_http(problem.hint))
        # What is left of the body is not read: the connection cannot serve another request.
        answer = JSONResponse(body, problem.status, headers={**problem.headers, "Connection": "close"})
        await answer(scope, receive, self.send)


def check_host(headers: Headers, hosts: Iterable[str], *, open_to_all_names: bool) -> None:
    """A page of another site can point a name of its own at 127.0.0.1: only names that are meant are answered."""
    host = headers.get("host", "")
    try:
        name = urlsplit(f"//{host}").hostname if _plain(host) else None
    except ValueError:
        name = None
    if name is None:
        raise Refused(400, "the Host header is no host name")
    if not (is_loopback(name) or name in hosts or open_to_all_names):
        raise Refused(421, f"this service does not answer to the name {name!r}", hint="name it in {hosts}")


def check_site(method: str, headers: Headers) -> None:
    """Requests that a page of another site makes in a user's browser; following a link is allowed."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    fact = "a page of another site may not do this"
    if site is not None:
        follows = method in SAFE_METHODS and headers.get("sec-fetch-mode") == "navigate"
        if site not in SAME_SITE and not (follows and headers.get("sec-fetch-dest") in ("document", None)):
            raise Refused(403, fact, hint="open the page at the address of the service itself")
    elif method not in SAFE_METHODS and origin is not None and not _same_origin(origin, headers):
        raise Refused(403, fact, hint="open the page at the address of the service itself")


def _same_origin(origin: str, headers: Headers) -> bool:
    """By name and port; whether a proxy before us speaks HTTPS we cannot know."""
    try:
        return _plain(origin) and urlsplit(origin).netloc == headers.get("host")
    except ValueError:
        return False


def _plain(value: str) -> bool:
    return bool(value) and value.isascii() and value.isprintable() and not set(value) & set(" \"'\\<>@")


def _bounded(receive: Receive, headers: Mapping[str, str], most: int, seconds: float, pause: float) -> Receive:
    """A body that is too large or too slow ends in an error; what comes after it (the client leaves) takes its time."""
    if int(headers.get("content-length", 0)) > most:
        raise Refused(413, f"the body is larger than {most:,} bytes", hint="send less at a time")
    taken, until, whole = 0, monotonic() + seconds, False

    async def bounded() -> Message:
        nonlocal taken, whole
        if whole:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), max(min(pause, until - monotonic()), 0.001))
        except TimeoutError:
            raise Refused(408, f"the body did not come within {seconds:g} seconds, or stopped for {pause:g}") from None
        taken += len(message.get("body", b""))
        whole = message["type"] != "http.request" or not message.get("more_body", False)
        if taken > most:
            raise Refused(413, f"the body is larger than {most:,} bytes", hint="send less at a time")
        return message

    return bounded


def _asked(body: Receive, scope: Scope, headers: Mapping[str, str]) -> Receive:
    """Routes read a body before they ask who sends it: of a stranger's they get no more than a form of this service."""
    if int(headers.get("content-length", 0)) > UNASKED:
        current_caller(Request(scope))
    taken = 0

    async def asked() -> Message:
        nonlocal taken
        message = await body()
        before, taken = taken, taken + len(message.get("body", b""))
        if before <= UNASKED < taken:
            current_caller(Request(scope))
        return message

    return asked


def _head(headers: MutableHeaders, nonce: str) -> None:
    for name, value in HEADERS.items():
        headers[name] = value
    headers["Content-Security-Policy"] = content_policy(nonce)
    headers.setdefault("Cache-Control", "private, no-cache")
    headers.add_vary_header("Cookie, Authorization")
