"""Is CL-LSI faster than gensim and scikit-learn at the same retrieval quality?

Contenders take turns on the same weighted matrix of the training rows of `hansard36` (en, fr), 300 dimensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.peers.race import Contender, command_line, race

OURS = "babelspace cl-lsi"
RANK = 300


def main() -> None:
    asked = command_line(__doc__).parse_args()
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LsiModel
    from sklearn.decomposition import TruncatedSVD

    from babelspace import CLLSI
    from benchmarks.common import mrr, training_and_test, write

    train, test = training_and_test(asked.data / "hansard36", "en,fr")
    joint = (train["en"] + train["fr"]).tocsr()
    CLLSI(10).fit(train[:500])  # compile

    def gensim() -> Any:
        model = LsiModel(Sparse2Corpus(joint, documents_columns=False), num_topics=RANK, id2word=None)
        return np.asarray(model.projection.u, np.float32)

    def scikit(algorithm: str) -> Any:
        return TruncatedSVD(RANK, algorithm=algorithm, random_state=0).fit(joint).components_.T

    def judge(weights: Any) -> float:
        return mrr({language: matrix @ weights for language, matrix in test.items()}, test)

    fits = {
        OURS: lambda: CLLSI(RANK).fit(train).weights_["en"],
        "scikit-learn TruncatedSVD, randomized": lambda: scikit("randomized"),
        "scikit-learn TruncatedSVD, arpack": lambda: scikit("arpack"),
        "gensim LsiModel": gensim,
    }
    found = race({name: Contender(fit, judge) for name, fit in fits.items()}, asked.turns, asked.threads)
    size = {"rows": len(train), "columns": train.shape[1], "nonzeros": int(joint.nnz), "dimensions": RANK}
    write("lsi", {"size": size, "threads": asked.threads, "ours": OURS, "contenders": found})


if __name__ == "__main__":
    main()
