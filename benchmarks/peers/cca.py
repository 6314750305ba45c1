"""Is CCA faster than cca_zoo and scikit-learn where they can hold the data?

The first 2,000 training rows of `hansard36` (en, fr), 1,500 terms in each language, 100 dimensions. Rivals take dense
arrays; making them is not counted, and columns that a language does not use are left out for them. cca_zoo's shrinkage
is set to the same ridge; scikit-learn has none. Whoever is not done after `--limit` processor seconds is stopped.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.race import Contender, command_line, race

OURS = "babelspace cca"
ROWS, TERMS, RANK, GAMMA = 2_000, 1_500, 100, 3.0


def main() -> None:
    parser = command_line(__doc__, turns=2)
    parser.add_argument("--limit", type=float, default=120.0, help="processor seconds after which a rival is stopped")
    asked = parser.parse_args()
    from cca_zoo.linear import RidgeCCA
    from sklearn import cross_decomposition

    from babelspace import CCA
    from benchmarks.common import mrr, training_and_test, write

    whole, test = training_and_test(asked.data / "hansard36", "en,fr", max_terms=TERMS)
    train = whole[:ROWS]
    used = {language: np.unique(matrix.indices) for language, matrix in train.items()}
    learn, unseen = ([part[name][:, columns].toarray() for name, columns in used.items()] for part in (train, test))
    ridge = GAMMA * len(train) / (len(train) - 1)
    CCA(10).fit(train[:300])  # compile

    def judge(vectors: Any) -> float:
        return mrr(dict(zip(test.languages, vectors, strict=True)), test)

    def scikit(kind: Any) -> Any:
        return kind(RANK, scale=False).fit(*learn)

    zoo = RidgeCCA(n_components=RANK, shrinkage=ridge / (1 + ridge))
    contenders = {
        OURS: Contender(lambda: CCA(RANK, GAMMA).fit(train), lambda model: mrr(model.transform(test), test)),
        "cca_zoo RidgeCCA": Contender(lambda: zoo.fit(learn), lambda model: judge(model.transform(unseen))),
    }
    for kind in (cross_decomposition.PLSCanonical, cross_decomposition.CCA):
        contenders[f"scikit-learn {kind.__name__}"] = Contender(
            partial(scikit, kind), lambda model: judge(model.transform(*unseen)), asked.limit
        )
    found = race(contenders, asked.turns, asked.threads)
    size = {"rows": len(train), "columns": train.shape[1], "dimensions": RANK}
    write("cca", {"size": size, "threads": asked.threads, "ours": OURS, "contenders": found})


if __name__ == "__main__":
    main()
