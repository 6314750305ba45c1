"""Are the probabilities of `match` true, does it beat mutual nearest neighbours, and is it as fast as bare faiss?

`--part pairs`: models fitted on half of a corpus, calibrated on an eighth and tried on a quarter, or on another corpus
altogether; half of the documents of each side have no mate (three draws). `--part speed`: both directions of
100,000 × 100,000 vectors of 500 dimensions against one direction of `faiss.knn`, taking turns. These vectors are random
with structure: topics, a falling spectrum, and mates that are noisy copies.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus, position, read_corpus
from babelspace.features import ViewsVectorizer
from babelspace.retrieval.calibration import Calibration, simulated
from babelspace.retrieval.candidates import both_ways
from babelspace.retrieval.evidence import FEATURES, Evidence, Pile, gaps, ordered
from babelspace.retrieval.mining import calibrate, chosen_pairs, cut, pile_of
from babelspace.retrieval.overlap import KINDS
from babelspace.runtime.threads import limit
from babelspace.spaces import Encoder, make
from babelspace.vectors.similarity import prepare
from common import OUT, THREADS, interleaved, write

# Name: corpus, languages, space and its settings, features, other corpora to match with the same model.
MODELS: dict[str, tuple[str, str, str, dict[str, Any], str, tuple[str, ...]]] = {
    "mdn": ("mdn", "en,fr", "opca", {"n_components": 300}, "words", ()),
    "europarl-comparable": (
        "europarl-comparable",
        "en,es",
        "cca",
        {"n_components": 300, "gamma": 30.0},
        "words",
        (),
    ),
    "debian-descriptions": ("debian-descriptions", "en,it", "opca", {"n_components": 300}, "words", ()),
    "europarl-7": (
        "europarl-7",
        "en,fr",
        "opca",
        {"n_components": 300},
        "words",
        ("mdn", "debian-descriptions", "unesco-whc"),
    ),
}
DRAWS, SHARE, PRECISION, BINS = 3, 0.5, 0.95, 10
MOST = 3_000
LATENT = tuple(name for name in FEATURES if name not in KINDS)
WAYS = {
    "one-to-one, overlap": (True, FEATURES),
    "one-to-one": (True, LATENT),
    "overlap": (False, FEATURES),
    "neither": (False, LATENT),
}


def part(corpus: AlignedCorpus, low: float, high: float) -> AlignedCorpus:
    """The rows whose id falls there."""
    places = np.array([position(id) for id in corpus.ids])
    return corpus.select((places >= low) & (places < high))


def calibration_error(probability: NDArray[Any], right: NDArray[Any]) -> float:
    """Expected calibration error over ten bins of equal width."""
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    inside = [bins == number for number in range(BINS)]
    return float(sum(abs(probability[b].mean() - right[b].mean()) * b.mean() for b in inside if b.any()))


def mutual(evidence: Evidence, score: NDArray[Any]) -> NDArray[np.int64]:
    """Pairs that are each other's best."""
    best = [
        ordered(group, score, count, 1)[1][:, 0]
        for group, count in ((evidence.source, evidence.sources), (evidence.target, evidence.targets))
    ]
    found = np.intersect1d(*best)
    return found[found >= 0]


def encoded(encoder: Encoder, corpus: AlignedCorpus) -> tuple[Pile, Pile]:
    """Both sides of a corpus of two languages."""
    source, target = corpus.languages
    return pile_of(encoder, corpus, source), pile_of(encoder, corpus, target)


def judged(learned: Calibration, piles: tuple[Pile, Pile]) -> dict[str, Any]:
    """Precision and recall of every way over draws in which half of the documents have no mate."""
    known = np.flatnonzero(piles[0].vectors.valid & piles[1].vectors.valid)
    rng = np.random.default_rng(0)
    kept_right: dict[str, list[Any]] = {}
    all_probabilities: dict[str, list[Any]] = {way: [] for way in WAYS}
    all_right: dict[str, list[Any]] = {way: [] for way in WAYS}
    for _ in range(DRAWS):
        evidence, right = simulated(*piles, known, SHARE, len(known), rng)
        mates = round(len(known) * (1 - SHARE) / (1 + SHARE))
        for name, score in (("mutual nearest", evidence.similarity), ("mutual nearest, CSLS", evidence.csls)):
            kept_right.setdefault(name, []).append(right[mutual(evidence, score)])
        for way, (one_to_one, used) in WAYS.items():
            fused = learned.fuse(evidence, used)
            pairs = chosen_pairs(evidence, fused, one_to_one)
            probability = learned.probabilities(gaps(evidence, fused)[pairs])
            kept_right.setdefault(way, []).append(right[pairs][cut(probability, PRECISION)])
            all_probabilities[way].append(probability)
            all_right[way].append(right[pairs])
    # Over all draws together: a draw without any pair has no precision.
    pooled = {name: np.concatenate(draws) for name, draws in kept_right.items()}
    found: dict[str, Any] = {
        name: {"precision": float(kept.mean()) if len(kept) else None, "recall": float(kept.sum()) / (DRAWS * mates)}
        for name, kept in pooled.items()
    }
    for way in WAYS:
        error = calibration_error(np.concatenate(all_probabilities[way]), np.concatenate(all_right[way]))
        found[way]["calibration_error"] = error
    return {"rows": len(known), "documents": evidence.sources, "ways": found}


def pairs(data: Path, name: str) -> dict[str, Any]:
    """One model, judged on the last quarter of its own corpus and on the others."""
    folder, languages, space, settings, features, others = MODELS[name]
    corpus = read_corpus(data / folder, languages=languages.split(",")).aligned()
    with limit(THREADS):
        encoder = Encoder(ViewsVectorizer(features=features), make(space, **settings)).fit(part(corpus, 0.5, 1))
        learned = calibrate(encoder, part(corpus, 0.375, 0.5), *corpus.languages)
        found = {name: judged(learned, encoded(encoder, part(corpus, 0, 0.25)))}
        for other in others:
            strange = read_corpus(data / other, languages=languages.split(",")).aligned()
            some = part(strange, 0, min(1, MOST / len(strange)))
            found[f"{name} → {other}"] = judged(learned, encoded(encoder, some))
    return {"languages": languages, "space": space, "held_out_pairs": learned.pairs, "corpora": found}


def structured(count: int, dimensions: int, seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Vectors of `count` documents around topics, with a falling spectrum, and noisy copies of them."""
    rng = np.random.default_rng(seed)
    fall = (1 / np.sqrt(1 + np.arange(dimensions))).astype(np.float32)
    topics = rng.standard_normal((max(1, count // 200), dimensions), np.float32)
    one = topics[rng.integers(len(topics), size=count)] + rng.standard_normal((count, dimensions), np.float32)
    other = one + np.float32(0.5) * rng.standard_normal((count, dimensions), np.float32)
    return one * fall, other * fall


def speed(count: int, dimensions: int, turns: int) -> dict[str, Any]:
    """Seconds of both directions at once, exact and approximate, and of one direction of faiss."""
    import faiss

    left, right = (prepare(side) for side in structured(count, dimensions))
    both_ways(prepare(left.rows[:500]), prepare(right.rows[:500]), 10)  # compile
    contenders = {
        "both_ways exact": lambda: both_ways(left, right, 10, approximate=False),
        "faiss.knn, one direction": lambda: faiss.knn(left.rows, right.rows, 10, metric=faiss.METRIC_INNER_PRODUCT),
        "both_ways approximate": lambda: both_ways(left, right, 10, approximate=True),
    }
    seconds, results = interleaved(contenders, turns)
    exact, near = results["both_ways exact"], results["both_ways approximate"]
    recalls = {
        "at 1": float(np.mean([np.mean(a.indices[:, 0] == b.indices[:, 0]) for a, b in zip(exact, near, strict=True)])),
        "at 10": float(np.mean([_common(a.indices, b.indices) for a, b in zip(exact, near, strict=True)])),
    }
    same = float(np.mean(results["faiss.knn, one direction"][1][:, 0] == exact[0].indices[:, 0]))
    return {
        "size": {"documents": count, "dimensions": dimensions, "vectors": "random with structure"},
        "seconds": seconds,
        "exact_to_faiss": _ratios(seconds, "both_ways exact", "faiss.knn, one direction"),
        "exact_to_approximate": _ratios(seconds, "both_ways exact", "both_ways approximate"),
        "recall_of_approximate": recalls,
        "same_nearest_as_faiss": same,
    }


def _common(one: NDArray[Any], other: NDArray[Any]) -> float:
    rows = range(0, len(one), max(1, len(one) // 5_000))
    return float(np.mean([len(np.intersect1d(one[row], other[row])) / one.shape[1] for row in rows]))


def _ratios(seconds: dict[str, list[float]], one: str, other: str) -> list[float]:
    return [a / b for a, b in zip(seconds[one], seconds[other], strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--part", choices=("pairs", "speed", "all"), default="all")
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--dimensions", type=int, default=500)
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()
    kept = OUT / "matching.json"
    result = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    result.pop("about", None)
    if options.part in ("pairs", "all"):
        for name in options.models:
            result.setdefault("pairs", {})[name] = pairs(options.data, name)
            write("matching", result)
    if options.part in ("speed", "all"):
        result["speed"] = speed(options.documents, options.dimensions, options.turns)
        write("matching", result)


if __name__ == "__main__":
    main()
