"""Runs behind the claims of the five papers: one number for each query and method, so that methods can be paired.

`python -m benchmarks.papers.experiments --data DATA [NAME …]` keeps them in benchmarks/results/papers/claims/; the
table of claims (`claims.py`) is made from these files. Numbers of retrieval are ranks of the mate, others are scores of
one sentence, higher being better.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import RESULTS, comparison, write

FOLDER = RESULTS / "papers" / "claims"
WORK = "PAPERS_WORK"
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Runs:
    """Numbers of each method, query by query; `groups` are parts of the queries that are told apart."""

    numbers: Mapping[str, Sequence[float]]
    groups: Mapping[str, Sequence[bool]]
    about: Mapping[str, Any]


@dataclass(frozen=True)
class Experiment:
    """What is compared, as the page tells it, and how it is run."""

    corpus: str
    work: Callable[[Path], Runs]


def retrieval(arguments: str, group: str = "") -> Callable[[Path], Runs]:
    """Ranks of every row of a `babelspace compare`; queries whose id begins with `group` are told apart, too."""

    def work(data: Path) -> Runs:
        with tempfile.TemporaryDirectory() as folder:
            # What is finished is kept between runs where a folder is given.
            kept_in = Path(os.environ.get(WORK, folder))
            journal = kept_in / f"{hashlib.sha256(arguments.encode()).hexdigest()[:12]}.jsonl"
            told = comparison(f"{arguments} --queries 0", data, "--resume", str(journal))
            kept = [json.loads(line)["result"] for line in journal.read_text(encoding="utf-8").splitlines()]
        found = {row["space"]: row["ranks"] for row in kept if "ranks" in row}
        numbers = {space: np.concatenate(list(ranks.values())).tolist() for space, ranks in found.items()}
        chosen = {row["space"]: {"dimension": row["dimension"], **row["parameters"]} for row in told["rows"]}
        seconds = {row["space"]: round(row["seconds"]["cpu"], 1) for row in told["rows"]}
        rows = told["corpus"]["rows"]
        groups = {group.rstrip(":"): grouped(arguments, data, group, rows["test"])} if group else {}
        about = {"command": f"babelspace compare {arguments}", "rows": rows, "chosen": chosen, "cpu_seconds": seconds}
        return Runs(numbers, groups, about)

    return work


def grouped(arguments: str, data: Path, beginning: str, size: int) -> list[bool]:
    """Which test queries have an id that begins so, for both directions."""
    from babelspace import read_corpus

    words = arguments.split()
    shares = [float(share) for share in words[words.index("--split") + 1].split(",")]
    corpus = read_corpus(words[0].replace("DATA", str(data))).aligned()
    corpus = corpus.select(sorted(range(len(corpus)), key=corpus.ids.__getitem__))
    inside = [id.startswith(beginning) for id in corpus.split(*shares).test.ids]
    assert len(inside) == size
    return inside * 2


def hansard(data: Path) -> Runs:
    """Kernel CCA and CL-LSI at 100 dimensions and at all: mates, and queries of five words; two random splits."""
    from babelspace import CLLSI, KernelCCA, ViewsVectorizer, read_corpus
    from babelspace.evaluation.pseudo_queries import query_ranks, query_vectors
    from babelspace.vectors.mates import mate_ranks
    from benchmarks.measure.hansard_kcca import WEIGHTS, chunks, kappa_of

    corpus = read_corpus(data / "hansard36", languages=["en", "fr"]).aligned()
    numbers: dict[str, list[float]] = {}
    for train, test in chunks(corpus, "long", 2):
        vectorizer = ViewsVectorizer(**WEIGHTS)
        learn, told = vectorizer.fit_transform(train), vectorizer.transform(test)
        asked = query_vectors(vectorizer, test)["en"]
        debates = np.array([id.rpartition("-")[0] for id in test.ids])
        full = len(train) - 1
        spaces = {
            "CL-KCCA": KernelCCA(full, kappa=kappa_of(learn), center=False),
            "CL-LSI": CLLSI(full),
        }
        for name, space in spaces.items():
            vectors, queries = space.fit(learn).transform(told), space.transform(asked, "en")
            for d in (100, 400, full):
                en, fr = vectors["en"][:, :d], vectors["fr"][:, :d]
                ranks = query_ranks({"en": queries[:, :d]}, {"en": en, "fr": fr}, told.present)
                apart = ranks_elsewhere(queries[:, :d], fr, debates)
                found = {"mates": mate_ranks(en, fr), **ranks, "en->fr among other debates": apart}
                for way, values in found.items():
                    numbers.setdefault(f"{name}, {way}, d = {d if d < full else 'full'}", []).extend(values.tolist())
    return Runs(numbers, {}, {"rows": {"train": 910, "test": 917}, "splits": 2})


def ranks_elsewhere(queries: Any, documents: Any, debates: NDArray[Any]) -> NDArray[np.int64]:
    """The rank of each query's mate among documents of other debates: a debate speaks of few things."""
    lengths = [np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12) for matrix in (queries, documents)]
    scores = (queries / lengths[0]) @ (documents / lengths[1]).T
    others = debates[:, None] != debates[None]
    return 1 + np.sum((scores >= scores.diagonal()[:, None]) & others, axis=1)


def topics(part: str, sweeps: int = 100, further: int = 20) -> Callable[[Path], Runs]:
    """Multilingual LDA, standard and approximate, by Gibbs sampling: ranks of mates in all directions, one seed."""

    def work(data: Path) -> Runs:
        import time

        from babelspace import MLDA
        from babelspace.vectors.mates import mate_ranks
        from benchmarks.measure.topic_training import PARTS, views_of

        chosen = PARTS[part]
        train, test = views_of(chosen, data)
        numbers, seconds = {}, {}
        for training in ("standard", "approximate"):
            space = MLDA(
                chosen.topics, sweeps=sweeps, training=training, pivot="en", further_sweeps=further, random_state=0
            )
            started = time.process_time()
            vectors = space.fit(train).transform(test)
            seconds[training] = round(time.process_time() - started, 1)
            pairs = permutations(test.languages, 2)
            ranks = [mate_ranks(vectors[one], vectors[two], similarity="euclidean") for one, two in pairs]
            numbers[training] = np.concatenate(ranks).tolist()
        tokens = {name: float(matrix.sum() / len(train)) for name, matrix in train.items()}
        about = {"rows": {"train": len(train), "test": len(test)}, "tokens": tokens, "cpu_seconds": seconds}
        return Runs(numbers, {}, {**about, "sweeps": sweeps, "further_sweeps": further, "topics": chosen.topics})

    return work


def cepts(folder: str, gold: str) -> Callable[[Path], Runs]:
    """Of each sentence: 1 - AER, and the share of words with a link, to NULL also, by every method of the paper."""

    def work(data: Path) -> Runs:
        from babelspace.alignment.formats import read_links
        from babelspace.alignment.scores import score
        from benchmarks.measure.cepts import methods
        from benchmarks.papers.shared_task import ROWS, described, trained

        place = data / "alignment" / folder
        aligner, bitext = trained(place, gold)
        known = read_links(place / described(place, gold)["gold"], base=0).links
        lengths = bitext.source.lengths, bitext.target.lengths
        ways = methods(aligner, bitext)
        numbers: dict[str, list[float]] = {}
        for name, ours in ROWS.items():
            links = ways[ours]()
            for line in range(len(known)):
                one, true = links.sentences(line, line + 1), known.sentences(line, line + 1)
                own = [side[line : line + 1] for side in lengths]
                numbers.setdefault(f"{name}, AER", []).append(1 - score(one, true).aer)
                null = score(one, true, null=True, sources=own[0], targets=own[1])
                numbers.setdefault(f"{name}, AER with NULL", []).append(1 - null.aer)
                numbers.setdefault(f"{name}, covered words", []).append(float(one.coverage(*own)))
        return Runs(numbers, {}, {"sentences": len(known), "aligner": aligner.name})

    return work


WIKIPEDIA = (
    "DATA/wikipedia-en-pl --head 300 --split .75,.125,.125 --max-terms 20000 --dims 300,600 --spaces untranslated,"
    "cl-lsi,cca,opca,esa,oneta,translation,translation-lsa,oneta+translation --grid opca.gamma=.3,1 "
    "--grid cca.gamma=3,10 --grid oneta.ridge=1 --grid esa.prune=none --grid translation.null=.3,.8 "
    "--grid translation.copy=5 --grid translation-lsa.null=.8 --grid translation-lsa.copy=5"
)
TOPIC_MODELS = (
    "DATA/wikipedia-en-pl --head 300 --split .75,.125,.125 --max-train 2000 --max-terms 8000 --no-refit --dims 200 "
    "--spaces untranslated,cl-lsi,opca,jplsa,cplsa,mlda --grid opca.gamma=1"
)
FEW = (
    "--max-train 500 --no-refit --max-terms 0 --weighting tf --dims 100 --spaces esa,cl-lsi,mlda,translation,oneta,"
    "oneta+translation --grid oneta.ridge=0 --grid esa.prune=none --grid mlda.alpha=.2 --grid mlda.sweeps=60 "
    "--grid translation.null=.3 --grid translation.copy=5"
)
EXPERIMENTS = {
    "europarl": Experiment(
        "Europarl speeches, first 25 words (en–es)",
        retrieval(
            "DATA/europarl-en-es --head 25 --no-refit --dims 300 --spaces cl-lsi,cca,opca,translation "
            "--grid opca.gamma=.1 --grid cca.gamma=10 --grid translation.null=.1 --grid translation.copy=5"
        ),
    ),
    "europarl-few": Experiment(
        "Europarl speeches, first 60 words, 1,500 pairs (en–es)",
        retrieval(
            "DATA/europarl-en-es/dev --head 60 --max-train 1500 --max-terms 4000 --no-refit --dims 200 "
            "--spaces cl-lsi,cca,opca,jplsa,cplsa,translation --grid opca.gamma=.3 --grid cca.gamma=10 "
            "--grid translation.null=.3 --grid translation.copy=5"
        ),
    ),
    "wikipedia": Experiment("Wikipedia, first 300 words (en–pl)", retrieval(WIKIPEDIA, "dict:")),
    "wikipedia-topics": Experiment("Wikipedia, first 300 words, 2,000 pairs (en–pl)", retrieval(TOPIC_MODELS, "dict:")),
    "unesco": Experiment(
        "World Heritage descriptions, 500 background documents (en–fr)",
        retrieval(f"DATA/unesco-whc --languages en,fr --split .6,.1,.3 {FEW}"),
    ),
    "bible": Experiment(
        "chapters of the Bible, 500 background documents (en–es)",
        retrieval(f"DATA/bible-chapters --languages en,es --split .5,.1,.4 {FEW}"),
    ),
    "hansard": Experiment("Hansard, documents of about 1,000 words (en–fr)", hansard),
    "lda-short": Experiment("Europarl speeches of about 60 tokens (en–de)", topics("short")),
    "lda-long": Experiment("Europarl speeches of about 300 tokens (en–es)", topics("long")),
    "lda-pages": Experiment("MDN pages of about 200 tokens (en–zh)", topics("zh")),
    "cepts": Experiment("37 trial sentences (en–fr)", cepts("hansard-en-fr-50k", "wpt03_enfr_trial37")),
    "cepts-ro": Experiment("248 sentences (en–ro)", cepts("en-ro", "wpt03_roen_test248")),
}


def keep(name: str, runs: Runs) -> None:
    """One line of numbers for each method."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    result = {
        **runs.about,
        "groups": {group: "".join("1" if inside else "0" for inside in mask) for group, mask in runs.groups.items()},
        "numbers": {row: " ".join(f"{number:.6g}" for number in values) for row, values in runs.numbers.items()},
    }
    write(f"papers/claims/{name}", result)


def stored(name: str) -> dict[str, Any] | None:
    """What was kept of an experiment."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def numbers_of(result: Mapping[str, Any], row: str, group: str = "") -> Numbers:
    """The numbers of a method, of all queries or of a group."""
    values = np.array(result["numbers"][row].split(), np.float64)
    return values[np.array([inside == "1" for inside in result["groups"][group]])] if group else values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of corpora")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(EXPERIMENTS)}")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="keep finished rows there, and go on from them")
    options = parser.parse_intermixed_args()
    if options.work:
        os.environ[WORK] = str(options.work.resolve())
    unknown = set(options.names) - set(EXPERIMENTS)
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(EXPERIMENTS)}")
    for name in options.names or EXPERIMENTS:
        print(f"== {name}", flush=True)
        keep(name, EXPERIMENTS[name].work(options.data))


if __name__ == "__main__":
    main()
