"""Is exact kernel CCA faster than cca_zoo's on the same documents?

The first 2,000 training rows of `hansard36` (en, fr), linear kernel, 100 dimensions. cca_zoo takes dense arrays; making
them is not counted. Its shrinkage is set to the same penalty (`penalty="norm"`); the paper's own penalty stands beside.
A rival that is not done after `--limit` seconds is stopped, and the ratio is a lower bound.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from babelspace.runtime.threads import limit
from babelspace.spaces import KernelCCA
from common import THREADS, interleaved, mrr, training_and_test, write

OURS, PAPER, RIVAL = "babelspace kernel-cca, norm", "babelspace kernel-cca, dual", "cca_zoo KCCA"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--limit", type=float, default=150.0, help="seconds after which the rival is stopped")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cca_zoo.nonparametric import KCCA
    whole, test = training_and_test(options.data / "hansard36", "en,fr")
    train, kappa, rank = whole[:2_000], 1.5, 100
    own = [matrix.toarray().astype(np.float64) for _, matrix in train.items()]
    for penalty in ("dual", "norm"):
        KernelCCA(10, penalty=penalty).fit(train[:300])  # compile
    # Theirs is (1 - c) K² / (n - 1) + c K, ours K² + κ s K with the kernel's mean diagonal s.
    variances = [kappa * float(matrix.var(axis=0).sum()) for matrix in own]
    shrinkage = [value / (len(train) - 1 + value) for value in variances]

    contenders = {
        OURS: lambda: KernelCCA(rank, kappa=kappa, penalty="norm").fit(train),
        PAPER: lambda: KernelCCA(rank, kappa=kappa).fit(train),
    }
    seconds, models = interleaved(contenders, options.turns)
    quality = {name: mrr(model.transform(test), test) for name, model in models.items()}

    def zoo(answer: Any) -> None:
        warnings.simplefilter("ignore")
        with limit(THREADS):
            started = time.perf_counter()
            model = KCCA(n_components=rank, shrinkage=shrinkage).fit(own)
            spent = time.perf_counter() - started
        vectors = model.transform([matrix.toarray() for _, matrix in test.items()])
        answer.put((spent, mrr(dict(zip(test.languages, vectors, strict=True)), test)))

    answer = multiprocessing.get_context("fork").Queue()
    rival = multiprocessing.get_context("fork").Process(target=zoo, args=(answer,))
    rival.start()
    rival.join(options.limit)
    finished = not rival.is_alive()
    spent, quality[RIVAL] = answer.get() if finished else (options.limit, float("nan"))
    rival.kill()
    shape = {"rows": len(train), "columns": train.shape[1], "dimensions": rank}
    times = {**seconds, RIVAL: [spent]}
    result = {
        "size": shape,
        "seconds": times,
        "ratios": {RIVAL: [spent / min(seconds[OURS])]},
        "mrr": {name: value for name, value in quality.items() if value == value},
        "unfinished": [] if finished else [RIVAL],
    }
    write("kernel_cca", result)


if __name__ == "__main__":
    main()
