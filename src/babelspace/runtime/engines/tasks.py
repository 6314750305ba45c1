"""A block on a worker: one thread, and a disk that fails is told with the worker's name."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from babelspace.errors import EngineError
from babelspace.runtime.threads import limit

# Blocks under way for each worker: enough that none waits for this process, few enough to hold.
AHEAD = 3
# How often a block is begun again because its worker ended.
ATTEMPTS = 3


def run(function: Callable[..., Any], item: Any, shared: tuple[Any, ...], worker: str) -> Any:
    """One block, on one thread: there are as many workers as cores."""
    try:
        with limit(1):
            return function(item, *shared)
    except OSError as problem:
        raise EngineError(
            f"{worker}: a block could not be read or written ({problem.strerror or problem})",
            hint="see whether its disk is full and the folder the same on all workers; "
            "started again, finished blocks are not made again",
        ) from problem


def in_order(
    submit: Callable[[Any], Any], wait: Callable[[Any, Any], Any], items: Iterable[Any], ahead: int
) -> Iterator[Any]:
    """Results in the order of the items, at most `ahead` of them under way; `wait` takes an item and its future."""
    under_way: deque[tuple[Any, Any]] = deque()
    stream, problem = iter(items), None
    while True:
        try:
            item = next(stream)
        except StopIteration:
            break
        except Exception as error:
            # What came before it is still wanted, as it would be without others under way.
            problem = error
            break
        under_way.append((item, submit(item)))
        if len(under_way) >= ahead:
            yield wait(*under_way.popleft())
    while under_way:
        yield wait(*under_way.popleft())
    if problem is not None:
        raise problem
