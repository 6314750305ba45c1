"""Is exact kernel CCA faster than cca_zoo's on the same documents?

The first 2,000 training rows of `hansard36` (en, fr), linear kernel, 100 dimensions. cca_zoo takes dense arrays; making
them is not counted. Its shrinkage is set to the same penalty (`penalty="norm"`); the paper's own penalty stands beside.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from babelspace.spaces import KernelCCA
from common import interleaved, mrr, ratios, training_and_test, write

OURS, PAPER, RIVAL = "babelspace kernel-cca, norm", "babelspace kernel-cca, dual", "cca_zoo KCCA"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=2)
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

    def zoo() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return KCCA(n_components=rank, shrinkage=shrinkage).fit(own)

    contenders = {
        OURS: lambda: KernelCCA(rank, kappa=kappa, penalty="norm").fit(train),
        PAPER: lambda: KernelCCA(rank, kappa=kappa).fit(train),
        RIVAL: zoo,
    }
    seconds, models = interleaved(contenders, options.turns)
    rival = models[RIVAL].transform([matrix.toarray() for _, matrix in test.items()])
    quality = {name: mrr(models[name].transform(test), test) for name in (OURS, PAPER)}
    quality[RIVAL] = mrr(dict(zip(test.languages, rival, strict=True)), test)
    shape = {"rows": len(train), "columns": train.shape[1], "dimensions": rank}
    write("kernel_cca", {"size": shape, "seconds": seconds, "ratios": ratios(seconds, OURS), "mrr": quality})


if __name__ == "__main__":
    main()
