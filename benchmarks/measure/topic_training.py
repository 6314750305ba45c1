"""Approximate training of multilingual LDA: what does it save, what does it cost, from what document length on?

The matching task of the thesis on approximate training: documents of one language look for their mates by the Euclidean
distance of topic distributions; the neighbour gap is the mean number of documents before the mate (0 is perfect), over
all directions. For each part Gibbs sampling and variational inference, standard and approximate, the latter after
growing numbers of sweeps over the further languages, Gibbs with and without Greedy Initialisation, and with Gibbs
sweeps over all languages together after them; α = 50 / K and η = 0.1 as in the thesis, Gibbs as means over seeds.
Seconds are of the processor, on one core.

- `short`: `europarl-7`, English and German, speeches cut to about 60 tokens, the length of De-News;
- `tripled`: the same, each document three times over;
- `whole`: the whole speeches;
- `long`: `europarl-en-es`, English and Spanish, speeches of 400 words and more, which are 200 tokens;
- `zh`: `mdn`, English and Chinese;
- `five`: `europarl-7`, English, German, Spanish, French and Italian;
- `length`: no corpus: how far θ is from the truth when it is estimated from so many tokens (figure 13).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import MLDA, VariationalMLDA, Views, ViewsVectorizer, read_corpus
from babelspace.runtime.threads import limit
from babelspace.vectors.mates import mate_ranks
from benchmarks.common import OUT, PLOTS, write
from benchmarks.report.topic_plots import draw_length, draw_training

NAME = "topic_training"
TOGETHER = (2, 5, 10, 20)
FURTHER = (1, 2, 3, 5, 10, 20)


@dataclass(frozen=True)
class Part:
    """A corpus, how it is cut, how many topics, and how long training takes."""

    corpus: str
    languages: tuple[str, ...]
    topics: int
    head: int | None = None
    least: int = 0
    times: int = 1
    seeds: int = 2
    sweeps: tuple[int, ...] = (100, 200, 500)
    steps: int = 70


ROWS = 4_000
PARTS = {
    "short": Part("europarl-7", ("en", "de"), 50, head=150, seeds=3),
    "tripled": Part("europarl-7", ("en", "de"), 50, head=150, times=3),
    "whole": Part("europarl-7", ("en", "de"), 50, steps=40),
    "long": Part("europarl-en-es/train", ("en", "es"), 50, least=400),
    "zh": Part("mdn", ("en", "zh"), 100, steps=40),
    "five": Part("europarl-7", ("en", "de", "es", "fr", "it"), 50, steps=40),
}


def views_of(part: Part, data: Path) -> tuple[Views, Views]:
    """Counts to learn from and to test."""
    corpus = read_corpus(data / part.corpus, languages=list(part.languages)).aligned()
    if part.least:
        texts = zip(*(corpus.texts(name) for name in part.languages), strict=True)
        enough = [row for row, own in enumerate(texts) if min(len(str(text).split()) for text in own) >= part.least]
        corpus = corpus.select(enough[:ROWS])
    split = (corpus if part.head is None else corpus.head(part.head)).split(train=0.875, dev=0, test=0.125)
    vectorizer = ViewsVectorizer(
        vocabulary="separate", drop_top=100, max_terms=None, min_count=5, weighting="tf", normalize=False
    )
    train, test = vectorizer.fit_transform(split.train), vectorizer.transform(split.test)
    return repeated(train, part.times), repeated(test, part.times)


def repeated(views: Views, times: int) -> Views:
    """Every document so many times over."""
    return Views({name: matrix * np.float32(times) for name, matrix in views.items()}, views.present)


def gap(space: Any, test: Views) -> float:
    """Mean number of documents that are nearer than the mate, over all directions."""
    vectors = space.transform(test)
    pairs = list(permutations(test.languages, 2))
    ranks = [mate_ranks(vectors[one], vectors[two], similarity="euclidean") for one, two in pairs]
    return float(np.mean(np.concatenate(ranks))) - 1


def run(space: Any, train: Views, test: Views) -> dict[str, float]:
    """One fit, from its checkpoint on: the seconds that this took, and the gap."""
    started = time.process_time()
    space.fit(train)
    seconds = time.process_time() - started
    return {"seconds": seconds, "gap": gap(space, test)}


def grown(make: Any, numbers: tuple[int, ...], train: Views, test: Views, folder: Path) -> list[dict[str, float]]:
    """Fits that go on from each other; seconds add up."""
    found: list[dict[str, float]] = []
    for number in numbers:
        step = run(make(number, str(folder)), train, test)
        before = found[-1]["seconds"] if found else 0.0
        found.append({"sweeps": number, "seconds": before + step["seconds"], "gap": step["gap"]})
    return found


def gibbs(part: Part, train: Views, test: Views, seed: int, place: Path) -> dict[str, Any]:
    """Standard, approximate with and without Greedy Initialisation."""
    common: dict[str, Any] = {"random_state": seed, "checkpoint_every": 10**6}
    last = part.sweeps[-1]

    def standard(sweeps: int, folder: str) -> MLDA:
        return MLDA(part.topics, sweeps=sweeps, checkpoint=folder, **common)

    def approximate(further: int, folder: str, greedy: bool, joint: int = 0) -> MLDA:
        return MLDA(
            part.topics,
            sweeps=last,
            training="approximate",
            pivot="en",
            further_sweeps=further,
            greedy=greedy,
            joint_sweeps=joint,
            checkpoint=folder,
            **common,
        )

    further = (*FURTHER, 50)
    return {
        "standard": grown(standard, part.sweeps, train, test, place / "standard"),
        "greedy": grown(lambda n, f: approximate(n, f, True), further, train, test, place / "greedy"),
        "anywhere": grown(lambda n, f: approximate(n, f, False), further, train, test, place / "anywhere"),
        "together": grown(lambda n, f: approximate(5, f, True, n), TOGETHER, train, test, place / "together"),
    }


def variational(part: Part, train: Views, test: Views, seed: int, place: Path) -> dict[str, Any]:
    """Standard and approximate."""

    def made(training: str, steps: int, further: int, folder: str) -> VariationalMLDA:
        return VariationalMLDA(
            part.topics,
            max_iter=steps,
            tol=0,
            training=training,
            pivot="en",
            further_iter=further,
            document_steps=5,
            checkpoint=folder,
            checkpoint_every=10**6,
            random_state=seed,
        )

    steps = (part.steps // 2, part.steps)
    return {
        "standard": grown(lambda n, f: made("standard", n, 1, f), steps, train, test, place / "standard"),
        "approximate": grown(
            lambda n, f: made("approximate", part.steps, n, f), FURTHER, train, test, place / "approximate"
        ),
    }


def averaged(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over seeds, and each seed's gaps."""
    found: dict[str, Any] = {}
    for name in runs[0]:
        rows = zip(*(one[name] for one in runs), strict=True)
        found[name] = [
            {
                "sweeps": same[0]["sweeps"],
                "seconds": float(np.mean([one["seconds"] for one in same])),
                "gap": float(np.mean([one["gap"] for one in same])),
                "gaps": [one["gap"] for one in same],
            }
            for same in rows
        ]
    return found


def measured(part: Part, data: Path) -> dict[str, Any]:
    """Everything about one part."""
    train, test = views_of(part, data)
    about = {
        "rows": len(train),
        "test": len(test),
        "topics": part.topics,
        "seeds": part.seeds,
        "sweeps": part.sweeps[-1],
        "steps": part.steps,
        "words": {name: int(np.unique(matrix.indices).size) for name, matrix in train.items()},
        "tokens_a_document": {name: float(matrix.sum() / len(train)) for name, matrix in train.items()},
    }
    print(about, flush=True)
    for kind in (MLDA(5, sweeps=2), VariationalMLDA(5, max_iter=2)):  # compile
        for training in ("standard", "approximate"):
            kind.set_params(training=training).fit(train[:50]).transform(test[:5])
    result = dict(about)
    with limit(1):
        for name, method in {"gibbs": gibbs, "variational": variational}.items():
            runs = []
            for seed in range(part.seeds if name == "gibbs" else 1):
                with tempfile.TemporaryDirectory() as place:
                    runs.append(method(part, train, test, seed, Path(place)))
                print(name, seed, {key: [round(row["gap"], 3) for row in rows] for key, rows in runs[-1].items()})
            result[name] = averaged(runs)
    return result


def length_study(trials: int = 50) -> dict[str, Any]:
    """Mean squared error of θ (eq. 54): truth uniform over K topics, N tokens drawn from it, α = 50 / K."""
    rng = np.random.default_rng(0)
    tokens = (30, 50, 75, 100, 125, 150, 175, 200, 300, 400, 500, 600, 700, 800)
    errors: dict[str, list[float]] = {}
    for topics in (50, 100, 200, 400):
        truth = np.full(topics, 1 / topics)
        errors[str(topics)] = [
            float(np.mean(((rng.multinomial(n, truth, trials) + 50 / topics) / (n + 50) - truth) ** 2)) for n in tokens
        ]
    return {"tokens": list(tokens), "errors": errors}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=(*PARTS, "length"), action="append", help="which; all by default")
    options = parser.parse_args()
    plots = PLOTS
    for name in options.part or (*PARTS, "length"):
        path = OUT / f"{NAME}.json"
        before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        found = length_study() if name == "length" else measured(PARTS[name], options.data)
        result = {**before, name: found}
        result.pop("about", None)
        write(NAME, result)
        if name == "length":
            draw_length(found, plots / "topic-length.svg")
        else:
            draw_training({part: result[part] for part in PARTS if part in result}, plots / "topic-training.svg")


if __name__ == "__main__":
    main()
