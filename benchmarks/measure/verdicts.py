"""What do the first verdicts of a review do to its cut? Reviews of documents whose pairs are known, judged in turn.

A model is learned from half of a corpus and matches the other half, half of whose documents have no mate. A reviewer
who knows the truth, and slips now and then, judges what the queue brings. How often is the cut (for a precision of .95)
all but closed, how far is the promised precision from the true one, and is that within its interval? The priors of
`recalibrate` and the chance of a slip were chosen on three of the corpora; the others were run once.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace import fit_model, read_corpus
from babelspace.mining.calibration import simulated
from babelspace.mining.matching import calibration_of, encode_language
from babelspace.mining.precision import cut
from babelspace.mining.review.estimates import Belief
from babelspace.mining.review.next_pair import next_place
from babelspace.mining.review.verdict_log import RIGHT, WRONG, VerdictEntry, Votes
from babelspace.runtime.threads import limit
from benchmarks.common import THREADS, write
from benchmarks.measure.matching import MODELS, SHARE, TUNED_ON, some

PRECISION, AFTER, SLIPS = 0.95, (3, 5, 10, 20, 40), (0.0, 0.03)
TRAINED, MATCHED, SIZES = 1_200, 1_500, {200: 6, 1_000: 2}
# Part of the pairs above the cut before any verdict, below which it counts as closed.
CLOSED = 0.25
OTHERS = ("mdn en-fr", "unesco-whc en-fr")
Drawn = tuple[NDArray[np.float64], NDArray[np.bool_]]


def drawn(data: Path, name: str) -> Iterator[Drawn]:
    """Probabilities, highest first, and which of the pairs are right, for some draws of who loses the mate."""
    folder, languages, _ = MODELS[name]
    codes = languages.split(",")
    corpus = read_corpus(data / folder, languages=codes).aligned()
    encoder = fit_model(some(corpus, 0.5, 1, TRAINED), n_components=300)
    learned = calibration_of(encoder, *codes)
    tried = some(corpus, 0, 0.5, MATCHED)
    sides = encode_language(encoder, tried, codes[0]), encode_language(encoder, tried, codes[1])
    known = np.flatnonzero(sides[0].vectors.valid & sides[1].vectors.valid)
    rng = np.random.default_rng(0)
    for size, draws in SIZES.items():
        for _ in range(draws):
            candidates, right = simulated(*sides, known, SHARE, min(len(known), round(size * (1 + SHARE))), rng)
            judged = learned.judge(candidates)
            order = np.argsort(-judged.probability, kind="stable")
            yield judged.probability[order], right[judged.pairs][order]


def reviewed(probability: NDArray[np.float64], right: NDArray[np.bool_], slips: float) -> Iterator[dict[str, Any]]:
    """Where a review stands after some verdicts."""
    usual = len(cut(probability, PRECISION))
    order, slip = np.random.default_rng(0).permutation(len(right)), np.random.default_rng(1)
    votes = Votes()
    for number in range(1, max(AFTER) + 1):
        place = next_place(order, Belief.of(probability, votes.majority(), PRECISION).above, votes, "ann")
        if place is None:
            return
        verdict = RIGHT if right[place] ^ (slip.random() < slips) else WRONG
        votes.read([VerdictEntry(number, place, "ann", verdict, "", "", None)])
        if number in AFTER:
            belief = Belief.of(probability, votes.majority(), PRECISION)
            yield {"verdicts": number, "closed": bool(belief.above < CLOSED * usual), **exported(belief, right)}


def exported(belief: Belief, right: NDArray[np.bool_]) -> dict[str, Any]:
    """What would be exported now: promised and true precision, and whether the interval holds the true one."""
    kept = belief.accepted()
    if not len(kept):
        return {"promised": None, "true": None, "inside": True, "recall": 0.0}
    low, high = belief.recalibration.precision_interval(belief.probability[kept], belief.known[kept])
    true = float(right[kept].mean())
    promised, recall = float(belief.expected(kept).mean()), float(right[kept].sum() / right.sum())
    return {"promised": promised, "true": true, "inside": bool(low <= true <= high), "recall": recall}


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over reviews, after each number of verdicts."""
    told: dict[str, Any] = {}
    for number in AFTER:
        there = [one for one in found if one["verdicts"] == number]
        filled = [one for one in there if one["true"] is not None]
        told[str(number)] = {
            "reviews": len(there),
            "closed": float(np.mean([one["closed"] for one in there])),
            "off": float(np.mean([abs(one["promised"] - one["true"]) for one in filled])),
            "true": float(np.mean([one["true"] for one in filled])),
            "inside": float(np.mean([one["inside"] for one in there])),
            "recall": float(np.mean([one["recall"] for one in there])),
        }
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    result: dict[str, Any] = {}
    for group, names in (("tuned on", TUNED_ON), ("others", OTHERS)):
        found: dict[float, list[dict[str, Any]]] = {slips: [] for slips in SLIPS}
        with limit(THREADS):
            for name in names:
                for draw in drawn(options.data, name):
                    for slips in SLIPS:
                        found[slips] += reviewed(*draw, slips)
                print(name, flush=True)
        result[group] = {"corpora": list(names), "slips": {str(slips): summary(found[slips]) for slips in SLIPS}}
    write("verdicts", {"precision": PRECISION, **result})


if __name__ == "__main__":
    main()
