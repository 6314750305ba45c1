"""Who is asking: a key, the session of a browser, the user of a proxy, or whoever sits at this machine."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from time import time
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from babelspace.errors import ParameterError
from babelspace.service.keys import Caller, Keys
from babelspace.service.refusals import Refused
from babelspace.service.settings import RIGHTS, ServiceSettings, is_loopback

COOKIE = "babelspace"
USER, SECRET = "x-babelspace-user", "x-babelspace-secret"
# What a proxy adds: without a key or a secret, somebody else's users would all be "local".
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
LOCAL, STRANGER = Caller("local", frozenset(RIGHTS)), Caller("stranger", frozenset())


class Access:
    """Decides who a request comes from."""

    def __init__(self, keys: Keys, settings: ServiceSettings) -> None:
        self.keys, self.settings = keys, settings
        self._secret = self._session_secret()

    def check_address(self) -> None:
        """Raise if anybody on the network could do anything."""
        if self.settings.loopback or self.settings.proxy_secret or self.keys.usable:
            return
        raise ParameterError(
            f"others could reach {self.settings.host}, and there is no key yet",
            hint="make one first (babelspace serve key add FOLDER NAME --rights admin), or give a proxy a secret "
            "(BABELSPACE_PROXY_SECRET), or listen on 127.0.0.1",
        )

    def caller(self, request: Request) -> Caller | None:
        """Who is asking; None where that is not known."""
        headers = request.headers
        given = headers.get("authorization", "")
        if given:
            scheme, _, text = given.partition(" ")
            return self.keys.caller(text.strip()) if scheme.lower() == "bearer" else None
        if SECRET in headers or USER in headers:
            return self._by_proxy(headers.get(SECRET, ""), headers.get(USER, ""))
        cookie = request.cookies.get(COOKIE)
        if cookie is not None:
            found = self._by_session(cookie)
            if found is not None:
                return found
        return LOCAL if self._local(request) else None

    def sign_in(self, request: Request, key: str) -> Caller | None:
        """Who has this key; who tries out keys is slowed down."""
        found = self.keys.caller(key)
        if found is None:
            request.app.state.limiter.check(request, STRANGER)
        return found

    def begin_session(self, response: Response, caller: Caller) -> None:
        """Let a browser that has shown a key come in without it for some hours."""
        assert caller.key is not None
        seconds = int(3600 * self.settings.session_hours)
        content = f"{caller.key}.{int(time()) + seconds}.{secrets.token_urlsafe(16)}"
        value = f"{content}.{self._signature(content)}"
        response.set_cookie(
            COOKIE, value, max_age=seconds, httponly=True, samesite="strict", secure=self.settings.secure, path="/"
        )

    def end_session(self, request: Request, response: Response) -> None:
        """Nobody comes in with this session any more, not even who has copied it."""
        parts = self._session_parts(request.cookies.get(COOKIE, ""))
        if parts is not None:
            _, until, nonce = parts
            with self.keys.database.writing() as cursor:
                cursor.execute("DELETE FROM ended_sessions WHERE until < ?", (time(),))
                cursor.execute("INSERT OR IGNORE INTO ended_sessions VALUES (?, ?)", (nonce, until))
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=self.settings.secure)

    def _local(self, request: Request) -> bool:
        """Whether this is somebody at this machine, where no key was ever made."""
        server = request.scope.get("server") or ("", None)
        near = self.settings.loopback and is_loopback(server[0])
        return near and not any(name in request.headers for name in FORWARDED) and not self.keys.any

    def _by_proxy(self, secret: str, user: str) -> Caller | None:
        known = self.settings.proxy_secret
        if not known or not user or not hmac.compare_digest(known.encode(), secret.encode("utf-8", "replace")):
            return None
        found = self.keys.by_name(user)
        # Whose key was removed must not have more rights without it, nor see what its filters hid.
        if found is not None or self.keys.was_removed(user):
            return found
        return Caller(user[:100], frozenset(self.settings.proxy_rights))

    def _by_session(self, cookie: str) -> Caller | None:
        parts = self._session_parts(cookie)
        if parts is None:
            return None
        key, until, nonce = parts
        ended = self.keys.database.one("SELECT 1 FROM ended_sessions WHERE nonce = ?", (nonce,))
        return None if until < time() or ended else self.keys.by_id(key)

    def _session_parts(self, cookie: str) -> tuple[str, float, str] | None:
        """Key, end and nonce of a session that was signed here."""
        content, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(self._signature(content).encode(), signature.encode("utf-8", "replace")):
            return None
        key, until, nonce = content.split(".")
        return key, float(until), nonce

    def _signature(self, content: str) -> str:
        return hmac.new(self._secret, content.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def _session_secret(self) -> bytes:
        """Made once for each state folder, so that several processes and a restart know each other's sessions."""
        fresh = secrets.token_hex(32)
        self.keys.database.change("INSERT OR IGNORE INTO secrets VALUES ('session', ?)", (fresh,))
        found = self.keys.database.one("SELECT value FROM secrets WHERE name = 'session'")
        assert found is not None
        return bytes.fromhex(found["value"])


def current_caller(request: Request) -> Caller:
    """Who is asking, for routes and templates; an error where that is not known."""
    access: Access = request.app.state.access
    found: Caller | None = getattr(request.state, "caller", None) or access.caller(request)
    if found is None:
        # Who tries out keys is slowed down, too.
        request.app.state.limiter.check(request, STRANGER)
        raise Refused(
            401,
            "a valid key is needed",
            hint="send it as Authorization: Bearer KEY, or sign in at /login",
            headers={"WWW-Authenticate": "Bearer"},
        )
    request.state.caller = found
    return found


Checked = Callable[[Request], Awaitable[Caller]]


def may(right: str, *, filtered: bool = False) -> Checked:
    """A dependency: the caller, if they have this right.

    Who may see some documents only is refused everywhere but where the filters are obeyed (`filtered`).
    """

    async def checked(request: Request) -> Caller:
        caller = current_caller(request)
        request.app.state.limiter.check(request, caller)
        if not caller.may(right):
            raise Refused(403, f"{caller.name} has no right to {right}", hint="ask for a key that has it")
        if caller.filters and not filtered:
            raise Refused(403, f"{caller.name} may only search documents with {dict(caller.filters)}")
        if right in ("write", "review") and request.app.state.settings.read_only:
            raise Refused(403, "this service is read-only")
        return caller

    return checked


Searching = Annotated[Caller, Depends(may("search"))]
SearchingFiltered = Annotated[Caller, Depends(may("search", filtered=True))]
Reviewing = Annotated[Caller, Depends(may("review"))]
Writing = Annotated[Caller, Depends(may("write"))]
Administering = Annotated[Caller, Depends(may("admin"))]
