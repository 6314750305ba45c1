"""Is finding candidates both ways as fast as one direction of bare faiss, and how much faster is it approximately?

100,000 × 100,000 vectors of 500 dimensions, taking turns: `both_ways` exact and approximate (both directions) and
`faiss.knn` (one direction). Vectors: sentences of the Canadian Hansard in the space of `hansard36`, and random ones
with structure: topics, a falling spectrum, and mates that are noisy copies.
"""

from __future__ import annotations

import argparse
import lzma
import tempfile
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from babelspace import OPCA, Encoder, ViewsVectorizer, read_corpus
from babelspace.mining.candidates import both_ways
from babelspace.runtime.threads import limit
from babelspace.vectors.neighbours import Neighbours
from babelspace.vectors.similarity import prepare
from benchmarks.common import THREADS, interleaved, write

NAME, BEST, WORDS = "matching_speed", 10, 6
Matrix = NDArray[np.float32]


def sentences(data: Path, count: int, dimensions: int) -> tuple[Matrix, Matrix]:
    """Different sentences of some words, and their translations; kept for another run."""
    kept = Path(tempfile.gettempdir()) / f"babelspace-sentences-{count}-{dimensions}.npz"
    if not kept.is_file():
        corpus = read_corpus(data / "hansard36", languages=["en", "fr"]).aligned()
        with limit(THREADS):
            encoder = Encoder(ViewsVectorizer(max_terms=8_000), OPCA(n_components=dimensions)).fit(corpus)
        pairs: dict[str, str] = {}
        folder = data / "alignment" / "hansard-en-fr-all"
        with lzma.open(folder / "source.txt.xz", "rt") as source, lzma.open(folder / "target.txt.xz", "rt") as target:
            for one, other in zip(source, target, strict=True):
                if len(one.split()) >= WORDS and len(pairs) < count:
                    pairs.setdefault(one, other)
        np.savez(kept, source=encoder.encode(pairs, "en"), target=encoder.encode(pairs.values(), "fr"))
    vectors = np.load(kept)
    return vectors["source"], vectors["target"]


def structured(count: int, dimensions: int) -> tuple[Matrix, Matrix]:
    """Vectors of `count` documents around topics, with a falling spectrum, and noisy copies of them."""
    rng = np.random.default_rng(0)
    fall = (1 / np.sqrt(1 + np.arange(dimensions))).astype(np.float32)
    topics = rng.standard_normal((max(1, count // 200), dimensions), np.float32)
    one = topics[rng.integers(len(topics), size=count)] + rng.standard_normal((count, dimensions), np.float32)
    other = one + np.float32(0.5) * rng.standard_normal((count, dimensions), np.float32)
    return one * fall, other * fall


def speed(vectors: tuple[Matrix, Matrix], turns: int) -> dict[str, Any]:
    """Seconds of both directions at once, exact and approximate, and of one direction of faiss."""
    left, right = map(prepare, vectors)
    both_ways(prepare(left.rows[:500]), prepare(right.rows[:500]), BEST)  # compile
    contenders = {
        "exact": lambda: both_ways(left, right, BEST, approximate=False),
        "faiss": lambda: faiss.knn(left.rows, right.rows, BEST, metric=faiss.METRIC_INNER_PRODUCT),
        "approximate": lambda: both_ways(left, right, BEST, approximate=True),
    }
    seconds, results = interleaved(contenders, turns)
    exact, near = results["exact"], results["approximate"]
    return {
        "documents": len(left),
        "dimensions": left.rows.shape[1],
        "seconds": seconds,
        "exact_to_faiss": _ratios(seconds, "exact", "faiss"),
        "exact_to_approximate": _ratios(seconds, "exact", "approximate"),
        "recall": {
            f"at {k}": float(np.mean([recall(*pair, k) for pair in zip(exact, near, strict=True)])) for k in (1, BEST)
        },
        "as_good_as_faiss": float(np.mean(exact[0].scores[:, 0] >= results["faiss"][0][:, 0] - 1e-5)),
    }


def recall(exact: Neighbours, near: Neighbours, k: int) -> float:
    """The share of the k nearest that was found; another document with the same score is as good."""
    found = near.scores[:, :k] >= exact.scores[:, k - 1 : k] - 1e-6
    return float(found.mean())


def _ratios(seconds: dict[str, list[float]], one: str, other: str) -> list[float]:
    return [a / b for a, b in zip(seconds[one], seconds[other], strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=500)
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()
    size = (options.documents, options.dimensions)
    with limit(THREADS):
        found = {
            "sentences": speed(sentences(options.data, *size), options.turns),
            "structured": speed(structured(*size), options.turns),
        }
    write(NAME, found)


if __name__ == "__main__":
    main()
