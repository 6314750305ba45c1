"""What the service tells of itself: structured logs, numbers for Prometheus, and who searched and judged what."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from threading import Lock
from time import perf_counter, time
from typing import Any

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from babelspace.runtime.files import ends_whole
from babelspace.runtime.resources import resident
from babelspace.service.keys import Caller
from babelspace.service.refusals import logger

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
EXTRA = ("method", "path", "status", "seconds", "caller", "client", "job", "state", "artifact")
API = "/api/v1"


class JsonLines(logging.Formatter):
    """A JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, message, and what else is known."""
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        told |= {name: getattr(record, name) for name in EXTRA if hasattr(record, name)}
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False, default=str)


def log_to_stderr(level: int = logging.INFO) -> None:
    """Logs of the service and of its server as JSON lines on stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("babelspace.service", "uvicorn"):
        found = logging.getLogger(name)
        found.handlers, found.propagate = [handler], False
        found.setLevel(level)


class Metrics:
    """Counts and times of requests, by route.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.count("GET", "/healthz", 200, 0.003)
    >>> [line for line in metrics.lines() if line.startswith("babelspace_requests_total")]
    ['babelspace_requests_total{method="GET",route="/healthz",status="200"} 1']
    """

    def __init__(self) -> None:
        self.started = time()
        self._lock = Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """One more request."""
        with self._lock:
            self._requests[method, route, status] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]
            for edge in BUCKETS:
                self._buckets[route, edge] += seconds <= edge

    def lines(self) -> Iterator[str]:
        """As Prometheus reads them."""
        with self._lock:
            requests, seconds, buckets = dict(self._requests), dict(self._seconds), dict(self._buckets)
        yield "# TYPE babelspace_requests_total counter"
        for (method, route, status), number in sorted(requests.items()):
            labels = f'method="{_label(method)}",route="{_label(route)}",status="{status}"'
            yield f"babelspace_requests_total{{{labels}}} {number}"
        yield "# TYPE babelspace_request_seconds histogram"
        for route in sorted(seconds):
            name, all_of_them = _label(route), sum(n for (_, one, _), n in requests.items() if one == route)
            for edge in BUCKETS:
                yield f'babelspace_request_seconds_bucket{{route="{name}",le="{edge:g}"}} {buckets[route, edge]}'
            yield f'babelspace_request_seconds_bucket{{route="{name}",le="+Inf"}} {all_of_them}'
            yield f'babelspace_request_seconds_sum{{route="{name}"}} {seconds[route]:.6f}'
            yield f'babelspace_request_seconds_count{{route="{name}"}} {all_of_them}'
        yield "# TYPE process_start_time_seconds gauge"
        yield f"process_start_time_seconds {self.started:.3f}"
        memory = resident()
        if memory is not None:
            yield "# TYPE process_resident_memory_bytes gauge"
            yield f"process_resident_memory_bytes {memory}"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


class Observer:
    """Counts and logs every request; queries and texts stay out of the log."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        began, status = perf_counter(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            self._note(scope, status, perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        # By route, not by address: names that callers make up must not become labels.
        route = getattr(scope.get("route"), "path", None) or "other"
        if scope["path"].startswith(API) and route != "other" and not route.startswith(API):
            route = API + route
        method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "DELETE", "PUT") else "other"
        self.metrics.count(method, route, status, seconds)
        caller = scope.get("state", {}).get("caller")
        facts = {"method": method, "path": scope["path"], "status": status, "seconds": round(seconds, 4)}
        facts |= {"caller": caller.name if caller else None, "client": (scope.get("client") or [None])[0]}
        logger.info("request", extra=facts)


class AuditLog:
    """Who searched and judged what: a JSON object a line, each written before the answer leaves.

    The system has it then, whatever happens to the service; a power cut may take the last seconds, because waiting for
    the disk at every search would cost all others milliseconds.
    """

    def __init__(self, path: Path, enabled: bool = True) -> None:
        self.path, self.enabled = path, enabled

    def write(self, who: str, action: str, **facts: Any) -> None:
        """One more line; lines of several processes do not mix."""
        if not self.enabled:
            return
        told = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "who": who, "action": action, **facts}
        line = json.dumps(told, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"
        handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            # Half a line that a full disk has left must not take this one with it.
            os.write(handle, line if ends_whole(handle) else b"\n" + line)
        finally:
            os.close(handle)

    def last(self, count: int, offset: int = 0) -> list[dict[str, Any]]:
        """The newest lines first."""
        if not self.path.is_file():
            return []
        # Not splitlines: a query may have other characters that end a line.
        written = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        found = (told for line in reversed(written) if (told := _object(line)) is not None)
        return list(islice(found, offset, offset + count))


def _object(line: str) -> dict[str, Any] | None:
    """A line of the log; None where it was cut off by a kill or a full disk."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def record(request: Request, caller: Caller, action: str, **facts: Any) -> None:
    """Write into the audit log of the application that serves this request."""
    audit: AuditLog = request.app.state.audit
    audit.write(caller.name, action, **facts)
