"""Is CCA faster than cca_zoo where cca_zoo can hold the data?

The first 2,000 training rows of `hansard36` (en, fr), 1,500 terms in each language, 100 dimensions. cca_zoo takes dense
arrays; making them is not counted. Its shrinkage is set to the same ridge.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

from babelspace.spaces import CCA
from common import interleaved, mrr, ratios, training_and_test, write

OURS = "babelspace cca"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cca_zoo.linear import RidgeCCA
    whole, test = training_and_test(options.data / "hansard36", "en,fr", max_terms=1_500)
    train, gamma, rank = whole[:2_000], 3.0, 100
    ridge = gamma * len(train) / (len(train) - 1)
    own = [matrix.toarray() for _, matrix in train.items()]
    CCA(10).fit(train[:300])  # compile

    def zoo() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return RidgeCCA(n_components=rank, shrinkage=ridge / (1 + ridge)).fit(own)

    contenders = {OURS: lambda: CCA(rank, gamma).fit(train), "cca_zoo RidgeCCA": zoo}
    seconds, models = interleaved(contenders, options.turns)
    rival = models["cca_zoo RidgeCCA"].transform([matrix.toarray() for _, matrix in test.items()])
    quality = {
        OURS: mrr(models[OURS].transform(test), test),
        "cca_zoo RidgeCCA": mrr(dict(zip(test.languages, rival, strict=True)), test),
    }
    shape = {"rows": len(train), "columns": train.shape[1], "dimensions": rank}
    write("cca", {"size": shape, "seconds": seconds, "ratios": ratios(seconds, OURS), "mrr": quality})


if __name__ == "__main__":
    main()
