"""S2Net and Cr5 beside OPCA, CCA, CL-LSI, word-by-word translation and untranslated words, at few dimensions.

Ridges are chosen on dev at each number of dimensions (S2Net takes that of its start), and so are the weights of a
combination with translation; the test rows are scored once, with what was learned from the training rows alone. Seconds
are of the processor. Earlier runs of other corpora and dimensions stay in the file.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus, read_corpus
from babelspace.evaluation.significance import bootstrap_test, interval
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import Combine, Space, make
from babelspace.vectors.mates import direction_ranks
from benchmarks.common import OUT, write

NAME = "discriminative"
RIDGES = {
    "cl-lsi": (None,),
    "cca": (1.0, 3.0, 10.0, 30.0),
    "opca": (0.03, 0.1, 0.3, 1.0, 3.0),
    "cr5": (0.1, 0.3, 1.0, 3.0, 10.0),
}
RATIOS = ("1:0", "3:1", "2:1", "1:1", "1:2", "1:3", "0:1")
# Folder, languages, words of each text that are read.
CORPORA: dict[str, tuple[str, str, int | None]] = {
    "mdn": ("mdn", "en,es", None),
    "europarl-25": ("europarl-en-es", "en,es", 25),
    "wikipedia": ("wikipedia-en-pl", "en,pl", 300),
    "comparable": ("europarl-comparable", "en,es", None),
}


def parts(name: str, data: Path, every: int, first: int = 0) -> list[AlignedCorpus]:
    """Training, dev and test rows; with `every` above 1 only one row in so many, from `first` on."""
    folder, languages, words = CORPORA[name]
    path = data / folder
    if (path / "train").is_dir():
        corpora = [read_corpus(path / part, languages=languages.split(",")) for part in ("train", "dev", "test")]
    else:
        split = read_corpus(path, languages=languages.split(",")).aligned().split(train=0.75, dev=0.125, test=0.125)
        corpora = [split.train, split.dev, split.test]
    corpora = [corpus.head(words) if words else corpus for corpus in corpora]
    return [corpus.select(slice(first, None, every)) for corpus in corpora]


def found(space: Space, views: Views) -> NDArray[np.float64]:
    """For each row the share of the two directions in which its mate is first."""
    ranks = direction_ranks(space.transform(views), views.present).values()
    return np.mean([directed == 1 for directed in ranks], axis=0)


def fitted(name: str, train: Views, **parameters: Any) -> tuple[Any, float]:
    """A fitted space and the seconds of the processor."""
    started = time.process_time()
    space = make(name, **{key: value for key, value in parameters.items() if value is not None}).fit(train)
    return space, time.process_time() - started


def row(hits: NDArray[np.float64], ids: list[str], **about: Any) -> dict[str, Any]:
    """Top-1 with its interval; on rows linked by a dictionary of titles apart where there are such."""
    low, high = interval(hits)
    linked = np.array([id.startswith("dict:") for id in ids])
    apart = {"top1_dict": float(hits[linked].mean())} if linked.any() else {}
    return {"top1": float(hits.mean()), "interval": [float(low), float(high)], **apart, **about}


def measured(name: str, data: Path, dims: list[int], terms: int, every: int, first: int) -> dict[str, Any]:
    """Every space at every number of dimensions on one corpus."""
    corpora = parts(name, data, every, first)
    vectorizer = ViewsVectorizer(max_terms=terms)
    train, dev, test = vectorizer.fit_transform(corpora[0]), *map(vectorizer.transform, corpora[1:])
    ids = list(corpora[2].ids)
    rows: dict[str, Any] = {}
    whole: dict[str, NDArray[np.float64]] = {}
    for plain in ("untranslated", "translation"):
        words, seconds = fitted(plain, train)
        whole[plain] = found(words, test)
        rows[plain] = row(whole[plain], ids, seconds=seconds)
    hits: dict[int, dict[str, NDArray[np.float64]]] = {dimension: {} for dimension in dims}
    ridges: dict[tuple[str, int], float | None] = {}
    for kind, tried in RIDGES.items():
        spaces = {gamma: fitted(kind, train, n_components=max(dims), gamma=gamma) for gamma in tried}
        for dimension in dims:
            cut = {gamma: space.truncated(dimension) for gamma, (space, _) in spaces.items()}
            best = max(cut, key=lambda gamma: float(found(cut[gamma], dev).mean()))
            hits[dimension][kind] = found(cut[best], test)
            about = {"gamma": best, "seconds": spaces[best][1]}
            rows[f"{kind} {dimension}"] = row(hits[dimension][kind], ids, **about)
            ridges[kind, dimension] = best
            if kind == "opca":
                rows[f"opca+translation {dimension}"] = combined(cut[best], words, dev, test, ids, whole["translation"])
        print(name, {key: round(told["top1"], 4) for key, told in rows.items() if key.startswith(kind)}, flush=True)
    for dimension in dims:
        space, seconds = fitted("s2net", train, n_components=dimension, gamma=ridges["opca", dimension])
        trained = found(space, test)
        about = {"gamma": ridges["opca", dimension], "seconds": seconds, "dev": float(found(space, dev).mean())}
        rows[f"s2net {dimension}"] = row(trained, ids, **about, **against_best(trained, hits[dimension]))
        told = combined(space, words, dev, test, ids, whole["translation"])
        rows[f"s2net+translation {dimension}"] = told
        print(name, dimension, rows[f"s2net {dimension}"], told, flush=True)
    widest = max(dims)
    own = {f"{kind}.gamma": ridges[kind, widest] for kind in ("cca", "opca")}
    both, seconds = fitted("cca+opca", train, n_components=widest, weights="learned", scale="unit", **own)
    together = found(both, test)
    weights = ":".join(f"{share:.2f}" for share in both.learned_**2)
    told = row(together, ids, weights=weights, seconds=seconds, **against_best(together, hits[widest]))
    rows[f"cca+opca {widest}"] = told
    sizes = {"train": len(train), "dev": len(dev), "test": len(test), "columns": train.shape[1]}
    return {"sizes": sizes, "every": every, "first": first, "rows": rows}


def combined(
    space: Space, words: Space, dev: Views, test: Views, ids: list[str], alone: NDArray[np.float64]
) -> dict[str, Any]:
    """A space and translated words, weighed as dev says; beside translated words alone."""
    both = Combine.of_fitted([space, words], scale="unit")
    scores = {ratio: float(found(both.set_params(weights=ratio), dev).mean()) for ratio in RATIOS}
    best = max(RATIOS, key=lambda ratio: scores[ratio])
    hits = found(both.set_params(weights=best), test)
    p = float(bootstrap_test(hits, alone)) if not np.array_equal(hits, alone) else 1.0
    return row(hits, ids, weights=best, dev=scores[best], against="translation", p=p)


def against_best(ours: NDArray[np.float64], others: Mapping[str, NDArray[np.float64]]) -> dict[str, Any]:
    """The best other space of as many dimensions, and how probable such a difference is by chance."""
    best = max(others, key=lambda name: float(others[name].mean()))
    return {"against": best, "p": float(bootstrap_test(ours, others[best]))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpus", choices=list(CORPORA), action="append")
    parser.add_argument("--dims", type=int, nargs="+", default=[50, 100, 300])
    parser.add_argument("--terms", type=int, default=10_000, help="words of each language")
    parser.add_argument("--every", type=int, default=1, help="one row in so many")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    options = parser.parse_args()
    path = OUT / f"{NAME}.json"
    told = json.loads(path.read_text(encoding="utf-8"))["corpora"] if path.is_file() else {}
    for name in options.corpus or CORPORA:
        found_now = measured(name, options.data, options.dims, options.terms, options.every, options.first)
        known = told.get(name, {"rows": {}})
        told[name] = {**found_now, "terms": options.terms, "rows": {**known["rows"], **found_now["rows"]}}
        write(NAME, {"corpora": told})


if __name__ == "__main__":
    main()
