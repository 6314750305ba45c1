"""Does much text of each language alone help where pairs are few?

The first 25 words of Europarl speeches: few pairs, and of all others one half in English alone and one half in Spanish
alone. What the texts of one language can give: vocabulary and weights; rows with one language for OPCA; word vectors by
SVD of co-occurrence (200 dimensions), either as the only directions that a space may use (CCA in the span of each
language's own) or as neighbours that every word of a text brings with it. Ridges, shares of unknown words, shares of
neighbours and corrections are chosen on dev.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.significance import bootstrap_test, interval
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import Space, make
from babelspace.spaces.linear.cl_lsi import truncated_svd
from babelspace.vectors.neighbours import nearest
from babelspace.vectors.similarity import prepare
from benchmarks.common import write
from benchmarks.measure.discriminative import Trial, best, parts, trial

NAME = "monolingual"
PAIRS, TERMS, DIMENSIONS = (300, 1000), 5000, 200
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "opca": [{"gamma": gamma} for gamma in (0.1, 0.3, 1.0, 3.0)],
    "translation": [{"null": null} for null in (0.1, 0.6)],
}
BASIS_RIDGES = (0.03, 0.3, 3.0)
NEIGHBOURS, BESIDE = 10, (0.2, 0.5)
Basis = Mapping[str, tuple[Any, Any]]


def mixed(corpus: AlignedCorpus, pairs: Any, rest: Any) -> AlignedCorpus:
    """The pairs, and of the other rows one half in each language alone."""
    texts = {name: list(corpus.texts(name)) for name in corpus.languages}
    for name, rows in zip(corpus.languages, np.array_split(rest, 2), strict=True):
        for row in rows:
            texts[name][row] = None
    return AlignedCorpus(corpus.ids, texts)


def bases(views: Views) -> Basis:
    """Singular values and word vectors of each language's own texts."""
    return {
        name: truncated_svd(matrix[views.present[name]], DIMENSIONS, np.random.default_rng(0), 0.2)
        for name, matrix in views.items()
    }


def in_basis(views: Views, basis: Basis) -> Views:
    """Documents in the directions of their own language, side by side, so that languages share none."""
    names = list(views.languages)
    blocks = {
        name: [matrix @ basis[other][1] if other == name else np.zeros((len(views), DIMENSIONS)) for other in names]
        for name, matrix in views.items()
    }
    return Views({name: sp.csr_array(np.hstack(found).astype(np.float32)) for name, found in blocks.items()})


def with_neighbours(views: Views, basis: Basis, share: float) -> Views:
    """Every word brings the words with it that are found in the same texts."""
    found = {}
    for name, matrix in views.items():
        values, vectors = basis[name]
        words = prepare(np.ascontiguousarray((vectors * np.sqrt(values)).astype(np.float32)))
        near = nearest(words, words, NEIGHBOURS + 1)
        rows = np.repeat(np.arange(len(words)), near.indices.shape[1])
        columns, scores = near.indices.ravel(), np.maximum(near.scores.ravel(), 0) ** 2
        kept = (columns >= 0) & (columns != rows) & words.valid[rows]
        table = sp.csr_array((scores[kept], (rows[kept], columns[kept])), shape=(len(words), len(words)))
        sums = np.maximum(np.asarray(table.sum(axis=1)).ravel(), 1e-9)
        found[name] = sp.csr_array(matrix + share * (matrix @ sp.csr_array(sp.diags_array(1 / sums) @ table)))
    return Views(found, views.present, views.words)


def tried(name: str, train: Views, views: list[Views]) -> Trial:
    """The space with every setting, the best on dev."""
    size = {"n_components": min(DIMENSIONS, len(train) - 2)} if name == "opca" else {}
    return best(trial(make(name, **size, **setting).fit(train), views, **setting) for setting in SETTINGS[name])


def measured(data: Path, count: int) -> dict[str, Any]:
    train, dev, test = parts("europarl-25", data, 2)
    dev, test = dev.select(range(600)), test.select(range(1000))
    order = np.random.default_rng(0).permutation(len(train))
    pairs, everything = train.select(np.sort(order[:count])), mixed(train, order[:count], order[count:])
    usual = ViewsVectorizer(max_terms=TERMS).fit(pairs)
    own = ViewsVectorizer(drop_top=0, min_count=1, max_terms=TERMS).fit(pairs)
    known = ViewsVectorizer(drop_top=0, max_terms=TERMS).fit(everything)
    plain = [usual.transform(corpus) for corpus in (pairs, dev, test)]
    alone = [own.transform(corpus) for corpus in (pairs, dev, test)]
    views = [known.transform(corpus) for corpus in (pairs, dev, test)]
    whole = known.transform(everything)
    basis = bases(whole)
    found: dict[str, Trial] = {}
    for name in SETTINGS:
        found[f"{name}: pairs alone, usual vocabulary"] = tried(name, plain[0], plain)
        found[f"{name}: pairs alone"] = tried(name, alone[0], alone)
        found[f"{name}: vocabulary and weights of all"] = tried(name, views[0], views)
        beside = [[with_neighbours(part, basis, share) for part in views] for share in BESIDE]
        found[f"{name}: and neighbours of words"] = best(
            tried(name, near[0] if name == "opca" else views[0], near) for near in beside
        )
    found["opca: and rows with one language"] = tried("opca", whole, views)
    spanned = [in_basis(part, basis) for part in views]
    spaces: list[Space] = [make("cca", n_components=DIMENSIONS, gamma=gamma).fit(spanned[0]) for gamma in BASIS_RIDGES]
    found["cca: in the span of word vectors"] = best(trial(space, spanned) for space in spaces)
    told: dict[str, dict[str, Any]] = {}
    for key, one in found.items():
        hits = one.hits()
        rival = f"{key.split(':')[0]}: pairs alone"
        p = float(bootstrap_test(hits, found[rival].hits())) if rival in found and rival != key else None
        told[key] = {"top1": [float(hits.mean()), *map(float, interval(hits))], "dev": one.tuned()[0], "p": p}
        print(count, key, told[key], flush=True)
    sizes = {"pairs": count, "alone": (len(train) - count) // 2, "test": len(test), "dev": len(dev)}
    return {"sizes": sizes, "rows": told}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    write(NAME, {"by_pairs": {str(count): measured(options.data, count) for count in PAIRS}})


if __name__ == "__main__":
    main()
