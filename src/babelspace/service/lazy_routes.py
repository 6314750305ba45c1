"""Routes that are imported when the first request for one of them comes: a service starts in half the time."""

from __future__ import annotations

from importlib import import_module
from threading import Lock
from typing import Any

from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from babelspace.service.pages.rendering import PAGES

API = "/api/v1"
HERE = "babelspace.service"
REQUESTS = ("documents", "artifacts", "search", "texts", "pairs", "words", "sentences", "jobs", "administration")


class LazyFastAPI(FastAPI):
    """An application whose API and pages are imported one by one, by the beginning of the path that is asked for."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._waiting = {path: [f"{HERE}.pages.{path[1:]}"] for path, _, _ in PAGES}
        self._waiting[API] = [*(f"{HERE}.api.{name}" for name in REQUESTS), f"{HERE}.pages.api"]
        self._importing = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            self._bring(scope["path"])
        await super().__call__(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        """The schema, which is that of the whole API."""
        self._bring(API)
        return super().openapi()

    def _bring(self, path: str) -> None:
        """Whoever asks at the same time waits: half of the routes would be a page that is not found."""
        if not self._waiting:
            return
        with self._importing:
            for beginning in [one for one in self._waiting if path == one or path.startswith(f"{one}/")]:
                prefix = API if beginning == API else ""
                for name in self._waiting[beginning]:
                    self.include_router(import_module(name).router, prefix=prefix, include_in_schema=beginning == API)
                del self._waiting[beginning]
