"""How long and how large is OPCA at the paper's size: europarl-en-es, 20,000 terms, 1,000 dimensions?

States wall time, peak memory of the process, and the share of the time spent in dense linear algebra (BLAS, LAPACK).
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path
from typing import Any

import babelspace.kernels.linalg.eigenvectors as subspace
import babelspace.kernels.linalg.whitening as covariance
from babelspace import OPCA, read_corpus
from benchmarks.common import mrr, views, write

SPENT: dict[str, float] = {}


def timed(holder: Any, name: str) -> None:
    """Add up the time inside a function that does nothing but dense algebra."""
    original = getattr(holder, name)

    def wrapper(*values: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return original(*values, **named)
        finally:
            SPENT[name] = SPENT.get(name, 0.0) + time.perf_counter() - started

    setattr(holder, name, wrapper)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dimensions", type=int, default=1_000)
    options = parser.parse_args()
    folder = options.data / "europarl-en-es"
    train, test = views(read_corpus(folder / "train"), read_corpus(folder / "test"), max_terms=10_400)
    OPCA(10).fit(train[:500])  # compile
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    for holder, name in (
        (covariance, "cholesky_in_place"),
        (covariance.TriangularFactor, "solve"),
        (covariance.TriangularFactor, "solve_transposed"),
        (subspace.Basis, "orthonormal"),
        (subspace.Basis, "restart"),
        (subspace.Basis, "ritz_pairs"),
    ):
        timed(holder, name)
    started = time.perf_counter()
    space = OPCA(options.dimensions).fit(train)
    seconds = time.perf_counter() - started
    size = train.shape[1]
    result = {
        "size": {"rows": len(train), "columns": size, "dimensions": options.dimensions},
        "seconds": seconds,
        "seconds_in_dense_algebra": SPENT,
        "share_in_dense_algebra": sum(SPENT.values()) / seconds,
        "peak_gb_of_process": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "gb_before_fit": before,
        "mrr_test": mrr(space.transform(test), test),
    }
    write("opca_full", result)


if __name__ == "__main__":
    main()
