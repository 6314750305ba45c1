"""Kernel CCA and CL-LSI on the Hansard in the setting of Vinokourov, Shawe-Taylor & Cristianini (2003).

910 documents to learn from and 917 to test, English queries and French documents, averaged over chunks; plain counts
and cosine, no centring; the 150 most frequent words of each language stand for the paper's stop words and are left out
with those that occur fewer than three times. κ = 1.5 is in the paper's unit, of a kernel of raw counts, and documents
keep their length. Three parts, one after the other or alone:

- `long`: runs of `hansard36` joined to documents of about 1,000 words, the length of the paper's; there are few of
  these, so chunks are random splits of all of them;
- `short`: the runs as they are, 100 to 250 words; the training rows are cut into 14 chunks as in the paper;
- `whole`: all 12,738 short training documents at once.

Each part tells mate retrieval (Top-1, average precision at fixed recalls), pseudo queries of five words (Top-1 and
Top-10, English to French and to English), and what is left of Top-1 when the training pairs are random. `long` also
draws how κ is chosen.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import CLLSI, AlignedCorpus, KernelCCA, Views, ViewsVectorizer, read_corpus
from babelspace.evaluation.measures import average_precision_at_recalls, top
from babelspace.evaluation.pseudo_queries import query_ranks, query_vectors
from babelspace.runtime.threads import limit
from babelspace.vectors.mates import mate_ranks
from benchmarks.common import OUT, PLOTS, THREADS, write
from benchmarks.report.kappa_plot import plot_kappa

NAME = "hansard_kcca"
TRAIN, TEST, KAPPA = 910, 917, 1.5
DIMENSIONS = (100, 200, 300, 400)
WEIGHTS: dict[str, Any] = {
    "drop_top": 150,
    "min_count": 3,
    "max_terms": None,
    "vocabulary": "separate",
    "weighting": "tf",
    "normalize": False,
}
# In the paper's unit, wide enough for the largest gap.
KAPPAS = np.geomspace(0.03, 3e4, 25)
Chunk = tuple[AlignedCorpus, AlignedCorpus]


def kappa_of(views: Views) -> float:
    """The paper's κ where kernels have a mean diagonal of one: there it stands beside sums of squared counts."""
    squared = [float(matrix.multiply(matrix).sum()) / matrix.shape[0] for _, matrix in views.items()]
    return KAPPA / float(np.mean(squared))


def long_documents(corpus: AlignedCorpus, runs: int = 6) -> AlignedCorpus:
    """Consecutive runs of one debate joined to documents."""
    groups: dict[tuple[str, int], list[int]] = {}
    for row, name in enumerate(corpus.ids):
        debate, _, number = name.rpartition("-")
        groups.setdefault((debate, int(number) // runs), []).append(row)
    whole = {f"{debate}-{number}": rows for (debate, number), rows in groups.items() if len(rows) == runs}
    texts = {name: corpus.texts(name) for name in corpus.languages}
    joined = {
        name: ["\n".join(str(texts[name][row]) for row in rows) for rows in whole.values()] for name in corpus.languages
    }
    return AlignedCorpus(list(whole), joined)


def chunks(corpus: AlignedCorpus, part: str, count: int) -> Iterator[Chunk]:
    """Training and test corpora."""
    if part == "long":
        documents = long_documents(corpus)
        for seed in range(count):
            order = np.random.default_rng(seed).permutation(len(documents))
            yield documents.select(order[:TRAIN]), documents.select(order[TRAIN : TRAIN + TEST])
        return
    split = corpus.split(train=0.875, dev=0, test=0.125)
    train, test = split.train.select(slice(0, 12_738)), split.test.select(slice(0, TEST))
    if part == "whole":
        yield train, test
        return
    for rows in np.array_split(np.arange(len(train)), 14)[:count]:
        yield train.select(rows), test


def scores(space: Any, test: Views, queries: dict[str, Any], dimensions: list[int]) -> dict[str, dict[str, float]]:
    """All measures at each dimension; dimensions are nested, so documents are projected once."""
    documents = space.transform(test)
    asked = {"en": space.transform(queries["en"], "en")}
    found = {}
    for d in dimensions:
        en, fr = documents["en"][:, :d], documents["fr"][:, :d]
        ranks = query_ranks({"en": asked["en"][:, :d]}, {"en": en, "fr": fr}, test.present)
        found[str(d)] = {
            "top1": top(mate_ranks(en, fr), 1),
            "average_precision": average_precision_at_recalls(en, fr),
            **{f"queries {way} top{k}": top(value, k) for way, value in ranks.items() for k in (1, 10)},
        }
    return found


def one_chunk(train: AlignedCorpus, test: AlignedCorpus, part: str, seed: int) -> dict[str, Any]:
    """Both spaces, and kernel CCA on random pairs."""
    vectorizer = ViewsVectorizer(**WEIGHTS)
    learn, told = vectorizer.fit_transform(train), vectorizer.transform(test)
    queries = query_vectors(vectorizer, test)
    full = 400 if part == "whole" else len(train) - 1
    dimensions = sorted({*DIMENSIONS, full})
    order = np.random.default_rng(seed).permutation(len(learn))
    mixed = Views({"en": learn["en"], "fr": learn["fr"][order]})
    kappa = kappa_of(learn)
    contenders = {
        "cl-lsi": (CLLSI(full), learn),
        f"kernel-cca, κ = {KAPPA}": (KernelCCA(full, kappa=kappa, center=False), learn),
        "kernel-cca, random pairs": (KernelCCA(min(full, 400), kappa=kappa, center=False), mixed),
    }
    found: dict[str, Any] = {}
    for name, (space, rows) in contenders.items():
        with limit(THREADS):
            started = time.perf_counter()
            space.fit(rows)
            seconds = time.perf_counter() - started
        here = [d for d in dimensions if d <= space.n_components_]
        found[name] = {"seconds": seconds, "scores": scores(space, told, queries, here)}
        print(part, seed, name, f"{seconds:.1f} s", {d: round(s["top1"], 3) for d, s in found[name]["scores"].items()})
    found["unit"] = {"kappa": kappa}
    if part == "long" and seed == 0:
        unit = kappa / KAPPA
        curve = KernelCCA(center=False).kappa_curve(learn, kappas=KAPPAS * unit)
        curve = replace(curve, kappas=KAPPAS)
        plot_kappa(curve, PLOTS / "kappa.svg")
        found["kappa"] = {name: getattr(curve, name).tolist() for name in ("kappas", "paired", "repaired", "alone")}
        found["kappa"] |= {"best": curve.best, "best_in_our_unit": curve.best * unit}
    return found


def gathered(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Every measure chunk by chunk."""
    out: dict[str, Any] = {"chunks": len(runs), "spaces": {}}
    out["kappa_in_our_unit"] = float(np.mean([run["unit"]["kappa"] for run in runs]))
    for name in (name for name in runs[0] if name not in ("kappa", "unit")):
        rows: dict[Any, Any] = {"seconds": float(np.mean([run[name]["seconds"] for run in runs]))}
        common = set.intersection(*(set(run[name]["scores"]) for run in runs))
        for d in sorted(common, key=int):
            each = [run[name]["scores"][d] for run in runs]
            rows[d] = {key: [score[key] for score in each] for key in each[0]}
        out["spaces"][name] = rows
    if "kappa" in runs[0]:
        out["kappa"] = runs[0]["kappa"]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=["long", "short", "whole"], action="append")
    parser.add_argument("--chunks", type=int, default=5, help="of long and short; the paper had 14")
    options = parser.parse_args()
    corpus = read_corpus(options.data / "hansard36", languages=["en", "fr"]).aligned()
    path = OUT / f"{NAME}.json"
    for part in options.part or ["long", "short", "whole"]:
        runs = [one_chunk(*pair, part, seed) for seed, pair in enumerate(chunks(corpus, part, options.chunks))]
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        known.pop("about", None)
        write(NAME, {**known, part: gathered(runs)})


if __name__ == "__main__":
    main()
