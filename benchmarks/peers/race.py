"""What the races of this folder share: ours and what a user would take instead, in turns, quality beside time.

Every other script here is one job and runs alone, `python -m benchmarks.peers.NAME --data DATA`; `python -m
benchmarks.peers` runs them all. Results go to benchmarks/results/, from which `python -m benchmarks.report write` makes
table and chart.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Contender:
    """What is timed, and how good its result is. One with a limit is stopped after so many processor seconds."""

    fit: Callable[[], Any]
    judge: Callable[[Any], float]
    limit: float | None = None


def command_line(about: str | None, turns: int = 3, threads: int = 2) -> argparse.ArgumentParser:
    """What every race can be asked for."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=turns)
    parser.add_argument("--threads", type=int, default=threads, help="of every contender")
    return parser


def race(contenders: Mapping[str, Contender], turns: int, threads: int) -> dict[str, Any]:
    """Seconds of the processor and of the clock of each turn, and the MRR; who did not finish runs only once."""
    found: dict[str, Any] = {name: {"processor": [], "clock": [], "finished": True} for name in contenders}
    for turn in range(turns):
        for name, contender in contenders.items():
            if not found[name]["finished"]:
                continue
            run = _apart(contender, threads) if contender.limit else _timed(contender, threads)
            for clock in ("processor", "clock"):
                found[name][clock].append(round(run.pop(clock), 3))
            found[name] |= run
            seconds = ", ".join(f"{found[name][clock][-1]:.2f} s ({clock})" for clock in ("processor", "clock"))
            print(f"  turn {turn + 1}: {name} {seconds}; {run}", flush=True)
    return found


def _timed(contender: Contender, threads: int) -> dict[str, Any]:
    from babelspace.runtime.threads import limit

    with limit(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = time.process_time(), time.perf_counter()
        model = contender.fit()
        spent = {"processor": time.process_time() - before[0], "clock": time.perf_counter() - before[1]}
        return {**spent, "mrr": contender.judge(model)}


def _apart(contender: Contender, threads: int) -> dict[str, Any]:
    """In a process of its own, which is stopped when its time is over."""
    import psutil

    fork = multiprocessing.get_context("fork")
    answer = fork.Queue()
    process = fork.Process(target=lambda: answer.put(_timed(contender, threads)))
    started = time.perf_counter()
    process.start()
    spent, child = 0.0, psutil.Process(process.pid)
    while process.is_alive() and spent < float(contender.limit or 0):
        process.join(0.5)
        if process.is_alive():
            used = child.cpu_times()
            spent = used.user + used.system
    if process.exitcode == 0:
        return answer.get()
    if process.exitcode is not None:
        sys.exit(f"failed with exit code {process.exitcode}; its traceback stands above")
    process.kill()
    process.join()
    return {"processor": spent, "clock": time.perf_counter() - started, "finished": False}
