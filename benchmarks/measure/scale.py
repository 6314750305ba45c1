"""How do fitting, encoding, indexing and matching grow from 50,000 to 1,000,000 rows, and do 10,000,000 run to the end?

Rows are made by a seeded generator over real sentences: sentence pairs of the Canadian Hansard
(`alignment/hansard-en-fr-all`), drawn at random and put together until there are `--words` English words. So words,
their frequencies and translations are real, the topics of rows are not: quality is not to be read off. OPCA, 10,000
terms a language, 300 dimensions. Every job is a process of its own, which is begun again where it is killed (with
`--kill`, once by this program); seconds are those of the processor, one thread, because others may use the machine;
memory is the largest resident set, of a job and of all its passes so far.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import OPCA, Encoder, ViewsVectorizer
from babelspace.corpus.blocked import deal, sources_of
from babelspace.features.on_disk import count_blocks, learn_views
from babelspace.mining.candidates_on_disk import both_ways_on_disk, sides_of
from babelspace.mining.ranking import rank_found
from babelspace.runtime.engine import open_engine
from babelspace.runtime.threads import limit
from babelspace.vectors.compressed import CompressedVectors, compress
from babelspace.vectors.shards import VectorShards
from babelspace.workflows.embed_on_disk import embed_on_disk
from babelspace.workflows.fit_model import measure
from babelspace.workflows.plan_on_disk import plan_fit
from benchmarks.common import OUT, commit, write

PLACE = Path("/tmp/babelspace-scale")
SHARD_ROWS, HELD_OUT, SCORED = 50_000, 0.1, 5_000
# Documents whose exact neighbours say how many the approximate ones miss.
ASKED, BEST = 500, 10
Steps = dict[str, dict[str, float]]


def generate(data: Path, folder: Path, rows: int, words: int, seed: int = 0, shard_rows: int = SHARD_ROWS) -> None:
    """Shards of JSON lines; the first rows are the same whatever their number, and shards that are there are kept."""
    bitext = data / "alignment/hansard-en-fr-all"
    files = [bitext / f"{side}.txt.xz" for side in ("source", "target")]
    sides = [lzma.decompress(file.read_bytes()).decode("utf-8").splitlines() for file in files]
    lengths = np.array([len(line.split()) for line in sides[0]])
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, rows, shard_rows):
        path = folder / f"part-{start // shard_rows:05}.jsonl"
        if path.exists():
            continue
        rng = np.random.default_rng([seed, start])
        drawn = rng.integers(0, len(lengths), (min(shard_rows, rows - start), 12))
        counts = (np.cumsum(lengths[drawn], axis=1) < words).sum(axis=1) + 1
        fresh = path.with_suffix(".part")
        with fresh.open("w", encoding="utf-8") as stream:
            for row, (some, count) in enumerate(zip(drawn.tolist(), counts.tolist(), strict=True), start):
                texts = [" ".join([side[line] for line in some[:count]]) for side in sides]
                stream.write(json.dumps({"id": str(row), "en": texts[0], "fr": texts[1]}, ensure_ascii=False) + "\n")
        fresh.rename(path)


def measured(name: str, work: Callable[[], Any], steps: Steps) -> Any:
    """Seconds of the processor and of the clock, and the process's peak so far."""
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    result = work()
    used = resource.getrusage(resource.RUSAGE_SELF)
    steps[name] = {
        "cpu_seconds": used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime,
        "seconds": time.perf_counter() - started,
        "peak_gb": peak(),
    }
    print(name, steps[name], file=sys.stderr, flush=True)
    return result


def peak() -> float:
    """The largest resident set since this program began; `ru_maxrss` would begin with that of its parent."""
    told = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(told.split()[1]) / 2**20


def fit(place: Path, options: argparse.Namespace, steps: Steps) -> dict[str, Any]:
    """Each pass of a fit, and a saved model that is scored and calibrated on held-out rows."""
    sources, work = sources_of(place / "shards"), place / "work"
    vectorizer, space = ViewsVectorizer(max_terms=options.terms), OPCA(options.dimensions)
    with open_engine() as engine:
        plan = plan_fit(sources, vectorizer, None, options.dimensions)
        corpus = measured("reading", lambda: deal(sources, work / "texts", engine, blocks=plan.blocks), steps)
        counts, learned = measured(
            "counting", lambda: count_blocks(corpus, vectorizer, HELD_OUT, work / "counts", engine), steps
        )
        views = measured("weighting", lambda: learn_views(counts, learned, vectorizer, work / "rows", engine), steps)
        measured("products and solving", lambda: space.fit(views), steps)
    encoder = Encoder.of_fitted(vectorizer, space, learned)
    encoder.card_["corpus"] |= {"holdout": HELD_OUT, "languages": {}}
    held_out = corpus.first_rows(HELD_OUT, SCORED)
    assert held_out is not None
    measured("scores and calibration", lambda: measure(encoder, held_out, HELD_OUT, None), steps)
    encoder.save(place / "model")
    return {
        "text_gb": size(place / "shards"),
        "columns": views.shape[1],
        "blocks": plan.blocks,
        "top1": encoder.card_["scores"]["held_out"]["mean"]["top1"],
        "planned_seconds": dict(zip(plan.passes, plan.seconds, strict=True)),
        "planned_memory_gb": plan.memory / 1e9,
        "disk_gb": {part.name: size(part) for part in sorted(work.iterdir()) if part.is_dir()},
    }


def encode(place: Path, options: argparse.Namespace, steps: Steps) -> dict[str, Any]:
    """Vectors of all documents, in shards."""
    found = measured(
        "encoding",
        lambda: embed_on_disk(place / "model", place / "shards", place / "vectors", half=options.half),
        steps,
    )
    return {"vectors": len(found), "float16": options.half, "disk_gb": size(place / "vectors")}


def index(place: Path, options: argparse.Namespace, steps: Steps) -> dict[str, Any]:
    """The compressed copy, and how many of the nearest it finds."""
    path = measured("indexing", lambda: compress(VectorShards(place / "vectors")), steps)
    return {"disk_gb": path.stat().st_size / 1e9}


def search(place: Path, options: argparse.Namespace, steps: Steps) -> dict[str, Any]:
    """Queries in the compressed copy, beside exact neighbours."""
    shards = VectorShards(place / "vectors")
    asked = shards.take(np.linspace(0, len(shards) - 1, ASKED).astype(np.int64))
    known: CompressedVectors = measured("opening", lambda: CompressedVectors(shards), steps)
    found = measured("searching", lambda: known.nearest(asked, BEST), steps)
    steps["searching"]["ms_a_query"] = 1000 * steps["searching"]["cpu_seconds"] / ASKED
    return {"recall": recall(found.indices, nearest(shards, asked))}


def match(place: Path, options: argparse.Namespace, steps: Steps) -> dict[str, Any]:
    """The best French row of every English one, among all."""
    sides = sides_of(VectorShards(place / "vectors"), ("en", "fr"))
    valid = np.ones(len(sides[0]), bool), np.ones(len(sides[1]), bool)
    with open_engine() as engine:
        found = measured("candidates", lambda: both_ways_on_disk(*sides, BEST, engine), steps)
    ranked = measured("ranking", lambda: rank_found(found, valid, k=1, correction="csls"), steps)
    own = np.arange(len(sides[0]))
    return {
        "pairs": len(ranked.source),
        "mates_first": float((ranked.source == ranked.target).sum() / len(own)),
        "mates_among_candidates": float((found[0].indices == own[:, None]).any(axis=1).mean()),
    }


JOBS: dict[str, Callable[[Path, argparse.Namespace, Steps], dict[str, Any]]] = {
    "fit": fit,
    "encode": encode,
    "index": index,
    "search": search,
    "match": match,
}


def nearest(shards: VectorShards, asked: Any) -> Any:
    """The best rows of some vectors among all, shard by shard."""
    scores, rows, start = np.zeros((len(asked), 0), np.float32), np.zeros((len(asked), 0), np.int64), 0
    for vectors in shards:
        fresh = asked @ vectors.T
        scores = np.concatenate([scores, fresh], axis=1)
        rows = np.concatenate([rows, np.broadcast_to(np.arange(start, start + len(vectors)), fresh.shape)], axis=1)
        best = np.argpartition(-scores, BEST - 1, axis=1)[:, :BEST]
        scores, rows = np.take_along_axis(scores, best, 1), np.take_along_axis(rows, best, 1)
        start += len(vectors)
    return rows


def recall(found: Any, exact: Any) -> float:
    return float(np.mean([len(set(a) & set(b)) / BEST for a, b in zip(found.tolist(), exact.tolist(), strict=True)]))


def size(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e9


def run(job: str, place: Path, options: argparse.Namespace) -> dict[str, Any]:
    """A job in a process of its own; killed, it is begun again and goes on from its files."""
    kept = place / f"{job}.json"
    if kept.exists():
        return dict(json.loads(kept.read_text()))
    words = ["--job", job, "--place", str(place), "--terms", str(options.terms)]
    words += ["--dimensions", str(options.dimensions), *["--half"] * options.half]
    lost: list[float] = []
    while True:
        child = subprocess.Popen([sys.executable, "-m", "benchmarks.measure.scale", *words], stdout=subprocess.PIPE)
        timer = threading.Timer(options.kill or 1e6, child.send_signal, [signal.SIGKILL])
        if options.kill and not lost and job in ("fit", "encode", "index"):
            timer.start()
        assert child.stdout is not None
        told = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        timer.cancel()
        if status == 0:
            break
        if not os.WIFSIGNALED(status):
            raise SystemExit(f"{job}: failed")
        lost.append(used.ru_utime + used.ru_stime)
    kept.write_text(json.dumps(json.loads(told) | {"cpu_seconds_before_kills": lost, "commit": commit()}))
    return dict(json.loads(kept.read_text()))


def seconds(one: dict[str, Any]) -> dict[str, float]:
    """Seconds of the processor of every pass of every job."""
    jobs = [told["steps"] for name, told in one.items() if name in JOBS]
    return {name: step["cpu_seconds"] for steps in jobs for name, step in steps.items()}


def exponents(results: list[dict[str, Any]]) -> dict[str, float]:
    """Slopes of seconds against rows, both as logarithms."""
    found = {}
    for name in seconds(results[0]):
        points = [(one["rows"], seconds(one)[name]) for one in results if name in seconds(one)]
        if len(points) > 1:
            rows, spent = np.log(points).T
            found[name] = float(np.polyfit(rows, spent, 1)[0])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--place", type=Path, default=PLACE, help="folder for what is generated")
    parser.add_argument("--name", default="scale", help="of the file of results")
    parser.add_argument("--rows", type=int, nargs="+", default=[50_000, 200_000, 1_000_000])
    parser.add_argument("--words", type=int, default=100)
    parser.add_argument("--terms", type=int, default=10_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--half", action="store_true", help="vectors as float16")
    parser.add_argument("--kill", type=float, help="kill fit, encode and index once after so many seconds")
    parser.add_argument("--jobs", nargs="+", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--done", action="store_true", help="tell what is done so far, and begin nothing")
    parser.add_argument("--tidy", action="store_true", help="delete what a size has made before the next")
    parser.add_argument("--job", choices=list(JOBS), help="only this job, told as JSON")
    options = parser.parse_args()
    if options.job:
        steps: Steps = {}
        with limit(1):
            told = JOBS[options.job](options.place, options, steps)
        print(json.dumps({"steps": steps, **told}))
        return
    results: list[dict[str, Any]] = []
    for rows in options.rows:
        place = options.place / str(rows)
        if not options.done and not all((place / f"{job}.json").exists() for job in options.jobs):
            generate(options.data, place / "shards", rows, options.words)
        results.append({"rows": rows})
        for job in options.jobs:
            if options.done and not (place / f"{job}.json").exists():
                continue
            results[-1][job] = run(job, place, options)
            slopes = exponents(results) if len(results) > 1 else {}
            write(options.name, {"words": options.words, "runs": results, "exponents": slopes})
        if options.tidy:
            for part in ("shards", "work", "vectors"):
                shutil.rmtree(place / part, ignore_errors=True)
    print(OUT / f"{options.name}.json")


if __name__ == "__main__":
    main()
