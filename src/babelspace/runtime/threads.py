"""The one place that sets thread counts, for BLAS, OpenMP and numba together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from babelspace.errors import ParameterError


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
