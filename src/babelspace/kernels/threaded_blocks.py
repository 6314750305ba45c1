"""Compiled loops over blocks of work, on all threads.

`prange` would do the same, but numba then compiles the loop and all that it calls several times: the word aligners took
twice as long to compile with it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba as nb


def on_threads(work: Any, count: int, *arguments: Any) -> None:
    """Call `work(number, *arguments)` for the numbers from 0 to `count` - 1; it must let go of the interpreter.

    Which thread takes which number is chance, so what one call writes no other may write or read.
    """
    threads = min(nb.get_num_threads(), count)
    # The first call may compile: on this thread, which hears Ctrl-C.
    alone = count if threads <= 1 else 0 if work.signatures else 1
    for number in range(alone):
        work(number, *arguments)
    if alone < count:
        left = iter(range(alone, count))

        def take(_: int) -> None:
            for number in left:
                work(number, *arguments)

        with ThreadPoolExecutor(threads) as pool:
            try:
                # A list, so that what a thread raises is raised here.
                list(pool.map(take, range(threads)))
            finally:
                # After Ctrl-C the threads must not go on to the end, for which the pool would wait.
                list(left)
