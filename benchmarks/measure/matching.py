"""Does `match` keep its promise: is a promised precision the observed one, on few documents and on many?

A model is fitted on some rows of a corpus (a tenth held out, OPCA with 300 dimensions) and tried on others, or on
another corpus altogether. Half of the documents of each side have no mate; sizes are
documents a side. Beside it mutual nearest neighbours, which promise nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace import AlignedCorpus, fit_model, read_corpus
from babelspace.classification.expected_accuracy import wilson
from babelspace.corpus import position
from babelspace.mining.calibration import Calibration, simulated
from babelspace.mining.matching import calibration_of, encode_language
from babelspace.mining.pair_features import EncodedDocuments, PairFeatures, ordered, pair_features
from babelspace.mining.precision import cut
from babelspace.runtime.threads import limit
from benchmarks.common import OUT, THREADS, commit, write

# Name: corpus to learn from, languages, corpora to match; "" is the other half of the same corpus.
MODELS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "mdn en-es": ("mdn", "en,es", ("",)),
    "bible-chapters en-es": ("bible-chapters", "en,es", ("",)),
    "debian-descriptions en-it": ("debian-descriptions", "en,it", ("",)),
    "mdn en-fr": ("mdn", "en,fr", ("",)),
    "mdn en-ja": ("mdn", "en,ja", ("",)),
    "unesco-whc en-fr": ("unesco-whc", "en,fr", ("",)),
    "hansard36 en-fr": ("hansard36", "en,fr", ("",)),
    "wikipedia-en-pl": ("wikipedia-en-pl", "en,pl", ("",)),
    "europarl-comparable en-es": ("europarl-comparable", "en,es", ("",)),
    "ntrex-128 eng-deu": ("ntrex-128", "eng,deu", ("",)),
    "bible-verses eng-swh": ("bible-verses", "eng,swh", ("",)),
    "europarl-7 en-fr": ("europarl-7", "en,fr", ("", "mdn", "unesco-whc", "hansard36")),
    "europarl-en-es": ("europarl-en-es/train", "en,es", ("",)),
}
# Looked at while the method and its settings were chosen; the others were measured once, at the end.
TUNED_ON = ("mdn en-es", "bible-chapters en-es", "debian-descriptions en-it")
PROMISES, SHARE, BINS = (0.9, 0.95, 0.99), 0.5, 10
# Documents a side, and how many draws of who loses the mate.
SIZES = {200: 6, 1_000: 3, 5_000: 1, 20_000: 1}
# The same for few documents.
FEW = {1: 20, 2: 20, 5: 10, 20: 4, 100: 1}
MOST_TRAINED, MOST_MATCHED = 8_000, 30_000


def some(corpus: AlignedCorpus, low: float, high: float, most: int) -> AlignedCorpus:
    """At most so many rows whose id falls there, by another hash than the one that holds rows out of a fit."""
    places = np.array([position(f"half of {id}") for id in corpus.ids])
    rows = np.flatnonzero((places >= low) & (places < high))
    return corpus.select(rows[np.argsort(places[rows])[:most]])


def divided(corpus: AlignedCorpus, trained: int, matched: int) -> tuple[AlignedCorpus, float]:
    """Rows to learn from, in the upper half, and the place below which rows are matched: all others if need be."""
    train = some(corpus, 0.5, 1, trained)
    first_half = len(some(corpus, 0, 0.5, matched))
    if first_half >= matched or len(train) < trained:
        return train, 0.5
    # More are asked for than half of the corpus: the last rows are learned from, and all below are matched.
    places = np.sort([position(f"half of {id}") for id in corpus.ids])
    start = float(places[-trained])
    return some(corpus, start, 1, trained), start


def reliability(probability: NDArray[Any], right: NDArray[Any]) -> list[tuple[int, float, float]]:
    """How many pairs there are in each of ten bins of equal width, their mean probability, and the share of right."""
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    inside = [bins == number for number in range(BINS)]
    return [(int(b.sum()), float(probability[b].mean()), float(right[b].mean())) for b in inside if b.any()]


def calibration_error(bins: list[tuple[int, float, float]]) -> float:
    """Expected calibration error: how far the bins' probabilities are off, weighed by their pairs."""
    return sum(count * abs(told - true) for count, told, true in bins) / sum(count for count, _, _ in bins)


def mutual(candidates: PairFeatures) -> NDArray[np.int64]:
    """Pairs that are each other's nearest after CSLS."""
    best = [
        ordered(group, candidates.csls, count, 1)[1][:, 0]
        for group, count in ((candidates.source, candidates.sources), (candidates.target, candidates.targets))
    ]
    found = np.intersect1d(best[0], best[1])
    return found[found >= 0]


def promises(
    learned: Calibration, sides: tuple[EncodedDocuments, EncodedDocuments], size: int, draws: int
) -> dict[str, Any]:
    """What was promised and what came true, over some draws together."""
    known = np.flatnonzero(sides[0].vectors.valid & sides[1].vectors.valid)
    rows = min(len(known), round(size * (1 + SHARE)))
    mates = draws * round(rows * (1 - SHARE) / (1 + SHARE))
    rng = np.random.default_rng(0)
    probability, correct, nearest = [], [], []
    kept: dict[float, list[Any]] = {promise: [] for promise in PROMISES}
    inside: dict[float, list[bool]] = {promise: [] for promise in PROMISES}
    intervals: dict[float, list[tuple[float, float]]] = {promise: [] for promise in PROMISES}
    for _ in range(draws):
        candidates, right = simulated(*sides, known, SHARE, rows, rng)
        judged = learned.judge(candidates)
        probability.append(judged.probability)
        correct.append(right[judged.pairs])
        nearest.append(right[mutual(candidates)])
        for promise in PROMISES:
            places = cut(judged.probability, promise)
            came = correct[-1][places]
            kept[promise].append(came)
            if len(places):
                low, high = judged.interval(places)
                intervals[promise].append((low, high))
                inside[promise].append(bool(low <= came.mean() <= high))
    bins = reliability(np.concatenate(probability), np.concatenate(correct))
    found: dict[str, Any] = {
        "documents": candidates.sources,
        "draws": draws,
        "calibration_error": calibration_error(bins),
    }
    both = np.concatenate(nearest)
    found["mutual nearest"] = {"precision": float(both.mean()), "recall": float(both.sum()) / mates}
    for promise in PROMISES:
        came = np.concatenate(kept[promise])
        found[str(promise)] = {
            "pairs": len(came),
            "precision": float(came.mean()) if len(came) else None,
            "interval": wilson(float(came.mean()), len(came)) if len(came) else None,
            "told": [float(np.mean(side)) for side in zip(*intervals[promise], strict=True)],
            "inside": inside[promise],
            "recall": float(came.sum()) / mates,
        }
    return found | {"reliability": bins}


def few(
    learned: Calibration, sides: tuple[EncodedDocuments, EncodedDocuments], size: int, draws: int, share: float
) -> dict[str, Any]:
    """What was promised and what came true among few documents, of which a share of each side has no mate."""
    assert learned.cohort is not None
    known = np.flatnonzero(sides[0].vectors.valid & sides[1].vectors.valid)
    rng = np.random.default_rng(0)
    probability, correct = [], []
    kept: dict[float, list[Any]] = {promise: [] for promise in PROMISES}
    inside: dict[float, list[bool]] = {promise: [] for promise in PROMISES}
    mates = round(size * (1 - share))
    for _ in range(draws):
        rows = rng.permutation(known)
        source, target = np.sort(rows[:size]), np.sort(np.append(rows[:mates], rows[size : 2 * size - mates]))
        beside = learned.cohort.beside(sides[0].select(source), sides[1].select(target))
        candidates = replace(pair_features(*beside), at_hand=(size, size))
        judged = learned.judge(candidates)
        probability.append(judged.probability)
        correct.append(source[candidates.source[judged.pairs]] == target[candidates.target[judged.pairs]])
        for promise in PROMISES:
            places = cut(judged.probability, promise)
            kept[promise].append(correct[-1][places])
            if len(places):
                low, high = judged.interval(places)
                inside[promise].append(bool(low <= kept[promise][-1].mean() <= high))
    bins = reliability(np.concatenate(probability), np.concatenate(correct))
    found: dict[str, Any] = {"documents": size, "without_mate": share, "draws": draws}
    found["calibration_error"] = calibration_error(bins) if bins else None
    for promise in PROMISES:
        came = np.concatenate(kept[promise])
        found[str(promise)] = {
            "pairs": len(came),
            "right": int(came.sum()),
            "mates": mates * draws,
            "held": sum(inside[promise]),
            "intervals": len(inside[promise]),
        }
    return found


def few_documents(data: Path, name: str, trained: int, matched: int) -> list[dict[str, Any]]:
    """A model tried on few documents of the other half of its corpus, all, half and none of them with a mate."""
    folder, languages, _ = MODELS[name]
    codes = languages.split(",")
    with limit(THREADS):
        corpus = read_corpus(data / folder, languages=codes).aligned()
        train, below = divided(corpus, trained, matched)
        encoder = fit_model(train, "opca", n_components=300)
        tried = some(corpus, 0, below, matched)
        sides = encode_language(encoder, tried, codes[0]), encode_language(encoder, tried, codes[1])
        learned = calibration_of(encoder, *codes)
        found = [few(learned, sides, *size, share) for size in FEW.items() for share in (0.0, 0.5, 1.0)]
    return [{**one, "trained": len(train), "commit": commit()} for one in found]


def model(data: Path, name: str, trained: int, matched: int, wanted: Sequence[int]) -> dict[str, Any]:
    """One model, tried on the other half of its corpus and on other corpora."""
    folder, languages, others = MODELS[name]
    codes = languages.split(",")
    found: dict[str, Any] = {}
    with limit(THREADS):
        corpus = read_corpus(data / folder, languages=codes).aligned()
        train, below = divided(corpus, trained, matched)
        encoder = fit_model(train, "opca", n_components=300)
        learned = calibration_of(encoder, *codes)
        for other in others:
            strange = corpus if not other else read_corpus(data / other, languages=codes).aligned()
            tried = some(strange, 0, below if not other else 0.5, matched)
            sides = encode_language(encoder, tried, codes[0]), encode_language(encoder, tried, codes[1])
            most = int(len(tried) / (1 + SHARE))
            sizes = {min(size, most): draws for size, draws in reversed(SIZES.items()) if size in wanted}
            found[name if not other else f"{name} → {other}"] = [
                {**promises(learned, sides, size, draws), "trained": len(train), "commit": commit()}
                for size, draws in sorted(sizes.items())
            ]
    return {"held_out_pairs": learned.pairs, "trained": trained, "matched": matched, "corpora": found}


def merged(known: dict[str, Any], fresh: dict[str, Any]) -> dict[str, Any]:
    """What was measured now, and of what was before the sizes that were not measured again."""
    if not known:
        return fresh
    corpora = dict(known["corpora"])
    for name, sizes in fresh["corpora"].items():
        again = {one["documents"] for one in sizes}
        kept = [one for one in corpora.get(name, ()) if one["documents"] not in again]
        corpora[name] = sorted([*kept, *sizes], key=lambda one: one["documents"])
    return {**known, "matched": max(known["matched"], fresh["matched"]), "corpora": corpora}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--trained", type=int, default=MOST_TRAINED, help="rows to learn from at most")
    parser.add_argument("--matched", type=int, default=MOST_MATCHED, help="rows to match at most")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--few", action="store_true", help="1 to 100 documents a side instead")
    options = parser.parse_args()
    kept = OUT / "matching.json"
    result = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    parts = {part: result.get(part, {}) for part in ("promises", "few")}
    result = {**parts, "tuned_on": list(TUNED_ON)}
    for name in options.models:
        if options.few:
            result["few"][name] = few_documents(options.data, name, options.trained, options.matched)
            write("matching", result)
            continue
        fresh = model(options.data, name, options.trained, options.matched, options.sizes)
        result["promises"][name] = merged(result["promises"].get(name, {}), fresh)
        write("matching", result)


if __name__ == "__main__":
    main()
