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

from babelspace import CCA, CLLSI, OPCA, AlignedCorpus, ViewsVectorizer, read_corpus
from babelspace.kernels.linalg.sparse import multiply
from babelspace.runtime.threads import limit
from benchmarks.common import PLOTS, THREADS, write

mpl.use("Agg")
import matplotlib.pyplot as plt

SPACES = {"cl-lsi": CLLSI, "cca": CCA, "opca": OPCA}
BY = ("documents", "terms", "dimensions")


def clock(work: Any, threads: int = THREADS) -> float:
    with limit(threads):
        started = time.perf_counter()
        work()
        return time.perf_counter() - started


def rates(corpus: AlignedCorpus, rows: int, terms: int, dimension: int) -> dict[str, float]:
    """Words a second from text to counts on one core (the vocabulary is known), and from counts to vectors on both."""
    part = corpus.select(slice(0, rows))
    vectorizer = ViewsVectorizer(max_terms=terms // 2)
    matrix = vectorizer.fit_transform(part)["en"]
    texts = [text for text in part.texts("en") if text]
    words = sum(len(text.split()) for text in texts)
    weights = np.random.default_rng(0).standard_normal((matrix.shape[1], dimension), dtype=np.float32)
    multiply(matrix[:10], weights)
    found = {
        "count": words / clock(lambda: vectorizer.count_texts(texts, "en"), 1),
        "project": words / clock(lambda: multiply(matrix, weights)),
    }
    size = {"documents": rows, "terms": matrix.shape[1], "dimensions": dimension}
    print(size, found, flush=True)
    return {**size, **found}


def fitting(corpus: AlignedCorpus, rows: int, terms: int, dimension: int) -> dict[str, float]:
    """Seconds to fit each space."""
    views = ViewsVectorizer(max_terms=terms // 2).fit_transform(corpus.select(slice(0, rows)))
    seconds = {name: clock(lambda k=kind: k(dimension).fit(views)) for name, kind in SPACES.items()}
    size = {"documents": rows, "terms": views.shape[1], "dimensions": dimension}
    print(size, seconds, flush=True)
    return {**size, **seconds}


def plot(result: dict[str, Any], path: Path) -> None:
    figure, axes = plt.subplots(2, 3, figsize=(12, 6.6), layout="constrained")
    panels = (
        ("fitting", "seconds to fit", tuple(SPACES), "o"),
        ("rates", "words a second", ("count", "project"), "s"),
    )
    for line, (kind, label, names, marker) in zip(axes, panels, strict=True):
        for axis, by in zip(line, BY, strict=True):
            rows = result[kind][by]
            for name in names:
                axis.plot([row[by] for row in rows], [row[name] for row in rows], marker=marker, label=name)
            axis.set(xlabel=by, ylabel=label, xscale="log", yscale="log")
            axis.set_xticks([row[by] for row in rows], [f"{row[by]:,}" for row in rows])
            axis.set_xticks([], minor=True)
            axis.grid(alpha=0.3, which="both")
        line[0].legend(frameon=False)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    corpus = read_corpus(options.data / "europarl-en-es/train")
    for kind in SPACES.values():
        kind(10).fit(ViewsVectorizer(max_terms=500).fit_transform(corpus.select(slice(0, 600))))  # compile
    result: dict[str, Any] = {
        "fitting": {
            "documents": [fitting(corpus, rows, 8_000, 200) for rows in (2_500, 10_000, 40_000)],
            "terms": [fitting(corpus, 10_000, terms, 200) for terms in (2_000, 6_000, 20_000)],
            "dimensions": [fitting(corpus, 10_000, 8_000, dimension) for dimension in (50, 200, 1_000)],
        },
        "rates": {
            "documents": [rates(corpus, rows, 20_000, 500) for rows in (1_000, 5_000, 25_000)],
            "terms": [rates(corpus, 5_000, terms, 500) for terms in (2_000, 6_000, 20_000)],
            "dimensions": [rates(corpus, 5_000, 20_000, dimension) for dimension in (100, 500, 2_000)],
        },
    }
    write("scaling", result)
    plot(result, PLOTS / "scaling.svg")


if __name__ == "__main__":
    main()
