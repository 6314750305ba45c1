"""Heavy calls in threads: as many at once as there are cores, and a short queue before them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Request

from babelspace.service.refusals import Refused

T = TypeVar("T")
# Requests that wait for a thread; with more, an honest "later" is better than an answer nobody waits for any more.
MOST_WAITING = 200


class Computing:
    """The threads that compute."""

    def __init__(self, threads: int) -> None:
        self.limiter = CapacityLimiter(threads)

    async def run(self, function: Callable[..., T], *arguments: Any, **settings: Any) -> T:
        """Call a function in a thread."""
        if self.limiter.statistics().tasks_waiting >= MOST_WAITING:
            raise Refused(503, "too many requests at once", hint="try again soon", headers={"Retry-After": "1"})
        return await to_thread.run_sync(partial(function, *arguments, **settings), limiter=self.limiter)


async def compute(request: Request, function: Callable[..., T], *arguments: Any, **settings: Any) -> T:
    """Call a function in one of the threads of the application that serves this request."""
    computing: Computing = request.app.state.computing
    return await computing.run(function, *arguments, **settings)
