"""Programs run and timed: seconds of the processor, also of children, seconds of the clock, and the peak of memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time

THREADS = 2


def module(name: str, *arguments: str) -> list[str]:
    """The command of a script of this package."""
    return [sys.executable, "-m", f"benchmarks.{name}", *arguments]


def timed(command: list[str], threads: int = THREADS) -> dict[str, float]:
    """Wall and CPU seconds and peak megabytes of a program."""
    started = time.perf_counter()
    environment = os.environ | {"NUMBA_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed with status {status}: {' '.join(command)}")
    wall = time.perf_counter() - started
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "megabytes": usage.ru_maxrss / 1024}
