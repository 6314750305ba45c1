"""How near do fits and matching come to what the machine can do?

The floors are a product of two large matrices (SGEMM) and a pass over more memory than any cache holds, on both cores,
in the same run. `opca`: 8,000 terms of `hansard36`, 300 dimensions, and how the time is spent. `cca`: CCA beside OPCA
with 19,000 terms of `europarl-en-es`. `plsa`: iterations with 1,000 topics. `matching`: exact and approximate, both
directions, beside the bare product. `approximate`: where its time goes. Each part adds to the same result file.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import babelspace.kernels.linalg.eigenvectors as subspace
import babelspace.kernels.linalg.whitening as whitening
from babelspace import CCA, JPLSA, OPCA, ViewsVectorizer, read_corpus
from babelspace.kernels.topk import rough_products
from babelspace.mining import candidates, rough_candidates
from babelspace.mining.candidates import both_ways
from babelspace.runtime.threads import limit
from babelspace.vectors.neighbours import Neighbours
from babelspace.vectors.similarity import prepare
from benchmarks.common import THREADS, add_parts, interleaved, mrr, training_and_test, views
from benchmarks.measure.matching_speed import recall, structured

NAME = "floors"
TURNS = 3
# Right-hand sides of a solve: the block of an iteration for 300 dimensions.
NARROW = 64
# The inner loops of a fit, in the order in which they call one another; time inside an inner one is its own.
OPCA_PARTS: tuple[tuple[Any, str], ...] = (
    (whitening, "cholesky_in_place"),
    (whitening.TriangularFactor, "__init__"),
    (whitening.TriangularFactor, "solve"),
    (whitening.TriangularFactor, "solve_transposed"),
    (subspace.Basis, "orthonormal"),
    (subspace.Basis, "restart"),
    (subspace.Basis, "ritz_pairs"),
)
FLOPS: dict[str, Callable[..., float]] = {
    "cholesky_in_place": lambda matrix: len(matrix) ** 3 / 3,
    "__init__": lambda *_: 0.0,
    "solve": lambda factor, block: float(block.size) * len(block),
    "solve_transposed": lambda factor, block: float(block.size) * len(block),
}


def machine(size: int = 4_096) -> dict[str, float]:
    """Billions of operations a second of a product and of one with 64 columns, and of bytes of a pass over memory."""
    rng = np.random.default_rng(0)
    one, other = (rng.standard_normal((size, size), np.float32) for _ in range(2))
    many = np.ones((THREADS, 1 << 26), np.float32)
    with limit(THREADS):
        product = min(timed(lambda: one @ other)[0] for _ in range(TURNS))
        few = np.ascontiguousarray(other[:, :NARROW])
        narrow = min(timed(lambda: one @ few)[0] for _ in range(TURNS))
        # A product with a vector is one pass over a matrix.
        vector = np.ones(1 << 14, np.float32)
        read = min(timed(lambda: many.reshape(-1, 1 << 14) @ vector)[0] for _ in range(TURNS))
    return {
        "gemm_gflops": 2 * size**3 / product / 1e9,
        "narrow_gflops": 2 * size**2 * NARROW / narrow / 1e9,
        "read_gb": many.nbytes / read / 1e9,
    }


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def watched(parts: tuple[tuple[Any, str], ...], work: Callable[[], Any]) -> tuple[dict[str, list[float]], Any]:
    """Seconds and operations inside some functions while a job runs."""
    spent: dict[str, list[float]] = {name: [0.0, 0.0] for _, name in parts}
    originals = [(holder, name, getattr(holder, name)) for holder, name in parts]
    for holder, name, original in originals:
        setattr(holder, name, _counting(original, spent[name], FLOPS.get(name, lambda *_: 0.0)))
    try:
        return spent, work()
    finally:
        for holder, name, original in originals:
            setattr(holder, name, original)


def _counting(original: Any, spent: list[float], flops: Callable[..., float]) -> Any:
    def wrapper(*values: Any, **named: Any) -> Any:
        operations = flops(*values)
        seconds, result = timed(lambda: original(*values, **named))
        spent[0] += seconds
        spent[1] += operations
        return result

    return wrapper


def tiles(size: int = 8_000) -> dict[str, float]:
    """Billions of operations a second of a solve, by the rows of its tiles, and of a product with the whole factor."""
    rng = np.random.default_rng(0)
    lower = np.asfortranarray(np.tril(rng.standard_normal((size, size), np.float32)) / 100)
    lower[np.diag_indices(size)] = 2
    block = rng.standard_normal((size, NARROW), np.float32)
    solvers = {str(tile): whitening.TriangularFactor(lower, tile).solve for tile in (256, 512, 1_024, 2_048)}
    with limit(THREADS):
        rates = {
            name: size**2 * NARROW / min(timed(partial(solve, block))[0] for _ in range(TURNS)) / 1e9
            for name, solve in solvers.items()
        }
        whole = min(timed(lambda: lower @ block)[0] for _ in range(TURNS))
    return {**rates, "product": 2 * size**2 * NARROW / whole / 1e9}


def opca(data: Path) -> dict[str, Any]:
    """A fit whole, and again with a watch on its parts."""
    train, test = training_and_test(data / "hansard36", "en,fr", max_terms=4_420)
    OPCA(10).fit(train[:500])  # compile
    with limit(THREADS):
        seconds = [timed(lambda: OPCA(300, 0.1).fit(train))[0] for _ in range(TURNS)]
        whole, (spent, space) = timed(lambda: watched(OPCA_PARTS, lambda: OPCA(300, 0.1).fit(train)))
    flops = sum(operations for _, operations in spent.values())
    return {
        "size": {"rows": len(train), "columns": train.shape[1], "dimensions": 300},
        "seconds": seconds,
        "profile": {name: found[0] / whole for name, found in spent.items()},
        "gflops": {name: found[1] / found[0] / 1e9 for name, found in spent.items() if found[1]},
        "gflop": flops / 1e9,
        "tiles": tiles(),
        "mrr": mrr(space.transform(test), test),
    }


def cca(data: Path, turns: int) -> dict[str, Any]:
    """CCA and OPCA, in turns, with many terms."""
    folder = data / "europarl-en-es"
    train, test = views(
        read_corpus(folder / "train").select(slice(0, 10_000)), read_corpus(folder / "test"), max_terms=10_000
    )
    spaces = {"cca": CCA(200), "opca": OPCA(200)}
    for space in spaces.values():
        type(space)(10).fit(train[:500])  # compile
    seconds, fitted = interleaved({name: partial(space.fit, train) for name, space in spaces.items()}, turns)
    quality = {name: mrr(space.transform(test), test) for name, space in fitted.items()}
    size = {"rows": len(train), "columns": train.shape[1], "dimensions": 200}
    return {"size": size, "seconds": seconds, "mrr": quality}


def plsa(data: Path, turns: int, topics: int = 1_000) -> dict[str, Any]:
    """Iterations of joint PLSA.

    Each entry multiplies and adds a row of topics three times: for its mixture and for both sums. Rows come from caches
    of which only the first keeps up with the arithmetic.
    """
    import babelspace.spaces.topics.plsa.joint as joint

    vectorizer = ViewsVectorizer(max_terms=10_400, weighting="tf", normalize=False)
    train = vectorizer.fit_transform(read_corpus(data / "europarl-en-es" / "train"))
    JPLSA(topics).em_steps(train[:200]).step()  # compile
    with limit(THREADS):
        steps = JPLSA(topics).em_steps(train)
        seconds = [timed(steps.step)[0] for _ in range(turns)]
        whole, (spent, _) = timed(lambda: watched(((joint, "document_step"), (joint, "word_step")), steps.step))
    entries = int(steps.counts.indptr[-1])
    return {
        "size": {"rows": len(train), "columns": train.shape[1], "entries": entries, "topics": topics},
        "seconds": seconds,
        "profile": {name: found[0] / whole for name, found in spent.items()},
        "gflop": 6 * topics * entries / 1e9,
    }


def approximate(documents: int) -> dict[str, Any]:
    """Where the time goes on one core; the rest of `_compare_all` are products."""
    left, right = map(prepare, structured(documents, 500))
    both_ways(prepare(left.rows[:500]), prepare(right.rows[:500]), 10, approximate=True)  # compile
    names = ("unit_centres", "_nearest_centres", "_compare_all", "keep_best", "rows_of", "_rescored", "_merged")
    with limit(1):
        parts = tuple((candidates, name) for name in names)
        whole, (spent, _) = timed(lambda: watched(parts, lambda: both_ways(left, right, 10, approximate=True)))
    shares = {name: found[0] / whole for name, found in spent.items()}
    products = shares.pop("_compare_all") - shares["keep_best"] - shares["rows_of"]
    return {"documents": documents, "profile": {"products": products, **shares}}


def matching(documents: int, turns: int) -> dict[str, Any]:
    """Both directions exactly and approximately, and the bare product, block by block.

    `single` compares in single precision alone, as on processors without bfloat16.
    """
    left, right = map(prepare, structured(documents, 500))
    both_ways(prepare(left.rows[:500]), prepare(right.rows[:500]), 10)  # compile

    def product() -> None:
        for start in range(0, documents, 2_048):
            left.rows[start : start + 2_048] @ right.rows.T

    def in_single_precision() -> tuple[Neighbours, Neighbours]:
        with patch.object(rough_candidates, "PAIRS", math.inf):
            return both_ways(left, right, 10, approximate=False)

    contenders: dict[str, Callable[[], Any]] = {
        "product": product,
        "single": in_single_precision,
        "exact": lambda: both_ways(left, right, 10, approximate=False),
        "approximate": lambda: both_ways(left, right, 10, approximate=True),
    }
    if rough_products.available():
        with patch.object(rough_candidates, "PAIRS", 1):
            both_ways(prepare(left.rows[:500]), prepare(right.rows[:500]), 10)  # compile
    seconds, results = interleaved(contenders, turns)
    same = [
        float(np.mean(np.all(one.indices == other.indices, axis=1)))
        for one, other in zip(results["single"], results["exact"], strict=True)
    ]
    pairs = list(zip(results["exact"], results["approximate"], strict=True))
    found = float(np.mean([recall(exact, near, 1) for exact, near in pairs]))
    return {
        "documents": documents,
        "dimensions": 500,
        "bfloat16": rough_products.available(),
        "seconds": seconds,
        "recall": found,
        "same_as_single": float(np.mean(same)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with hansard36/ and europarl-en-es/")
    parser.add_argument("--documents", type=int, default=40_000, help="that are matched on either side")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--parts", nargs="*", default=["opca", "cca", "plsa", "matching", "approximate"])
    options = parser.parse_args()
    jobs: dict[str, Callable[[], dict[str, Any]]] = {
        "opca": lambda: opca(options.data),
        "cca": lambda: cca(options.data, options.turns),
        "plsa": lambda: plsa(options.data, options.turns),
        "matching": lambda: matching(options.documents, options.turns),
        "approximate": lambda: approximate(options.documents),
    }
    for part in options.parts:
        # The floor of the same minutes: others may be at work on the machine.
        add_parts(NAME, **{part: {"machine": machine(), **jobs[part]()}})


if __name__ == "__main__":
    main()
