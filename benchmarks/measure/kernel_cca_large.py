"""How long and how large is kernel CCA: exact at 910 and 12,738 documents, through landmarks at 50,000?

`exact` fits 400 dimensions on `hansard36` (en, fr), with a linear kernel (among the words, where they are fewer than
the documents) and with an RBF kernel (always among the documents). `nystrom` fits 300 dimensions on 50,000 speeches of
`europarl-en-es` with one rank and one way to choose landmarks at a time, and writes the plot of Top-1 against rank.
Each call adds to the same result file, so that they can be run one by one; peak memory is of the fit.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl

from babelspace import AlignedCorpus, KernelCCA, Views, read_corpus
from babelspace.runtime.peak_memory import PeakMemory
from babelspace.runtime.threads import limit
from benchmarks.common import OUT, PLOTS, THREADS, training_and_test, views, write

mpl.use("Agg")
import matplotlib.pyplot as plt

NAME = "kernel_cca_large"
ROWS = 50_000


def measured(space: KernelCCA, train: Views, test: Views) -> dict[str, Any]:
    """Seconds, peak memory and Top-1 of one fit."""
    with limit(THREADS), PeakMemory() as memory:
        started = time.perf_counter()
        space.fit(train)
        seconds = time.perf_counter() - started
    kept = {"rows": len(train), "columns": train.shape[1], "dimensions": space.n_components_, "kernel": space.kernel}
    row = {**kept, "seconds": seconds, "peak_gb": (memory.mb or 0) / 1024, "top1": space.score(test)}
    print(row, flush=True)
    return row


def exact(data: Path, rows: int, kernel: str) -> dict[str, Any]:
    """One exact fit on hansard36."""
    train, test = training_and_test(data / "hansard36", "en,fr")
    KernelCCA(10, kernel).fit(train[:300])  # compile
    return measured(KernelCCA(400, kernel), train[:rows], test)


def nystrom(data: Path, rank: int, landmarks: str) -> dict[str, Any]:
    """One approximate fit on 50,000 speeches."""
    folder = data / "europarl-en-es"
    corpora = [read_corpus(folder / part) for part in ("train", "dev")]
    joined = AlignedCorpus(
        [row for corpus in corpora for row in corpus.ids],
        {name: [text for corpus in corpora for text in corpus.texts(name)] for name in corpora[0].languages},
    )
    train, test = views(joined.select(slice(0, ROWS)), read_corpus(folder / "test"))
    KernelCCA(10, method="nystrom", rank=50).fit(train[:300])  # compile
    space = KernelCCA(300, method="nystrom", rank=rank, landmarks=landmarks)
    return {**measured(space, train, test), "rank": rank, "landmarks": landmarks}


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for landmarks in sorted({row["landmarks"] for row in rows}):
        own = sorted((row for row in rows if row["landmarks"] == landmarks), key=lambda row: row["rank"])
        for axis, value in zip(axes, ("top1", "seconds"), strict=True):
            axis.plot([row["rank"] for row in own], [row[value] for row in own], marker="o", label=landmarks)
    for axis, label in zip(axes, (f"Top-1, {ROWS:,} training documents", "seconds to fit"), strict=True):
        axis.set(xlabel="landmarks of each language", ylabel=label, xscale="log")
        axis.grid(alpha=0.3, which="both")
    axes[0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def added(row: dict[str, Any], part: str) -> dict[str, Any]:
    """The results so far with this row in place of an older one of the same kind."""
    path = OUT / f"{NAME}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    keys = ("rows", "kernel", "rank", "landmarks")
    others = [old for old in known.get(part, []) if any(old.get(key) != row.get(key) for key in keys)]
    return {"exact": known.get("exact", []), "nystrom": known.get("nystrom", []), part: [*others, row]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=["exact", "nystrom", "all"], default="all")
    parser.add_argument("--rows", type=int, nargs="+", default=[910, 12_738])
    parser.add_argument("--kernels", nargs="+", default=["linear", "rbf"])
    parser.add_argument("--ranks", type=int, nargs="+", default=[500, 1_000, 2_000, 4_000])
    parser.add_argument("--landmarks", nargs="+", default=["cholesky", "uniform"])
    options = parser.parse_args()
    if options.part != "nystrom":
        for kernel in options.kernels:
            for rows in options.rows:
                write(NAME, added(exact(options.data, rows, kernel), "exact"))
    if options.part != "exact":
        for landmarks in options.landmarks:
            for rank in options.ranks:
                result = added(nystrom(options.data, rank, landmarks), "nystrom")
                write(NAME, result)
                plot(result["nystrom"], PLOTS / "nystrom.svg")


if __name__ == "__main__":
    main()
