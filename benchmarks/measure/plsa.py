"""How long is one iteration of joint and of coupled PLSA at the paper's size, and how much memory do they need?

`europarl-en-es`, 40,537 training pairs, 20,000 terms, 1,000 topics. The paper reports 31 and 377 minutes on 8 cores for
43,380 pairs of Wikipedia articles: another corpus on another machine, so the ratio to these figures is only stated,
scaled to as many pairs; the ratio of the two models to each other is measured in turns.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np

from babelspace import CPLSA, JPLSA, ViewsVectorizer, read_corpus
from babelspace.runtime.threads import limit
from babelspace.spaces.topics.plsa.training import EMSteps
from benchmarks.common import THREADS, write

PAPER_PAIRS, PAPER_SECONDS = 43_380, {"jplsa": 31 * 60.0, "cplsa": 377 * 60.0}


def gigabytes() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def timed(engine: EMSteps) -> float:
    started = time.perf_counter()
    engine.step()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--topics", type=int, default=1_000)
    parser.add_argument("--turns", type=int, default=8)
    options = parser.parse_args()
    vectorizer = ViewsVectorizer(max_terms=10_400, weighting="tf", normalize=False)
    train = vectorizer.fit_transform(read_corpus(options.data / "europarl-en-es" / "train"))
    spaces = {"jplsa": JPLSA(options.topics), "cplsa": CPLSA(options.topics)}
    for space in spaces.values():
        space.em_steps(train[:200]).step()  # compile
    memory, engines = {"before": gigabytes()}, {}
    seconds: dict[str, list[float]] = {name: [] for name in spaces}
    with limit(THREADS):
        for name, space in spaces.items():
            engines[name] = space.em_steps(train)
            seconds[name].append(timed(engines[name]))
            memory[f"with {name}"] = gigabytes()
        for turn in range(1, options.turns):
            for name, engine in engines.items():
                seconds[name].append(timed(engine))
            print(
                f"  turn {turn + 1}: " + ", ".join(f"{name} {seconds[name][-1]:.2f} s" for name in spaces), flush=True
            )
    typical = {name: float(np.median(times)) for name, times in seconds.items()}
    scaled = {name: PAPER_SECONDS[name] * len(train) / PAPER_PAIRS for name in spaces}
    result = {
        "size": {
            "rows": len(train),
            "columns": train.shape[1],
            "entries": sum(int(matrix.nnz) for _, matrix in train.items()),
            "topics": options.topics,
        },
        "seconds": seconds,
        "median_seconds": typical,
        "cplsa_over_jplsa": [c / j for c, j in zip(seconds["cplsa"], seconds["jplsa"], strict=True)],
        "peak_gb_of_process": memory,
        "paper_seconds_scaled_to_rows": scaled,
        "times_faster_than_the_paper_stated": {name: scaled[name] / typical[name] for name in spaces},
    }
    write("plsa", result)


if __name__ == "__main__":
    main()
