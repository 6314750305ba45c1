"""Is exact OPCA faster than a dense generalised eigensolver at the same retrieval quality?

`hansard36` (en, fr), 8,000 terms, 300 dimensions. No library has OPCA; the rival is what one would write with SciPy:
eigh(S, N, subset_by_index=...) on the literal matrices of the paper in float64. Building them is counted for both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from benchmarks.peers.race import Contender, command_line, race

OURS = "babelspace opca"
RANK, GAMMA = 300, 0.1


def dense(train: Any) -> Any:
    """The leading generalised eigenvectors."""
    n, size = len(train), train.shape[1]
    matrices = [matrix.astype(np.float64) for _, matrix in train.items()]
    means = [np.asarray(matrix.mean(axis=0)).ravel() for matrix in matrices]
    S = sum((m.T @ m).toarray() / n - np.outer(mu, mu) for m, mu in zip(matrices, means, strict=True))
    centre = (matrices[0] + matrices[1]) / 2
    N = sum(((m - centre).T @ (m - centre)).toarray() / n for m in matrices) + GAMMA * np.eye(size)
    _, vectors = scipy.linalg.eigh(S, N, subset_by_index=[size - RANK, size - 1])
    return vectors[:, ::-1]


def main() -> None:
    asked = command_line(__doc__, turns=2).parse_args()
    from babelspace import OPCA
    from benchmarks.common import mrr, training_and_test, write

    train, test = training_and_test(asked.data / "hansard36", "en,fr", max_terms=4_420)
    OPCA(10).fit(train[:500])  # compile

    def judge(weights: Any) -> float:
        return mrr({language: matrix @ weights for language, matrix in test.items()}, test)

    fits = {OURS: lambda: OPCA(RANK, GAMMA).fit(train).weights_["en"], "SciPy eigh(S, N)": lambda: dense(train)}
    found = race({name: Contender(fit, judge) for name, fit in fits.items()}, asked.turns, asked.threads)
    size = {"rows": len(train), "columns": train.shape[1], "dimensions": RANK}
    write("opca", {"size": size, "threads": asked.threads, "ours": OURS, "contenders": found})


if __name__ == "__main__":
    main()
