"""The one place that sets thread counts, for BLAS, OpenMP and numba together."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from babelspace.errors import ParameterError

_forked = False


def forked() -> bool:
    """Whether this process was forked from one whose numba threads were running: it has none, and can start none."""
    return _forked


def _after_fork() -> None:
    """In the child: OpenMP's threads are gone and cannot be started again, so everything that has some uses one."""
    global _forked
    numba_threads = sys.modules.get("numba.np.ufunc.parallel")
    _forked = _forked or bool(getattr(numba_threads, "_is_initialized", False))
    if "faiss" in sys.modules:
        sys.modules["faiss"].omp_set_num_threads(1)
    if "threadpoolctl" in sys.modules:
        sys.modules["threadpoolctl"].threadpool_limits(1, user_api="openmp")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def available() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def current() -> int:
    """Threads that work may use here: what `limit` says."""
    import numba

    return int(numba.get_num_threads())


@contextmanager
def limit(threads: int) -> Iterator[None]:
    """Run the body with at most `threads` threads in BLAS, OpenMP, faiss and numba."""
    if threads < 1:
        raise ParameterError(f"threads must be at least 1, got {threads}. Leave it out to use all {available()}.")
    # Imported here: numba costs two seconds, and most commands that only print never need it.
    import faiss
    import numba

    # SciPy has a BLAS of its own, which would take all cores if it were loaded in the body.
    import scipy.linalg.lapack  # noqa: F401
    from threadpoolctl import threadpool_limits

    before_numba, before_faiss = numba.get_num_threads(), faiss.omp_get_max_threads()
    threads = min(threads, available())
    numba.set_num_threads(min(threads, int(numba.config.NUMBA_NUM_THREADS)))  # type: ignore[attr-defined]
    faiss.omp_set_num_threads(threads)
    try:
        with threadpool_limits(threads):
            yield
    finally:
        numba.set_num_threads(before_numba)
        faiss.omp_set_num_threads(before_faiss)


def multiply_alone() -> None:
    """From now on products use one thread: where small requests come, others that wait for more keep a core busy."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, user_api="blas")
