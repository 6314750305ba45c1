"""Is CL-LSI faster than gensim and scikit-learn at the same retrieval quality?

Contenders take turns on the same weighted matrix of the training rows of `hansard36` (en, fr), 300 dimensions.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from gensim.matutils import Sparse2Corpus
from gensim.models import LsiModel
from sklearn.decomposition import TruncatedSVD

from babelspace.spaces import CLLSI
from common import interleaved, mrr, ratios, training_and_test, write

OURS = "babelspace cl-lsi"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    train, test = training_and_test(options.data / "hansard36", "en,fr")
    joint = (train["en"] + train["fr"]).tocsr()
    rank = options.dimensions
    CLLSI(10).fit(train[:500])  # compile

    def gensim() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LsiModel(Sparse2Corpus(joint, documents_columns=False), num_topics=rank, id2word=None)
        return np.asarray(model.projection.u, np.float32)

    def scikit(algorithm: str) -> Any:
        return TruncatedSVD(rank, algorithm=algorithm, random_state=0).fit(joint).components_.T

    contenders = {
        OURS: lambda: CLLSI(rank).fit(train).weights_["en"],
        "scikit-learn randomized": lambda: scikit("randomized"),
        "scikit-learn arpack": lambda: scikit("arpack"),
        "gensim LsiModel": gensim,
    }
    seconds, projections = interleaved(contenders, options.turns)
    quality = {
        name: mrr({language: matrix @ weights for language, matrix in test.items()}, test)
        for name, weights in projections.items()
    }
    shape = {"rows": len(train), "columns": train.shape[1], "nonzeros": int(joint.nnz), "dimensions": rank}
    write("lsi", {"size": shape, "seconds": seconds, "ratios": ratios(seconds, OURS), "mrr": quality})


if __name__ == "__main__":
    main()
