"""How often one caller may ask: a bucket of tokens for each that fills at a steady rate."""

from __future__ import annotations

from threading import Lock
from time import monotonic

from fastapi import Request

from babelspace.service.keys import Caller
from babelspace.service.refusals import Refused

# Callers whose buckets are kept; of more, those that asked longest ago are forgotten, whose buckets are full anyway.
KEPT = 10_000


class RateLimit:
    """Requests a second for one caller, and how many at once after a pause.

    Examples
    --------
    >>> limit = RateLimit(rate=1, burst=2)
    >>> [limit.wait("somebody", now) for now in (0.0, 0.0, 0.0, 1.0)]
    [0.0, 0.0, 1.0, 0.0]
    """

    def __init__(self, rate: float, burst: int) -> None:
        self.rate, self.burst = rate, max(1, burst)
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def check(self, request: Request, caller: Caller) -> None:
        """Raise if this caller asks too often."""
        client = request.client.host if request.client else ""
        seconds = self.wait(caller.key or f"{caller.name} {client}", monotonic())
        if seconds:
            raise Refused(
                429,
                f"more than {self.rate:g} requests a second",
                hint=f"wait {seconds:.1f} seconds",
                headers={"Retry-After": str(int(seconds) + 1)},
            )

    def wait(self, who: str, now: float) -> float:
        """Seconds until the next request is allowed; 0 takes a token."""
        if not self.rate:
            return 0.0
        with self._lock:
            tokens, seen = self._buckets.pop(who, (float(self.burst), now))
            tokens = min(self.burst, tokens + (now - seen) * self.rate)
            allowed = tokens >= 1
            self._buckets[who] = (tokens - allowed, now)
            while len(self._buckets) > KEPT:
                del self._buckets[next(iter(self._buckets))]
            return 0.0 if allowed else (1 - tokens) / self.rate
