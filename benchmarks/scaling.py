"""How do counting, projecting and fitting grow with documents, vocabulary and dimension?

Words a second from raw text to counts on one core, words a second into 2,000 dimensions on both, and seconds of CL-LSI,
CCA and OPCA on parts of `europarl-en-es`. Writes JSON and a plot.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

from babelspace.corpus import AlignedCorpus, read_corpus
from babelspace.features import ViewsVectorizer
from babelspace.kernels.sparse import multiply
from babelspace.runtime.threads import limit
from babelspace.spaces import CCA, CLLSI, OPCA
from common import OUT, THREADS, write

mpl.use("Agg")
import matplotlib.pyplot as plt

SPACES = {"cl-lsi": CLLSI, "cca": CCA, "opca": OPCA}


def clock(work: Any, threads: int = THREADS) -> float:
    with limit(threads):
        started = time.perf_counter()
        work()
        return time.perf_counter() - started


def counting(corpus: AlignedCorpus, sizes: list[int]) -> list[dict[str, float]]:
    """Words a second on one core, vocabulary known, for growing numbers of documents."""
    vectorizer = ViewsVectorizer().fit(corpus.select(slice(0, 2_000)))
    rows = []
    for size in sizes:
        texts = [text for text in corpus.texts("en")[:size] if text]
        words = sum(len(text.split()) for text in texts)
        rows.append(
            {"documents": size, "words_per_second": words / clock(lambda t=texts: vectorizer.count_texts(t, "en"), 1)}
        )
    return rows


def projecting(corpus: AlignedCorpus, dimensions: list[int]) -> list[dict[str, float]]:
    """Words a second from weighted rows into growing numbers of dimensions on both cores."""
    vectorizer = ViewsVectorizer(max_terms=10_400)
    matrix = vectorizer.fit_transform(corpus)["en"]
    words = sum(len(text.split()) for text in corpus.texts("en") if text)
    rng = np.random.default_rng(0)
    rows = []
    for dimension in dimensions:
        weights = rng.standard_normal((matrix.shape[1], dimension), dtype=np.float32)
        multiply(matrix[:10], weights)
        rows.append({"dimensions": dimension, "words_per_second": words / clock(lambda w=weights: multiply(matrix, w))})
    return rows


def fitting(corpus: AlignedCorpus, rows: int, terms: int, dimension: int) -> dict[str, float]:
    """Seconds to fit each space."""
    views = ViewsVectorizer(max_terms=terms // 2).fit_transform(corpus.select(slice(0, rows)))
    seconds = {name: clock(lambda k=kind: k(dimension).fit(views)) for name, kind in SPACES.items()}
    size = {"documents": rows, "terms": views.shape[1], "dimensions": dimension}
    print(size, seconds, flush=True)
    return {**size, **seconds}


def plot(result: dict[str, Any], path: Path) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    for axis, by in zip(axes, ("documents", "terms", "dimensions"), strict=True):
        rows = result["fitting"][by]
        for name in SPACES:
            axis.plot([row[by] for row in rows], [row[name] for row in rows], marker="o", label=name)
        axis.set(xlabel=by, ylabel="seconds to fit", xscale="log", yscale="log")
        axis.grid(alpha=0.3, which="both")
    axes[0].legend(frameon=False)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    corpus = read_corpus(options.data / "europarl-en-es/train")
    for kind in SPACES.values():
        kind(10).fit(ViewsVectorizer(max_terms=500).fit_transform(corpus.select(slice(0, 600))))  # compile
    result = {
        "counting": counting(corpus, [1_000, 4_000, 16_000]),
        "projecting": projecting(corpus.select(slice(0, 10_000)), [100, 500, 2_000]),
        "fitting": {
            "documents": [fitting(corpus, rows, 8_000, 200) for rows in (2_000, 6_000, 12_000)],
            "terms": [fitting(corpus, 6_000, terms, 200) for terms in (2_000, 4_000, 8_000)],
            "dimensions": [fitting(corpus, 6_000, 8_000, dimension) for dimension in (50, 200, 400)],
        },
    }
    write("scaling", result)
    plot(result, OUT.parent.parent / "docs/plots/scaling.svg")


if __name__ == "__main__":
    main()
