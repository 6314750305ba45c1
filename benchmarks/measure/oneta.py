"""How long does exact ONETA take at the paper's size, and what do its approximations save and cost?

`hansard36` (en, fr), 9,332 background and 1,037 test documents as in the paper (57 min and 3.42 GB there), all words
that occur at least twice; of the test documents only the first 25 words, since whole ones are all found. Seconds to
fit, seconds to project the test documents of both languages, peak memory of the fit, Top-1, -5, -10 and MRR; against
the number of background documents, for L-Solve against its first documents, and for word translation. Writes JSON and
a plot.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

from babelspace import ONETA, LSolve, ONEigen, Translation, Views, read_corpus
from babelspace.evaluation.significance import interval
from babelspace.runtime.peak_memory import PeakMemory
from babelspace.runtime.threads import limit
from babelspace.vectors.mates import direction_ranks
from benchmarks.common import OUT, PLOTS, THREADS, views, write

mpl.use("Agg")
import matplotlib.pyplot as plt

SIZES = (1_000, 2_000, 4_000, 9_332)
TEST, WORDS = 1_037, 25
FIRST = range(1_000, 10_000, 1_000)


def contenders(size: int) -> dict[str, Any]:
    """The spaces that are compared at each number of background documents."""
    return {
        "exact": ONETA(),
        "exact, ridge 0": ONETA(ridge=0.0),
        "L-Solve, N₁ = N/2": LSolve(n_first=size // 2),
        "ON-Eigen, K = 300": ONEigen(n_components=300),
    }


def measure(space: Any, train: Views, test: Views) -> dict[str, Any]:
    """Time, memory and quality of one fit."""
    with limit(THREADS), PeakMemory() as memory:
        started, cpu = time.perf_counter(), time.process_time()
        space.fit(train)
        fitted, cpu = time.perf_counter(), time.process_time() - cpu
    with limit(THREADS):
        projecting = time.perf_counter()
        vectors = space.transform(test)
        projected = time.perf_counter()
        ranks = np.concatenate(list(direction_ranks(vectors, test.present).values()))
    result = {
        "documents": len(train),
        "seconds_fit": fitted - started,
        "cpu_seconds_fit": cpu,
        "seconds_project": projected - projecting,
        "peak_gb_of_fit": (memory.mb or np.nan) / 1024,
        **{f"top{k}": float(np.mean(ranks <= k)) for k in (1, 5, 10)},
        "top1_interval": interval((ranks == 1).astype(float), seed=0),
        "mrr": float(np.mean(1 / ranks)),
    }
    if hasattr(space, "dropped_"):
        result |= {"first": space.n_first, "dropped": space.dropped_}
    print(space, result, flush=True)
    return result


def plot(result: dict[str, Any], path: Path) -> None:
    figure, (seconds, quality, climb) = plt.subplots(1, 3, figsize=(12.5, 3.8), layout="constrained")
    for name, rows in result["by_documents"].items():
        sizes = [row["documents"] for row in rows]
        seconds.plot(sizes, [row["seconds_fit"] for row in rows], marker="o", label=name)
        quality.plot(sizes, [row["top1"] for row in rows], marker="o", label=name)
    seconds.set(xlabel="background documents N", ylabel="seconds to fit, both languages", yscale="log")
    quality.set(xlabel="background documents N", ylabel="Top-1 on test")
    for axis in (seconds, quality):
        axis.set_xscale("log")
        axis.set_xticks(SIZES, [f"{size:,}" for size in SIZES])
        axis.minorticks_off()
    rows = [*result["l_solve"], {**result["by_documents"]["exact"][-1], "first": SIZES[-1]}]
    climb.plot([row["first"] for row in rows], [row["top1"] for row in rows], marker="o", color="C2")
    climb.set(xlabel=f"first documents N₁ of L-Solve, N = {SIZES[-1]:,}", ylabel="Top-1 on test")
    for axis in (seconds, quality, climb):
        axis.grid(alpha=0.3, which="both")
        axis.spines[["top", "right"]].set_visible(False)
    seconds.legend(frameon=False, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def by_documents(train: Views, test: Views) -> dict[str, Any]:
    """Every space against the number of background documents."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    # The largest exact one first: the peak of the process is its own.
    largest = measure(contenders(SIZES[-1])["exact"], train, test)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    rows = {
        name: [
            largest if name == "exact" and size == SIZES[-1] else measure(contenders(size)[name], train[:size], test)
            for size in SIZES
        ]
        for name in contenders(SIZES[0])
    }
    return {"gb_of_process_before": before, "gb_of_process_with_exact": peak, "by_documents": rows}


def background_and_test(data: Path) -> tuple[Views, Views]:
    """As many background and test documents as in the paper, the latter cut to their first words."""
    corpus = read_corpus(data / "hansard36", languages=["en", "fr"]).aligned()
    split = corpus.split(train=0.875, dev=0, test=0.125)
    background, queries = split.train.select(slice(0, SIZES[-1])), split.test.select(slice(0, TEST)).head(WORDS)
    return views(background, queries, max_terms=None, min_count=2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--l-solve", action="store_true", help="only that, beside what was measured before")
    options = parser.parse_args()
    train, test = background_and_test(options.data)
    print(train, test, flush=True)
    for space in contenders(300).values():
        space.fit(train[:300]).transform(test[:10])  # compile
    result = json.loads((OUT / "oneta.json").read_text(encoding="utf-8")) if options.l_solve else {}
    result.pop("about", None)
    if not options.l_solve:
        result = {
            "size": {"rows": len(train), "columns": train.shape[1], "test": len(test)},
            "words": {name: int(np.count_nonzero(np.diff(matrix.tocsc().indptr))) for name, matrix in train.items()},
            **by_documents(train, test),
        }
    result["l_solve"] = [measure(LSolve(first), train, test) for first in FIRST]
    result["translation"] = measure(Translation(), train, test)
    write("oneta", result)
    plot(result, PLOTS / "oneta.svg")


if __name__ == "__main__":
    main()
