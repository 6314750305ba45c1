"""How does a fit on disk grow from 50,000 to 1,000,000 rows, in time of the processor, memory and disk?

Rows are made by a seeded generator over real sentences: each is about 100 words, sentence pairs of the Canadian Hansard
(`alignment/hansard-en-fr-all`) drawn at random and put together. So words, their frequencies and translations are real,
the topics of rows are not: no quality is to be read off. OPCA, 10,000 terms a language, 300 dimensions. Every size is a
process of its own; seconds are those of the processor, one thread, because others may use the machine.
"""

from __future__ import annotations

import argparse
import json
import lzma
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import OPCA, ViewsVectorizer
from babelspace.corpus.blocked import deal, sources_of
from babelspace.features.on_disk import count_blocks, learn_views
from babelspace.runtime.engine import open_engine
from babelspace.runtime.threads import limit
from babelspace.workflows.plan_on_disk import plan_fit
from benchmarks.common import write

WORDS = 100
SHARD_ROWS = 50_000


def generate(data: Path, folder: Path, rows: int, seed: int = 0) -> None:
    """Shards of JSON lines; the first rows are the same whatever their number."""
    bitext = data / "alignment/hansard-en-fr-all"
    files = [bitext / f"{side}.txt.xz" for side in ("source", "target")]
    sides = [lzma.decompress(file.read_bytes()).decode("utf-8").splitlines() for file in files]
    lengths = np.array([len(line.split()) for line in sides[0]])
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, rows, SHARD_ROWS):
        rng = np.random.default_rng([seed, start])
        with (folder / f"part-{start // SHARD_ROWS:05}.jsonl").open("w", encoding="utf-8") as stream:
            for row in range(start, min(start + SHARD_ROWS, rows)):
                drawn = rng.integers(0, len(lengths), 12)
                count = int(np.searchsorted(np.cumsum(lengths[drawn]), WORDS)) + 1
                texts = [" ".join(side[line] for line in drawn[:count]) for side in sides]
                stream.write(json.dumps({"id": str(row), "en": texts[0], "fr": texts[1]}, ensure_ascii=False) + "\n")


def measured(name: str, work: Callable[[], Any], steps: dict[str, Any]) -> Any:
    """Seconds of the processor and of the clock, and the process's peak so far."""
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    result = work()
    used = resource.getrusage(resource.RUSAGE_SELF)
    steps[name] = {
        "cpu_seconds": used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime,
        "seconds": time.perf_counter() - started,
        "peak_gb": used.ru_maxrss / 2**20,
    }
    print(name, steps[name], file=sys.stderr, flush=True)
    return result


def fit(shards: Path, work: Path, rows: int, terms: int, dimensions: int) -> dict[str, Any]:
    """Each pass of a fit on the first rows."""
    sources = sources_of(shards)[: -(-rows // SHARD_ROWS)]
    steps: dict[str, Any] = {}
    vectorizer = ViewsVectorizer(max_terms=terms)
    with limit(1), open_engine() as engine:
        plan = plan_fit(sources, vectorizer, None, dimensions)
        corpus = measured("reading", lambda: deal(sources, work / "texts", engine, blocks=plan.blocks), steps)
        counts, learned = measured(
            "counting", lambda: count_blocks(corpus, vectorizer, 0.1, work / "counts", engine), steps
        )
        views = measured("weighting", lambda: learn_views(counts, learned, vectorizer, work / "rows", engine), steps)
        measured("fitting", lambda: OPCA(dimensions).fit(views), steps)
    size = sum(file.stat().st_size for file in work.rglob("*") if file.is_file())
    planned = {name: seconds for name, seconds in zip(plan.passes, plan.seconds, strict=True)}
    return {
        "rows": rows,
        "columns": views.shape[1],
        "blocks": plan.blocks,
        "disk_gb": size / 1e9,
        "steps": steps,
        "planned_seconds": planned,
        "planned_memory_gb": plan.memory / 1e9,
    }


def exponents(results: list[dict[str, Any]]) -> dict[str, float]:
    """Slopes of seconds against rows, both as logarithms."""
    rows = np.log([one["rows"] for one in results])
    names = results[0]["steps"]
    return {
        name: float(np.polyfit(rows, np.log([one["steps"][name]["cpu_seconds"] for one in results]), 1)[0])
        for name in names
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--place", type=Path, default=Path("/tmp/babelspace-scale"), help="folder for what is generated"
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[50_000, 200_000, 1_000_000])
    parser.add_argument("--terms", type=int, default=10_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--one", type=int, help="only this many rows, told as JSON")
    options = parser.parse_args()
    shards = options.place / "shards"
    if options.one:
        work = options.place / f"work-{options.one}"
        shutil.rmtree(work, ignore_errors=True)
        print(json.dumps(fit(shards, work, options.one, options.terms, options.dimensions)))
        return
    generate(options.data, shards, max(options.rows))
    results = []
    for rows in options.rows:
        words = [*sys.argv, "--one", str(rows)]
        told = subprocess.run(
            [sys.executable, "-m", "benchmarks.measure.scale", *words[1:]], stdout=subprocess.PIPE, check=True
        )
        results.append(json.loads(told.stdout))
    write("scale", {"runs": results, "exponents": exponents(results)})


if __name__ == "__main__":
    main()
