"""How long do S2Net and Cr5 take at the paper's size beside exact OPCA, and what do they find there?

The first 25 words of all 40,537 training speeches of Europarl en-es, 300 dimensions, one fit of each on the same
threads, ridges as a sixteenth of the rows chose them on dev. Top-1 is of the test part, uncorrected.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path
from typing import Any

from babelspace.evaluation.significance import bootstrap_test, interval
from babelspace.features import ViewsVectorizer
from babelspace.runtime.threads import limit
from babelspace.spaces import make
from benchmarks.common import THREADS, write
from benchmarks.measure.discriminative import Hits, cosines, found, parts

NAME = "trained_full"
CONTENDERS: dict[str, dict[str, Any]] = {
    "cl-lsi": {},
    "opca": {"gamma": 0.1},
    "cr5": {"gamma": 0.1},
    "s2net": {"gamma": 0.1},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--terms", type=int, default=10_000, help="words of each language")
    parser.add_argument("--every", type=int, default=1, help="one row in so many")
    options = parser.parse_args()
    train, _, test = parts("europarl-25", options.data, options.every)
    features = ViewsVectorizer(max_terms=options.terms)
    views, unseen = features.fit_transform(train), features.transform(test)
    make("s2net", n_components=10).fit(views[:500])  # compile
    rows: dict[str, dict[str, Any]] = {}
    hits: dict[str, Hits] = {}
    for name, setting in CONTENDERS.items():
        began = time.process_time(), time.perf_counter()
        with limit(THREADS):
            space = make(name, n_components=options.dimensions, **setting).fit(views)
        took = {"processor": time.process_time() - began[0], "clock": time.perf_counter() - began[1]}
        hits[name] = found(cosines(space, unseen), "none")
        low, high = interval(hits[name])
        rows[name] = {"top1": float(hits[name].mean()), "interval": [float(low), float(high)], **setting, **took}
        rows[name]["peak_gb_so_far"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(name, rows[name], flush=True)
    p = float(bootstrap_test(hits["s2net"], hits["opca"]))
    sizes = {"train": len(train), "test": len(test), "columns": views.shape[1], "dimensions": options.dimensions}
    ratio = {name: rows[name]["clock"] / rows["opca"]["clock"] for name in rows}
    write(NAME, {"sizes": sizes, "rows": rows, "times_of_opca": ratio, "s2net_against_opca_p": p})


if __name__ == "__main__":
    main()
