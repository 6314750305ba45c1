"""One Cr5 space over all languages of NTREX-128: which pairs of languages find each other how well?

Whole news documents are held out: an eighth for γ, dimensions and correction (chosen on ten languages), an eighth for
the figures. Each language has words, character n-grams, weights and columns of its own. Parts, each of which may be run
alone and is kept in the file beside the others: `setting` is chosen on dev, `joint` is the space and every direction,
`growth` time and memory of 25 and 100 of them, `extend` the last 28 languages added one by one to a space of the first
100, `pairs` the best model of two languages alone for a sample of 30 pairs, chosen on the same dev rows.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus, position, read_corpus
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import Cr5, Encoder, Space, make
from babelspace.spaces.extend import extend
from babelspace.vectors.hubness import Correction
from babelspace.vectors.mates import mate_ranks
from benchmarks.common import OUT, write
from benchmarks.programs import module

NAME = "many_languages"
TUNED_ON = ("eng", "deu", "spa", "swa", "zho-CN", "fin", "arb", "tha", "yor", "hin")
DIMENSIONS, RIDGES = (100, 300), (0.3, 1.0, 3.0)
CORRECTIONS: tuple[Correction, ...] = ("none", "csls")
TERMS, SAMPLE, KNOWN = 5000, 30, 100
GROWTH = (25, 100)
# Models of two languages: space, vocabulary, settings. Both features, as in the joint space.
ALONE: list[tuple[str, str, dict[str, Any]]] = [
    ("untranslated", "shared", {}),
    ("translation", "shared", {"null": 0.1}),
    ("cr5", "separate", {"n_components": 300, "gamma": 1.0}),
    ("opca", "shared", {"n_components": 300, "gamma": 0.3}),
    ("opca", "shared", {"n_components": 300, "gamma": 1.0}),
]
Found = dict[tuple[str, str], float]


def parts(corpus: AlignedCorpus) -> list[NDArray[np.bool_]]:
    """Rows to learn from, to tune on and to test on, by whole documents."""
    place = np.array([position(id.split(":")[0]) for id in corpus.ids])
    return [place >= 0.25, (place >= 0.125) & (place < 0.25), place < 0.125]


@cache
def languages_of(data: Path) -> tuple[str, ...]:
    return tuple(sorted(path.name.removesuffix(".jsonl.xz") for path in (data / "ntrex-128").glob("*.jsonl.xz")))


def read(data: Path, languages: Sequence[str]) -> AlignedCorpus:
    return read_corpus(data / "ntrex-128", languages=list(languages))


def vectorizer(vocabulary: str = "separate") -> ViewsVectorizer:
    return ViewsVectorizer(features="both", vocabulary=vocabulary, max_terms=TERMS, drop_top=20)


def directions(space: Space, views: Views, languages: Sequence[str], correction: Correction) -> Found:
    """Top-1 from each language to each other one."""
    vectors = {name: space.transform(views[name], name) for name in languages}
    return {
        (one, other): float(np.mean(mate_ranks(vectors[one], vectors[other], correction=correction) == 1))
        for one, other in permutations(languages, 2)
    }


def mean(found: Found) -> float:
    return float(np.mean(list(found.values())))


def chosen(data: Path, told: dict[str, Any]) -> dict[str, Any]:
    """γ, dimensions and correction that are best on the dev rows of ten languages."""
    corpus = read(data, TUNED_ON)
    train, dev, _ = parts(corpus)
    views = vectorizer().fit(corpus.select(train)).transform(corpus)
    scores = {}
    for gamma in RIDGES:
        wide = Cr5(max(DIMENSIONS), gamma=gamma).fit(views[train])
        for dimension in DIMENSIONS:
            for correction in CORRECTIONS:
                found = directions(wide.truncated(dimension), views[dev], TUNED_ON, correction)
                scores[gamma, dimension, correction] = mean(found)
    best = max(scores, key=lambda setting: scores[setting])
    tried = {f"γ {g:g}, {d} dimensions, {c}": score for (g, d, c), score in scores.items()}
    return {"dev": tried, "gamma": best[0], "dimensions": best[1], "correction": best[2]}


def fitted(data: Path, count: int, setting: dict[str, Any]) -> tuple[Encoder, AlignedCorpus, dict[str, float]]:
    """The space of the first so many languages, the corpus, and what it took."""
    started = time.process_time(), time.perf_counter()
    corpus = read(data, languages_of(data)[:count])
    train = corpus.select(parts(corpus)[0])
    features = vectorizer()
    views = features.fit_transform(train)
    counted = time.process_time() - started[0]
    space = Cr5(setting["dimensions"], gamma=setting["gamma"]).fit(views)
    took = {
        "reading and counting": counted,
        "processor": time.process_time() - started[0],
        "clock": time.perf_counter() - started[1],
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "texts": len(train) * len(train.languages),
        "columns": views.shape[1],
    }
    return Encoder.of_fitted(features, space, train), corpus, took


def joint(data: Path, told: dict[str, Any]) -> dict[str, Any]:
    """All languages in one space, and every direction on the test rows."""
    setting = told["setting"]
    encoder, corpus, took = fitted(data, len(languages_of(data)), setting)
    train, _, test = parts(corpus)
    names, correction = list(corpus.languages), setting["correction"]
    found = directions(encoder.space, encoder.vectorizer.transform(corpus.select(test)), names, correction)
    sizes = {"languages": len(names), "train": int(train.sum()), "test": int(test.sum())}
    table = [[round(found.get((one, other), 1.0), 3) for other in names] for one in names]
    return {"sizes": sizes, "took": took, "mean": mean(found), "names": names, "top1": table}


def growth(data: Path, told: dict[str, Any]) -> dict[str, Any]:
    """Time and memory of fits of more and more languages, each in a process of its own."""
    setting = json.dumps(told["setting"])
    rows = {}
    for count in GROWTH:
        command = module("measure.many_languages", "--data", str(data), "--fit", str(count), "--setting", setting)
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        rows[str(count)] = json.loads(done.stdout.splitlines()[-1])
        print(count, rows[str(count)], flush=True)
    return rows


def extended(data: Path, told: dict[str, Any]) -> dict[str, Any]:
    """Languages added one by one: whether old vectors stay, and how well new ones are found."""
    setting = told["setting"]
    before, _, _ = fitted(data, KNOWN, setting)
    names = languages_of(data)
    corpus = read(data, names)
    train, _, test = parts(corpus)
    rows, held = corpus.select(train), corpus.select(test)
    old = before.transform(held.select(range(len(held)), names[:KNOWN]))
    after, started = before, time.process_time()
    for name in names[KNOWN:]:
        after = extend(after, rows.select(range(len(rows)), ["eng", name]), gamma=setting["gamma"])
    seconds = time.process_time() - started
    now = after.transform(held)
    same = all(np.array_equal(vectors, now[name]) for name, vectors in old.items())
    together, place = told["joint"]["top1"], {name: at for at, name in enumerate(told["joint"]["names"])}
    figures = {}
    for name in names[KNOWN:]:
        vectors = now[name]
        both = [(vectors, old[other], (name, other)) for other in old] + [
            (old[other], vectors, (other, name)) for other in old
        ]
        hits = [np.mean(mate_ranks(a, b, correction=setting["correction"]) == 1) for a, b, _ in both]
        jointly = [together[place[one]][place[other]] for _, _, (one, other) in both]
        figures[name] = {"added": float(np.mean(hits)), "joint": float(np.mean(jointly))}
    return {"old_vectors_are_the_same": same, "seconds": seconds, "languages": figures}


def sampled(data: Path, told: dict[str, Any], size: int = SAMPLE) -> dict[str, Any]:
    """The best model of two languages alone on a sample of pairs, beside the joint space."""
    together, place = told["joint"]["top1"], {name: at for at, name in enumerate(told["joint"]["names"])}
    every = [pair for pair in combinations(languages_of(data), 2) if pair[0][:3] != pair[1][:3]]
    picked = np.random.default_rng(0).choice(len(every), SAMPLE, replace=False)
    rows = []
    for pair in [every[number] for number in picked.tolist()][:size]:
        one, other = (place[name] for name in pair)
        rows.append({"pair": pair, "joint": (together[one][other] + together[other][one]) / 2, **alone(data, pair)})
        print(rows[-1], flush=True)
    return {"rows": rows}


def alone(data: Path, pair: tuple[str, str]) -> dict[str, Any]:
    """Every model of two languages: on dev to choose, on test to tell."""
    corpus = read(data, pair)
    train, dev, test = parts(corpus)
    views = {name: vectorizer(name).fit(corpus.select(train)).transform(corpus) for name in ("shared", "separate")}
    tried = []
    for name, vocabulary, setting in ALONE:
        space = make(name, **setting).fit(views[vocabulary][train])
        for correction in CORRECTIONS:
            scores = [mean(directions(space, views[vocabulary][rows], pair, correction)) for rows in (dev, test)]
            tried.append((scores[0], scores[1], name))
    best = max(tried, key=lambda told: told[0])
    by_space = {
        name: max((told for told in tried if told[2] == name), key=lambda told: told[0])[1] for name, _, _ in ALONE
    }
    return {"best": best[1], "chosen": best[2], "by_space": by_space}


PARTS: dict[str, Callable[[Path, dict[str, Any]], dict[str, Any]]] = {
    "setting": chosen,
    "joint": joint,
    "growth": growth,
    "extend": extended,
    "pairs": sampled,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=list(PARTS), action="append")
    parser.add_argument("--fit", type=int, help="only fit so many languages, and print what it took")
    parser.add_argument("--setting", type=json.loads)
    parser.add_argument("--pairs", type=int, default=SAMPLE, help="so many of the sample of pairs")
    options = parser.parse_args()
    if options.fit:
        print(json.dumps(fitted(options.data, options.fit, options.setting)[2]))
        return
    path = OUT / f"{NAME}.json"
    for part in options.part or PARTS:
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        told = {name: known[name] for name in PARTS if name in known}
        run = partial(sampled, size=options.pairs) if part == "pairs" else PARTS[part]
        write(NAME, told | {part: run(options.data, told)})


if __name__ == "__main__":
    main()
