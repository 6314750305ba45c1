"""What does a cluster of Dask cost beside threads, and what would sixteen workers gain?

200,000 generated rows as in `scale`: reading, counting, weighting, products of columns (nothing is solved), encoding,
on the engine of this process with two threads, on two processes of joblib and on two workers of Dask, in turns, by the
clock and by the processor time of all their processes. Then every task of every pass is run alone and recorded: seconds
of the processor, bytes that it reads and writes in files, bytes of its item and result, seconds of this process for the
result. From that, sixteen workers are simulated: tasks in order to the first free worker, at most three for each under
way, files of all workers from one server of the stated bandwidth, items and results through this process's network.
"""

from __future__ import annotations

import argparse
import heapq
import json
import pickle
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from babelspace import ViewsVectorizer
from babelspace.corpus.blocked import deal, sources_of
from babelspace.features.on_disk import count_blocks, learn_views
from babelspace.runtime.engine import Engine, open_engine
from babelspace.runtime.engines.tasks import AHEAD
from babelspace.runtime.threads import limit
from babelspace.spaces.linear.moments import gram_on_disk
from babelspace.spaces.linear.opca import differences, scaled_rows
from babelspace.workflows.embed_on_disk import embed_on_disk
from benchmarks.common import OUT, commit, write
from benchmarks.measure.scale import PLACE, generate
from benchmarks.programs import module

ENGINES = {"threads": None, "processes": "processes://2", "dask": "dask://local?workers=2"}
# Bytes a second: ten gigabit a second for the file server, and as much for this process.
BANDWIDTH = 1.25e9
WORKERS = (1, 2, 4, 8, 16)
# Rows of a file, of which each worker should have two, and blocks.
FILE_ROWS, BLOCKS = 6_250, 64


class Recorder:
    """The engine of this process that notes what each task takes."""

    name, workers = "recorder", 1

    def __init__(self) -> None:
        self.passes: list[dict[str, Any]] = []

    def results(self, function: Callable[..., Any], items: Iterable[Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        title = shared[0].__name__ if function.__name__ == "_write" else function.__name__
        told: dict[str, Any] = {"pass": title.strip("_"), "shared": _bytes(shared), "tasks": [], "here": 0.0}
        self.passes.append(told)
        for item in items:
            before, started = _files(), time.process_time()
            with limit(1):
                result = function(item, *shared)
            seconds = time.process_time() - started
            files = _files() - before
            told["tasks"].append([seconds, files, _bytes(item) + _bytes(result)])
            started = time.process_time()
            yield result
            told["here"] += time.process_time() - started

    def close(self) -> None:
        """Nothing was started."""


def _bytes(value: Any) -> int:
    return len(pickle.dumps(value, protocol=5))


def _files() -> int:
    """Bytes that this process has read and written so far."""
    told = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(told["rchar"]) + int(told["wchar"])


def job(shards: Path, work: Path, model: Path, engine: Engine) -> dict[str, float]:
    """Counting, products and encoding; seconds of the clock of each."""
    took, vectorizer = {}, ViewsVectorizer(max_terms=10_000)
    sources = sources_of(shards)
    started = time.perf_counter()
    corpus = deal(sources, work / "texts", engine, blocks=BLOCKS)
    counts, rows = count_blocks(corpus, vectorizer, 0.1, work / "counts", engine)
    views = learn_views(counts, rows, vectorizer, work / "rows", engine)
    took["counting"] = time.perf_counter() - started
    started = time.perf_counter()
    gram_on_disk(views, "signal", scaled_rows)
    gram_on_disk(views, "noise", differences)
    took["products"] = time.perf_counter() - started
    started = time.perf_counter()
    embed_on_disk(model, shards, work / "vectors", engine=engine)
    took["encoding"] = time.perf_counter() - started
    return took


def simulated(told: dict[str, Any], workers: int, bandwidth: float) -> float:
    """Seconds of a pass on so many workers."""
    free = [workers * told["shared"] / bandwidth] * workers
    heapq.heapify(free)
    server = network = here = 0.0
    share = told["here"] / max(len(told["tasks"]), 1)
    ends: list[float] = []
    taken: list[float] = []
    for number, (seconds, files, moved) in enumerate(told["tasks"]):
        start = heapq.heappop(free)
        if number >= AHEAD * workers:
            start = max(start, taken[number - AHEAD * workers])
        # A file server and a network serve one after the other.
        network = max(network, start) + moved / bandwidth
        server = max(server, start) + files / bandwidth
        end = max(start + seconds + files / bandwidth + moved / bandwidth, server, network)
        heapq.heappush(free, end)
        ends.append(end)
        here = max(here, end) + share
        taken.append(here)
    return here if ends else 0.0


def engines(shards: Path, work: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Seconds of each engine, in turns, each a process of its own."""
    seconds: dict[str, list[dict[str, float]]] = {name: [] for name in ENGINES}
    for _ in range(options.turns):
        for name in ENGINES:
            shutil.rmtree(work, ignore_errors=True)
            words = ["--data", str(options.data), "--place", str(options.place), "--model", str(options.model)]
            words = module("measure.engines", *words, "--engine", name)
            done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
            seconds[name].append(json.loads(done.stdout.splitlines()[-1]))
            print(name, seconds[name][-1], file=sys.stderr, flush=True)
    return {"rows": options.rows, "seconds": seconds}


def one_engine(shards: Path, work: Path, model: Path, name: str) -> dict[str, float]:
    """Seconds of the clock, and of the processor in all processes of an engine."""
    started = time.perf_counter()
    with limit(2), open_engine(ENGINES[name]) as engine:
        opened = time.perf_counter() - started
        took = job(shards, work, model, engine)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        **took,
        "all": sum(took.values()),
        "opening": opened,
        "cpu_seconds": sum(one.ru_utime + one.ru_stime for one in used),
    }


def tasks(shards: Path, work: Path, options: argparse.Namespace) -> dict[str, Any]:
    """What every pass takes, and would take on more workers."""
    recorder = Recorder()
    shutil.rmtree(work, ignore_errors=True)
    with limit(1):
        job(shards, work, options.model, recorder)
    passes = [
        {
            "pass": told["pass"],
            "tasks": len(told["tasks"]),
            "seconds": sum(task[0] for task in told["tasks"]),
            "longest": max(task[0] for task in told["tasks"]),
            "seconds_here": told["here"],
            "gb_of_files": sum(task[1] for task in told["tasks"]) / 1e9,
            "gb_moved": sum(task[2] for task in told["tasks"]) / 1e9,
            "simulated": {str(count): simulated(told, count, BANDWIDTH) for count in WORKERS},
        }
        for told in recorder.passes
        if told["tasks"]
    ]
    total = {str(count): sum(one["simulated"][str(count)] for one in passes) for count in WORKERS}
    efficiency = {count: total["1"] / (int(count) * seconds) for count, seconds in total.items()}
    return {
        "rows": options.rows,
        "bytes_a_second": BANDWIDTH,
        "passes": passes,
        "seconds": total,
        "efficiency": efficiency,
    }


PARTS = {"engines": engines, "tasks": tasks}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--place", type=Path, default=Path("/tmp/babelspace-engines"))
    parser.add_argument("--model", type=Path, default=PLACE / "50000/model", help="a model of `scale`, which encodes")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--part", choices=list(PARTS), action="append")
    parser.add_argument("--engine", choices=list(ENGINES), help="only this engine, told as JSON")
    options = parser.parse_args()
    shards, work = options.place / "shards", options.place / "work"
    if options.engine:
        print(json.dumps(one_engine(shards, work, options.model, options.engine)))
        return
    generate(options.data, shards, options.rows, 100, shard_rows=FILE_ROWS)
    path = OUT / "engines.json"
    for part in options.part or PARTS:
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        told = {name: known[name] for name in PARTS if name in known}
        write("engines", told | {part: {"commit": commit(), **PARTS[part](shards, work, options)}})


if __name__ == "__main__":
    main()
