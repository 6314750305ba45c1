"""What does OPCA gain and cost beyond 30,000 columns: at once without a matrix of columns², or in two stages?

`europarl-en-es`, all words that occur twice, the test speeches cut to their first 25 words: mate retrieval of one stage
over the usual vocabulary (factorised), one stage over all words (implicit), two stages over all words (the paper's),
and the untranslated baseline; seconds of the processor, peak memory, and steps of conjugate gradients a solve.
`--widest` adds one stage over words and character n-grams of fewer speeches, 100,000 a language.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import OPCA, Untranslated, Views, ViewsVectorizer, read_corpus
from babelspace.kernels.linalg.implicit_covariance import ImplicitCovariance
from babelspace.runtime.peak_memory import PeakMemory
from babelspace.spaces.base import Space
from babelspace.vectors.mates import direction_ranks
from benchmarks.common import OUT, write

STEPS: list[int] = []


def count_steps() -> None:
    """Note the steps of each solve."""
    original = ImplicitCovariance.solve

    def solve(self: ImplicitCovariance, block: Any) -> Any:
        before = self.steps
        found = original(self, block)
        STEPS.append(self.steps - before)
        return found

    setattr(ImplicitCovariance, "solve", solve)  # noqa: B010


def measured(name: str, space: Space, train: Views, test: Views) -> dict[str, Any]:
    STEPS.clear()
    before = resource.getrusage(resource.RUSAGE_SELF)
    started = time.perf_counter()
    with PeakMemory() as peak:
        space.fit(train)
    used = resource.getrusage(resource.RUSAGE_SELF)
    ranks = np.concatenate(list(direction_ranks(space.transform(test), test.present).values()))
    row = {
        "space": name,
        "columns": train.shape[1],
        "non_zeros": int(sum(matrix.nnz for _, matrix in train.items())),
        "top1": float(np.mean(ranks == 1)),
        "mrr": float(np.mean(1 / ranks)),
        "cpu_seconds": used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime,
        "seconds": time.perf_counter() - started,
        "peak_gb_of_fit": (peak.mb or 0) / 1024,
        "steps_a_solve": [min(STEPS), max(STEPS), len(STEPS)] if STEPS else None,
    }
    print(row, flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--two-stages", action="store_true", help="only these, kept beside the others")
    parser.add_argument("--widest", type=int, metavar="ROWS", help="only 200,000 columns, kept beside the others")
    options = parser.parse_args()
    folder = options.data / "europarl-en-es"
    train = read_corpus(folder / "train").select(slice(0, options.widest or options.rows))
    test = read_corpus(folder / "test").head(25)
    count_steps()
    if options.widest:
        vectorizer = ViewsVectorizer(features="both", max_terms=100_000, min_count=1)
        fitted = vectorizer.fit_transform(train), vectorizer.transform(test)
        name = f"implicit, {options.widest:,} speeches, {options.dimensions} dimensions"
        told = json.loads((OUT / "wide_vocabulary.json").read_text(encoding="utf-8"))
        told.setdefault("fits_commit", told.pop("about")["commit"])
        write("wide_vocabulary", told | {"widest": [measured(name, OPCA(options.dimensions), *fitted)]})
        return
    if options.two_stages:
        vectorizer = ViewsVectorizer(max_terms=None)
        fitted = vectorizer.fit_transform(train), vectorizer.transform(test)
        again = measured("two stages", OPCA(options.dimensions, stages=2), *fitted)
        told = json.loads((OUT / "wide_vocabulary.json").read_text(encoding="utf-8"))
        told.setdefault("fits_commit", told.pop("about")["commit"])
        told["fits"] = [again if row["space"] == again["space"] else row for row in told["fits"]]
        write("wide_vocabulary", {key: value for key, value in told.items() if key != "about"})
        return
    rows = []
    for terms in (10_000, None):
        vectorizer = ViewsVectorizer(max_terms=terms)
        fitted = vectorizer.fit_transform(train), vectorizer.transform(test)
        kinds = {"factorised": 1} if terms else {"implicit": 1, "two stages": 2}
        for name, stages in kinds.items():
            rows.append(measured(name, OPCA(options.dimensions, stages=stages), *fitted))
        rows.append(measured("untranslated", Untranslated(), *fitted))
    write("wide_vocabulary", {"dimensions": options.dimensions, "rows": len(train), "test": len(test), "fits": rows})


if __name__ == "__main__":
    main()
