"""Is exact kernel CCA faster than cca_zoo's on the same documents?

The first 2,000 training rows of `hansard36` (en, fr), linear kernel, 100 dimensions. cca_zoo takes dense arrays; making
them is not counted. Its shrinkage is set to the same penalty (`penalty="norm"`); the paper's own penalty stands beside.
A rival that is not done after `--limit` processor seconds is stopped, and the ratio is a lower bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.peers.race import Contender, command_line, race

OURS, PAPER, RIVAL = "babelspace kernel-cca, norm", "babelspace kernel-cca, dual", "cca_zoo KCCA"
ROWS, RANK, KAPPA = 2_000, 100, 1.5


def main() -> None:
    parser = command_line(__doc__, turns=2)
    parser.add_argument("--limit", type=float, default=120.0, help="processor seconds after which the rival is stopped")
    asked = parser.parse_args()
    from cca_zoo.nonparametric import KCCA

    from babelspace import KernelCCA
    from benchmarks.common import mrr, training_and_test, write

    whole, test = training_and_test(asked.data / "hansard36", "en,fr")
    train = whole[:ROWS]
    used = {language: np.unique(matrix.indices) for language, matrix in train.items()}
    learn, unseen = (
        [part[name][:, columns].toarray().astype(np.float64) for name, columns in used.items()]
        for part in (train, test)
    )
    # Theirs is (1 - c) K² / (n - 1) + c K, ours K² + κ s K with the kernel's mean diagonal s.
    variances = [KAPPA * float(matrix.var(axis=0).sum()) for matrix in learn]
    shrinkage = [value / (len(train) - 1 + value) for value in variances]

    def ours(penalty: str) -> Contender:
        KernelCCA(10, penalty=penalty).fit(train[:300])  # compile
        return Contender(
            lambda: KernelCCA(RANK, kappa=KAPPA, penalty=penalty).fit(train),
            lambda model: mrr(model.transform(test), test),
        )

    def judge(model: Any) -> float:
        return mrr(dict(zip(test.languages, model.transform(unseen), strict=True)), test)

    zoo = KCCA(n_components=RANK, shrinkage=shrinkage)
    rival = Contender(lambda: zoo.fit(learn), judge, asked.limit)
    found = race({OURS: ours("norm"), PAPER: ours("dual"), RIVAL: rival}, asked.turns, asked.threads)
    size = {"rows": len(train), "columns": train.shape[1], "dimensions": RANK}
    write("kernel_cca", {"size": size, "threads": asked.threads, "ours": OURS, "contenders": found})


if __name__ == "__main__":
    main()
