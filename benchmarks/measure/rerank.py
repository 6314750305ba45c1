"""Does it pay to rescore the candidates of a fast space by the words that translate each other?

The fast space is OPCA of words, 300 dimensions; candidates are its 50 best of both directions. They are rescored by its
cosine, by that of translated words and n-grams, and by how probable the words of each are if they translate the other's
(IBM model 1, Berger & Lafferty 1999: Σ y log(1 + (1 - p₀) z / p₀ q), both directions, tables learned from the training
rows), each with a weight chosen on dev. Beside it the same sums over all pairs, which are what a combination of spaces
compares by. Test rows are scored once.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.spaces.base import SPARSE_TERMS
from babelspace.spaces.lexical.translation_tables import BagSettings, learn_both_ways, spelled_alike
from benchmarks.common import write
from benchmarks.measure.discriminative import Cosines, Rows, Trial, best, fitted, parts, row, translation, trial

NAME = "rerank"
CORPORA = ("comparable", "mdn", "wikipedia")
TERMS, CANDIDATES = 10_000, 50
NULLS = (0.1, 0.5, 0.9)
WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
FAST, WORDS, PROBABLE = "opca", "translation", "word pairs"
# What is rescored by, over all pairs and over candidates alone.
SUMS = ((FAST, WORDS), (FAST, PROBABLE), (FAST, WORDS, PROBABLE))


def shares(documents: Any) -> Any:
    """Rows that sum to one."""
    sums = np.asarray(documents.sum(axis=1)).ravel()
    return sp.csr_array(sp.diags_array(1 / np.where(sums > 0, sums, 1)) @ documents)


def surprise(source: Any, target: Any, table: Any, frequencies: NDArray[np.float64], null: float) -> Cosines:
    """How much more probable the words of each target are by each source than by chance, the mean over its words."""
    explained = (shares(source) @ table).toarray()
    explained *= (1 - null) / null / np.maximum(frequencies, 1e-9)
    return np.asarray((shares(target) @ np.log1p(explained).T).T, np.float32)


def word_pairs(views: list[Views]) -> Trial:
    """The mean of both directions on dev and test, with the best share of words that translate none."""
    train, (one, other) = views[0], views[0].languages
    tables = learn_both_ways(
        train[one], train[other], spelled_alike(train, one, other), BagSettings(50, 5, NULLS[1], 5.0)
    )
    q = {name: np.asarray(train[name].sum(axis=0)).ravel() / train[name].sum() for name in train.languages}

    def scores(part: Views, null: float) -> Cosines:
        there = surprise(part[one], part[other], tables[0], q[other], null)
        return there + surprise(part[other], part[one], tables[1], q[one], null).T

    return best(Trial(scores(views[1], null), scores(views[2], null), {"p0": null}) for null in NULLS)


def candidates(table: Cosines) -> NDArray[np.bool_]:
    """The best of each row and of each column."""
    kept = np.zeros(table.shape, bool)
    places = np.arange(len(table))[:, None]
    kept[places, np.argsort(-table, axis=1)[:, :CANDIDATES]] = True
    kept[np.argsort(-table, axis=0)[:CANDIDATES].T, places] = True
    return kept


def only(table: Cosines, kept: NDArray[np.bool_]) -> Cosines:
    """All others behind the last candidate."""
    return np.where(kept, table, np.float32(table.min() - 1))


def summed(found: dict[str, Trial], names: Sequence[str], rescored: bool) -> Trial:
    """The sum of some evidence with the weights that dev says, over all pairs or over candidates alone."""
    scaled = [(found[name].dev / (spread := found[name].dev.std()), found[name].test / spread) for name in names]
    masks = [candidates(part) for part in (found[FAST].dev, found[FAST].test)]
    tried = []
    for weights in product((1.0,), *[WEIGHTS] * (len(names) - 1)):
        tables = [
            np.asarray(sum(weight * one[part] for weight, one in zip(weights, scaled, strict=True)), np.float32)
            for part in (0, 1)
        ]
        if rescored:
            tables = [only(table, kept) for table, kept in zip(tables, masks, strict=True)]
        tried.append(Trial(tables[0], tables[1], {"weights": ":".join(f"{weight:g}" for weight in weights)}))
    return best(tried)


def measured(name: str, data: Path) -> dict[str, Any]:
    corpora = parts(name, data, 1)
    linked = np.array([id.startswith("dict:") for id in corpora[2].ids])
    sparse = Rows.of(corpora, SPARSE_TERMS)
    found = {WORDS: translation(sparse), PROBABLE: word_pairs(sparse.words)}
    words = Rows.of(corpora, TERMS).words
    space, seconds = fitted("opca", words[0], n_components=300, gamma=1.0)
    found[FAST] = trial(space, words, seconds=seconds)
    reached = [float(np.diag(candidates(part)).mean()) for part in (found[FAST].dev, found[FAST].test)]
    for rescored, names in product((False, True), SUMS):
        found[" + ".join(names) + (", candidates" if rescored else "")] = summed(found, names, rescored)
    combined = {f"{FAST} + {WORDS}": found[f"{FAST} + {WORDS}"].hits()}
    told = {kind: row(one, linked, combined if " + " in kind else {}) for kind, one in found.items()}
    print(name, {kind: (round(one["top1"], 4), one.get("top1_dict")) for kind, one in told.items()}, flush=True)
    sizes = dict(zip(("train", "dev", "test"), map(len, corpora), strict=True))
    return {"sizes": sizes, "mates_among_candidates": reached, "rows": told}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpus", choices=CORPORA, action="append")
    options = parser.parse_args()
    write(NAME, {"corpora": {name: measured(name, options.data) for name in options.corpus or CORPORA}})


if __name__ == "__main__":
    main()
