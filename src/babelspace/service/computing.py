"""Heavy calls in threads: as many at once as there are cores, and a short queue before them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Request

from babelspace.errors import Advice, BabelspaceError, CorpusError
from babelspace.service.hints import named_inside, over_http
from babelspace.service.refusals import Refused
from babelspace.workflows.stages import advice_told_to

T = TypeVar("T")
# Requests that wait for a thread; with more, an honest "later" is better than an answer nobody waits for any more.
MOST_WAITING = 200


class Computing:
    """The threads that compute."""

    def __init__(self, threads: int) -> None:
        self.limiter = CapacityLimiter(threads)
        # Short calls of Python and SQLite, one after the other: two at once lose 5 ms of waiting for the interpreter at
        # each of some thirty statements, and answers that took 15 ms take 150 until the load goes down.
        self.turns = CapacityLimiter(1)

    async def run(self, limiter: CapacityLimiter, function: Callable[[], T]) -> T:
        """Call a function in a thread."""
        if limiter.statistics().tasks_waiting >= MOST_WAITING:
            raise Refused(503, "too many requests at once", hint="try again soon", headers={"Retry-After": "1"})
        return await to_thread.run_sync(function, limiter=limiter)


async def compute(request: Request, function: Callable[..., T], *arguments: Any, **settings: Any) -> T:
    """Call a function in one of the threads of the application that serves this request."""
    computing: Computing = request.app.state.computing
    with _told_inside(request):
        return await computing.run(computing.limiter, partial(function, *arguments, **settings))


async def compute_in_turn(request: Request, function: Callable[..., T], *arguments: Any) -> T:
    """The same beside no other that is computed in turn."""
    computing: Computing = request.app.state.computing
    with _told_inside(request):
        return await computing.run(computing.turns, partial(function, *arguments))


@contextmanager
def _told_inside(request: Request) -> Iterator[None]:
    """Advice goes along with the answer, and errors name files as the folder that is served has them."""
    folder = request.app.state.workspace.folder
    try:
        with advice_told_to(lambda advice: note(request, advice)):
            yield
    except BabelspaceError as error:
        error.fact = named_inside(error.fact, folder)
        if isinstance(error, CorpusError) and error.path is not None:
            error.path = named_inside(str(error.path), folder)
        raise


def note(request: Request, advice: Advice) -> None:
    """Advice of a workflow goes along with the answer."""
    notes = notes_of(request)
    told = f"{advice.fact} {over_http(advice.hint)}".rstrip()
    if told not in notes:
        notes.append(told)


def notes_of(request: Request) -> list[str]:
    """What workflows had to tell about this request."""
    if not hasattr(request.state, "notes"):
        request.state.notes = []
    found: list[str] = request.state.notes
    return found
