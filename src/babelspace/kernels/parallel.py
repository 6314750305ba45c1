"""Loops over rows on all threads, which also run in a process that was forked from one with threads.

GNU OpenMP, on which numba's threads stand, ends a forked child at its first parallel loop. A child whose parent has
used threads therefore runs the same loop compiled without them: every row is summed by one thread anyway, so the result
is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba as nb

from babelspace.runtime import threads


class ParallelKernel:
    """A compiled function in two versions, with threads and without."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        self.py_func = function
        self.threaded = nb.njit(parallel=True, cache=True, **options)(function)
        serial = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
        # Compiled functions are kept in files of this name.
        serial.__qualname__ = f"{function.__qualname__}_serial"
        self.serial = nb.njit(cache=True, **options)(serial)
        self.__doc__, self.__name__ = function.__doc__, function.__name__

    def __call__(self, *arguments: Any) -> Any:
        return (self.serial if threads.forked() else self.threaded)(*arguments)


def parallel(**options: Any) -> Callable[[Callable[..., Any]], ParallelKernel]:
    """`numba.njit(parallel=True, cache=True, **options)` for functions that are called from Python."""

    def decorate(function: Any) -> ParallelKernel:
        return ParallelKernel(function, options)

    return decorate
