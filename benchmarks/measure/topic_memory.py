"""Does the memory of a fit follow the formula in the docstring of MLDA? Do 20 million tokens and K = 1,000 fit in 6 GB?

Synthetic documents of 200 tokens in two languages, words by a Zipf law, one fit of a few sweeps; the peak is that of
the whole process, the formula that of the fit.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from babelspace import MLDA, Views
from babelspace.runtime.threads import limit
from benchmarks.common import THREADS, write


def gigabytes() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def documents(rows: int, length: int, words: int, seed: int) -> Any:
    """Counts of documents whose words follow a Zipf law."""
    rng = np.random.default_rng(seed)
    chances = np.cumsum(1 / np.arange(10, words + 10))
    parts = []
    for start in range(0, rows, 5_000):
        own = min(5_000, rows - start)
        columns = np.searchsorted(chances, rng.random(own * length) * chances[-1]).astype(np.int32)
        places = np.repeat(np.arange(own, dtype=np.int32), length)
        ones = np.ones(len(columns), np.float32)
        parts.append(sp.csr_array(sp.coo_array((ones, (places, columns)), shape=(own, words))))
    return sp.vstack(parts, format="csr")


def formula(views: Views, topics: int) -> dict[str, float]:
    """Gigabytes by the docstring of MLDA, rows as a table."""
    tokens = sum(float(matrix.sum(dtype=np.float64)) for _, matrix in views.items())
    words = sum(len(np.unique(matrix.indices)) for _, matrix in views.items())
    entries = sum(matrix.nnz for _, matrix in views.items())
    parts = {
        "tokens": 6 * tokens,
        "rows as a table": 2 * len(views) * (-(-topics // 128) * 128),
        "words x topics": 8 * words * topics,
        "rows x topics": 8 * len(views) * topics,
        "entries": 24 * entries,
    }
    return {name: value / 1e9 for name, value in parts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used: the documents are synthetic")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--length", type=int, default=200, help="tokens of a document in each language")
    parser.add_argument("--words", type=int, default=20_000, help="of each language")
    parser.add_argument("--topics", type=int, default=1_000)
    parser.add_argument("--sweeps", type=int, default=3)
    options = parser.parse_args()
    views = Views(
        {name: documents(options.rows, options.length, options.words, seed) for seed, name in enumerate(("a", "b"))}
    )
    MLDA(5, sweeps=1).fit(views[:100])  # compile
    parts, before = formula(views, options.topics), gigabytes()
    with limit(THREADS):
        started = time.perf_counter()
        MLDA(options.topics, sweeps=options.sweeps).fit(views)
        seconds = time.perf_counter() - started
    tokens = int(sum(matrix.sum(dtype=np.float64) for _, matrix in views.items()))
    size = {"rows": options.rows, "tokens": tokens, "topics": options.topics, "sweeps": options.sweeps}
    memory = {"formula_gb": parts, "formula_sum_gb": sum(parts.values())}
    peaks = {"process_before_gb": before, "process_peak_gb": gigabytes()}
    write("topic_memory", {"size": size, **memory, **peaks, "seconds": seconds})


if __name__ == "__main__":
    main()
