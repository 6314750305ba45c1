"""Vinokourov, Shawe-Taylor & Cristianini 2003, uses named in the text: clustering, and kernels of strings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.exhibit import Exhibit, Figure, Rows, run
from benchmarks.papers.hansard import PAPER

DIMENSIONS, CLUSTERS = 100, 12


def work(data: Path, reduced: bool) -> Rows:
    """Kernels of words and of n-grams of characters; k-means on the documents of both languages together."""
    from babelspace import KernelCCA, Untranslated, ViewsVectorizer, read_corpus

    corpus = read_corpus(data / "sample" / "help", languages=["en", "es"]).aligned()
    split = corpus.split(train=0.5, dev=0, test=0.5)
    kinds: dict[str, tuple[Any, Any]] = {
        "words as spelled": ({}, Untranslated()),
        "kernel of words": ({}, KernelCCA(DIMENSIONS, kappa=0.05)),
        "kernel of character n-grams": ({"features": "characters"}, KernelCCA(DIMENSIONS, kappa=0.05)),
        "Gaussian kernel of words": ({}, KernelCCA(DIMENSIONS, kappa=0.05, kernel="rbf")),
    }
    labels = np.array([str(one) for one in split.test.field("label")])
    rows: dict[str, list[Figure | None]] = {}
    for name, (features, space) in kinds.items():
        vectorizer = ViewsVectorizer(vocabulary="shared" if name == "words as spelled" else "separate", **features)
        space.fit(vectorizer.fit_transform(split.train))
        test = vectorizer.transform(split.test)
        vectors = space.transform(test)
        rows[name] = [float(space.score(test)), *clustered(vectors, labels)]
    return rows


def clustered(vectors: Any, labels: Any) -> tuple[float, float]:
    """The share of mates in one cluster, and how much the clusters tell of the labels."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_mutual_info_score

    from babelspace.vectors.similarity import as_dense, prepare

    rows = np.vstack([as_dense(prepare(part).rows) for part in vectors.values()])
    found = KMeans(CLUSTERS, n_init=3, random_state=0).fit_predict(rows)
    half = len(found) // 2
    told = adjusted_mutual_info_score(np.concatenate([labels, labels]), found)
    return float(np.mean(found[:half] == found[half:])), float(told)


EXHIBIT = Exhibit(
    paper=PAPER,
    name="the text",
    shows="clustering in the space, and other kernels than that of words",
    corpus="the embedded sample: help pages in English and Spanish, half to learn from, half to test",
    differs="The paper names these uses without figures. k-means with 12 clusters on the documents of both languages; "
    "labels are the modules of the program (adjusted mutual information). A kernel of character n-grams is the linear "
    "kernel of their weighted counts, a spectrum kernel.",
    measures=("Top-1", "mates in one cluster", "clusters and labels"),
    published={},
    orders=[["kernel of words", "words as spelled"]],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
