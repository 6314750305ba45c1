"""Are the probabilities of `match` true, and does it beat mutual nearest neighbours?

Models are fitted on half of a corpus, calibrated on an eighth and tried on a quarter, or on another corpus altogether;
half of the documents of each side have no mate (three draws).
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
from babelspace.mining.calibration import Calibration, simulated
from babelspace.mining.matching import calibrate, cut, encode_language
from babelspace.mining.overlap import KINDS
from babelspace.mining.pair_features import FEATURES, EncodedDocuments, PairFeatures, ordered
from babelspace.runtime.threads import limit
from babelspace.spaces import Encoder, make
from benchmarks.common import OUT, THREADS, write

# Name: corpus, languages, space and its settings, other corpora to match with the same model.
MODELS: dict[str, tuple[str, str, str, dict[str, Any], tuple[str, ...]]] = {
    "mdn": ("mdn", "en,fr", "opca", {"n_components": 300}, ()),
    "europarl-comparable": ("europarl-comparable", "en,es", "cca", {"n_components": 300, "gamma": 30.0}, ()),
    "debian-descriptions": ("debian-descriptions", "en,it", "opca", {"n_components": 300}, ()),
    "europarl-7": (
        "europarl-7",
        "en,fr",
        "opca",
        {"n_components": 300},
        ("mdn", "debian-descriptions", "unesco-whc", "hansard36", "bible-chapters"),
    ),
}
# The method was chosen with other parts of these in view.
PARTS = {"hansard36": (0.0, 0.2), "bible-chapters": (0.0, 0.25)}
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


def reliability(probability: NDArray[Any], right: NDArray[Any]) -> list[tuple[int, float, float]]:
    """How many pairs there are in each of ten bins of equal width, their mean probability, and the share of right."""
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    inside = [bins == number for number in range(BINS)]
    return [(int(b.sum()), float(probability[b].mean()), float(right[b].mean())) for b in inside if b.any()]


def calibration_error(bins: list[tuple[int, float, float]]) -> float:
    """Expected calibration error: how far the bins' probabilities are off, weighed by their pairs."""
    return sum(count * abs(told - true) for count, told, true in bins) / sum(count for count, _, _ in bins)


def mutual(candidates: PairFeatures, score: NDArray[Any]) -> NDArray[np.int64]:
    """Pairs that are each other's best."""
    best = [
        ordered(group, score, count, 1)[1][:, 0]
        for group, count in ((candidates.source, candidates.sources), (candidates.target, candidates.targets))
    ]
    found = np.intersect1d(best[0], best[1])
    return found[found >= 0]


def encoded(encoder: Encoder, corpus: AlignedCorpus) -> tuple[EncodedDocuments, EncodedDocuments]:
    """Both sides of a corpus of two languages."""
    source, target = corpus.languages
    return encode_language(encoder, corpus, source), encode_language(encoder, corpus, target)


def judged(learned: Calibration, piles: tuple[EncodedDocuments, EncodedDocuments]) -> dict[str, Any]:
    """Precision and recall of every way over draws in which half of the documents have no mate."""
    known = np.flatnonzero(piles[0].vectors.valid & piles[1].vectors.valid)
    rng = np.random.default_rng(0)
    kept_right: dict[str, list[Any]] = {}
    all_probabilities: dict[str, list[Any]] = {way: [] for way in WAYS}
    all_right: dict[str, list[Any]] = {way: [] for way in WAYS}
    for _ in range(DRAWS):
        candidates, right = simulated(*piles, known, SHARE, len(known), rng)
        mates = round(len(known) * (1 - SHARE) / (1 + SHARE))
        for name, score in (("mutual nearest", candidates.similarity), ("mutual nearest, CSLS", candidates.csls)):
            kept_right.setdefault(name, []).append(right[mutual(candidates, score)])
        for way, (one_to_one, used) in WAYS.items():
            told = learned.judge(candidates, used, one_to_one)
            kept_right.setdefault(way, []).append(right[told.pairs][cut(told.probability, PRECISION)])
            all_probabilities[way].append(told.probability)
            all_right[way].append(right[told.pairs])
    # Over all draws together: a draw without any pair has no precision.
    pooled = {name: np.concatenate(draws) for name, draws in kept_right.items()}
    found: dict[str, Any] = {
        name: {"precision": float(kept.mean()) if len(kept) else None, "recall": float(kept.sum()) / (DRAWS * mates)}
        for name, kept in pooled.items()
    }
    for way in WAYS:
        bins = reliability(np.concatenate(all_probabilities[way]), np.concatenate(all_right[way]))
        found[way] |= {"calibration_error": calibration_error(bins), "reliability": bins}
    return {"rows": len(known), "documents": candidates.sources, "ways": found}


def pairs(data: Path, name: str) -> dict[str, Any]:
    """One model, judged on the last quarter of its own corpus and on the others."""
    folder, languages, space, settings, others = MODELS[name]
    corpus = read_corpus(data / folder, languages=languages.split(",")).aligned()
    with limit(THREADS):
        encoder = Encoder(ViewsVectorizer(), make(space, **settings)).fit(part(corpus, 0.5, 1))
        source, target = corpus.languages
        learned = calibrate(encoder, part(corpus, 0.375, 0.5), source, target)
        found = {name: judged(learned, encoded(encoder, part(corpus, 0, 0.25)))}
        for other in others:
            strange = read_corpus(data / other, languages=languages.split(",")).aligned()
            some = part(strange, *PARTS.get(other, (0, min(1, MOST / len(strange)))))
            found[f"{name} → {other}"] = judged(learned, encoded(encoder, some))
    return {"languages": languages, "space": space, "held_out_pairs": learned.pairs, "corpora": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    options = parser.parse_args()
    kept = OUT / "matching.json"
    result = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    result.pop("about", None)
    for name in options.models:
        result.setdefault("pairs", {})[name] = pairs(options.data, name)
        write("matching", result)


if __name__ == "__main__":
    main()
