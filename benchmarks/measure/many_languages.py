"""One Cr5 space over all languages of NTREX-128: which pairs of languages find each other how well?

Whole news documents are held out (an eighth for γ and the number of dimensions, an eighth for the figures). Each
language has terms, weights and columns of its own. Beside it Cr5 and OPCA of two languages alone, on a sample of pairs.
"""

from __future__ import annotations

import argparse
import resource
import time
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus, position, read_corpus
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import OPCA, Cr5, Space
from babelspace.vectors.mates import mate_ranks
from benchmarks.common import write

NAME = "many_languages"
TUNED_ON = ("eng", "deu", "spa", "swa", "zho", "fin")
DIMENSIONS = (100, 300, 600)
SAMPLE = 6


def parts(corpus: AlignedCorpus) -> list[NDArray[np.bool_]]:
    """Rows to learn from, to tune on and to test on, by whole documents."""
    place = np.array([position(id.split(":")[0]) for id in corpus.ids])
    return [place >= 0.25, (place >= 0.125) & (place < 0.25), place < 0.125]


def directions(space: Space, views: Views, languages: list[str]) -> dict[tuple[str, str], float]:
    """Top-1 from each language to each other one."""
    vectors = {name: space.transform(views[name], name) for name in languages}
    return {
        (one, other): float(np.mean(mate_ranks(vectors[one], vectors[other]) == 1))
        for one, other in permutations(languages, 2)
    }


def mean(found: dict[tuple[str, str], float]) -> float:
    return float(np.mean(list(found.values())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--terms", type=int, default=5000)
    parser.add_argument("--languages", type=int, default=128, help="the first so many")
    options = parser.parse_args()
    corpus = read_corpus(options.data / "ntrex-128")
    corpus = corpus.select(range(len(corpus)), list(corpus.languages)[: options.languages])
    train, dev, test = parts(corpus)
    started = time.process_time(), time.perf_counter()
    vectorizer = ViewsVectorizer(vocabulary="separate", max_terms=options.terms, drop_top=20)
    views = vectorizer.fit(corpus.select(train)).transform(corpus)
    read = time.process_time() - started[0]
    few = [name for name in corpus.languages if name.split("-")[0] in TUNED_ON][:6] or list(corpus.languages[:6])
    scores = {}
    for gamma in (0.3, 1.0, 3.0, 10.0):
        wide = Cr5(max(DIMENSIONS), gamma=gamma).fit(views.only(few)[train])
        for dimension in DIMENSIONS:
            scores[gamma, dimension] = mean(directions(wide.truncated(dimension), views.only(few)[dev], few))
    gamma, dimension = max(scores, key=lambda setting: scores[setting])
    print("dev", few, scores, flush=True)
    before = time.process_time(), time.perf_counter()
    space = Cr5(dimension, gamma=gamma).fit(views[train])
    seconds = {"processor": time.process_time() - before[0], "clock": time.perf_counter() - before[1], "reading": read}
    found = directions(space, views[test], list(corpus.languages))
    report: dict[str, Any] = {
        "sizes": {"languages": len(corpus.languages), "train": int(train.sum()), "test": int(test.sum())},
        "dev": {f"γ {g}, {d} dimensions": score for (g, d), score in scores.items()},
        "gamma": gamma,
        "dimensions": dimension,
        "seconds": seconds,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "mean_top1": mean(found),
        "by_language": {
            name: float(np.mean([score for pair, score in found.items() if name in pair])) for name in corpus.languages
        },
    }
    write(NAME, report)
    write(NAME, report | {"pairs": sampled(views, train, test, found, gamma)})


def sampled(
    views: Views, train: NDArray[np.bool_], test: NDArray[np.bool_], found: dict[tuple[str, str], float], gamma: float
) -> list[dict[str, Any]]:
    """The joint space beside spaces of two languages alone."""
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(SAMPLE):
        pair = [str(name) for name in rng.choice(views.languages, 2, replace=False)]
        two = views.only(pair)
        alone = {"cr5": Cr5(300, gamma=gamma), "opca": OPCA(300, gamma=gamma)}
        told = {name: mean(directions(space.fit(two[train]), two[test], pair)) for name, space in alone.items()}
        rows.append({"pair": pair, "joint": (found[pair[0], pair[1]] + found[pair[1], pair[0]]) / 2, **told})
        print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    main()
