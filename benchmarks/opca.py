"""Is exact OPCA faster than a dense generalised eigensolver at the same retrieval quality?

`hansard36` (en, fr), 8,000 terms, 300 dimensions. The rival is scipy.linalg.eigh(S, N, subset_by_index=...) on the
literal matrices of the paper in float64; building them is counted for both sides.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg

from babelspace.spaces import OPCA
from common import interleaved, mrr, ratios, training_and_test, write

OURS = "babelspace opca"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()
    train, test = training_and_test(options.data / "hansard36", "en,fr", max_terms=4_420)
    size, rank = train.shape[1], 300
    OPCA(10).fit(train[:500])  # compile

    def dense() -> Any:
        n = len(train)
        matrices = [matrix.astype(np.float64) for _, matrix in train.items()]
        means = [np.asarray(matrix.mean(axis=0)).ravel() for matrix in matrices]
        S = sum((m.T @ m).toarray() / n - np.outer(mu, mu) for m, mu in zip(matrices, means, strict=True))
        centre = (matrices[0] + matrices[1]) / 2
        N = sum(((m - centre).T @ (m - centre)).toarray() / n for m in matrices) + 0.1 * np.eye(size)
        _, vectors = scipy.linalg.eigh(S, N, subset_by_index=[size - rank, size - 1])
        return vectors[:, ::-1]

    contenders = {OURS: lambda: OPCA(rank).fit(train).weights_["en"], "scipy eigh(S, N)": dense}
    seconds, projections = interleaved(contenders, options.turns)
    quality = {
        name: mrr({language: matrix @ weights for language, matrix in test.items()}, test)
        for name, weights in projections.items()
    }
    shape = {"rows": len(train), "columns": size, "dimensions": rank}
    write("opca", {"size": shape, "seconds": seconds, "ratios": ratios(seconds, OURS), "mrr": quality})


if __name__ == "__main__":
    main()
