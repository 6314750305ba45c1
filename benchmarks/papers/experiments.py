"""Runs behind the claims of the five papers: one number for each query and method, so that methods can be paired.

`python -m benchmarks.papers.experiments --data DATA [NAME …]` keeps them in benchmarks/results/papers/claims/; the
table of claims (`claims.py`) is made from these files. Numbers of retrieval are ranks of the mate, others are scores of
one sentence, higher being better.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import RESULTS, write
from benchmarks.papers.dictionaries import OtherText, dictionary
from benchmarks.papers.exhibit import identity, ranked
from benchmarks.papers.runs import (
    Numbers,
    Runs,
    cepts,
    hansard,
    iterations,
    l_solve,
    slices,
    stopped,
    topics,
    twelve_languages,
)

FOLDER = RESULTS / "papers" / "claims"
WORK = "PAPERS_WORK"


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
            told, ranks = ranked(f"{arguments} --queries 0", data, Path(os.environ.get(WORK, folder)))
        numbers = {label(row): ranks[identity(row)].tolist() for row in told["rows"]}
        chosen = {label(row): {"dimension": row["dimension"], **row["parameters"]} for row in told["rows"]}
        seconds = {label(row): round(row["seconds"]["cpu"], 1) for row in told["rows"]}
        rows = told["corpus"]["rows"]
        groups = {group.rstrip(":"): grouped(arguments, data, group, rows["test"])} if group else {}
        about = {"command": f"babelspace compare {arguments}", "rows": rows, "chosen": chosen, "cpu_seconds": seconds}
        return Runs(numbers, groups, about)

    return work


def label(row: Mapping[str, Any]) -> str:
    """A space, with what sets its rows apart where there are several."""
    return " ".join([row["space"], *(f"{key} {value:g}" for key, value in row.get("by", {}).items())])


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


WIKIPEDIA = (
    "DATA/wikipedia-en-pl --split .75,.125,.125 --max-terms 20000 --dims 300,600,1000 --spaces untranslated,cl-lsi,cca,"
    "opca,esa,l-solve,oneta,translation,translation-lsa,oneta+translation --by power,n_first --grid cl-lsi.power=0,-1 "
    "--grid opca.gamma=.03,.1,.3,1 --grid cca.gamma=1,3,10 --grid esa.prune=none --grid oneta.ridge=.3,1,3,10 "
    "--grid l-solve.ridge=3 --grid l-solve.n_first=1000,2000,3000,4000,5000 --grid translation.null=.3,.8 "
    "--grid translation.copy=5 --grid translation-lsa.null=.8 --grid translation-lsa.copy=5"
)
TOPIC_MODELS = (
    "--split .75,.125,.125 --max-train 1500 --max-terms 4000 --no-refit --dims 100 "
    "--spaces untranslated,cl-lsi,opca,jplsa,cplsa,csam --grid opca.gamma=1"
)
FEW = (
    "--max-train 500 --no-refit --max-terms 0 --weighting tf --dims 100 --spaces esa,cl-lsi,mlda,translation,oneta,"
    "oneta+translation --grid oneta.ridge=0 --grid esa.prune=none --grid mlda.alpha=.2 --grid mlda.sweeps=60 "
    "--grid translation.null=.3 --grid translation.copy=5"
)
EXPERIMENTS = {
    "europarl": Experiment(
        "Europarl speeches, first 25 words, 10,000 pairs, 6,000 terms (en–es)",
        retrieval(
            "DATA/europarl-en-es --head 25 --max-train 10000 --max-terms 6000 --no-refit --dims 300 "
            "--spaces cl-lsi,cca,opca,translation "
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
    "europarl-plsa": Experiment(
        "Europarl, whole speeches, 1,500 pairs, 100 topics (en–es)",
        retrieval(
            "DATA/europarl-en-es/dev --max-train 1500 --max-terms 4000 --no-refit --dims 100 --spaces jplsa,cplsa"
        ),
    ),
    "europarl-whole": Experiment(
        "Europarl, whole speeches, 8,504 pairs, 20,000 terms, 300 dimensions (en–es)",
        retrieval(
            "DATA/europarl-en-es/dev --max-terms 20000 --no-refit --dims 300 --spaces cl-lsi,cca,opca,jplsa,cplsa "
            "--grid opca.gamma=.1,.3,1 --grid cca.gamma=10"
        ),
    ),
    "wikipedia": Experiment(
        "Wikipedia, first 1,000 words, up to 1,000 dimensions (en–pl)", retrieval(WIKIPEDIA, "dict:")
    ),
    "wikipedia-lsi": Experiment(
        "Wikipedia, first 1,000 words, 1,500 dimensions (en–pl)",
        retrieval(
            "DATA/wikipedia-en-pl --split .75,.125,.125 --max-terms 20000 --no-refit --dims 1500 --spaces cl-lsi,oneta "
            "--by power --grid cl-lsi.power=0,-1 --grid oneta.ridge=.3,1,3,10",
            "dict:",
        ),
    ),
    "wikipedia-lda": Experiment(
        "Wikipedia, first 300 words, 300 topics (en–pl)",
        retrieval(
            "DATA/wikipedia-en-pl --head 300 --split .75,.125,.125 --max-terms 20000 --no-refit --dims 300 "
            "--spaces oneta,mlda --grid oneta.ridge=.3,1,3,10 --grid mlda.alpha=.05 --grid mlda.sweeps=100",
            "dict:",
        ),
    ),
    "wikipedia-plsa": Experiment(
        "Wikipedia, first 1,000 words, 4,709 pairs, 200 topics (en–pl)",
        retrieval(
            "DATA/wikipedia-en-pl --split .75,.125,.125 --max-terms 8000 --no-refit --dims 200 "
            "--spaces untranslated,jplsa,cplsa",
            "dict:",
        ),
    ),
    "wikipedia-topics": Experiment(
        "Wikipedia, first 1,000 words, 1,500 pairs (en–pl)", retrieval(f"DATA/wikipedia-en-pl {TOPIC_MODELS}", "dict:")
    ),
    "wikipedia-cut": Experiment(
        "Wikipedia, cut to 300 words, 1,500 pairs (en–pl)",
        retrieval(
            "DATA/wikipedia-en-pl --head 300 --split .75,.125,.125 --max-train 1500 --max-terms 4000 --no-refit "
            "--dims 100 --spaces jplsa,cplsa",
            "dict:",
        ),
    ),
    "mdn-dictionary": Experiment(
        "MDN pages, 1,000 pairs, 5,000 words; dictionary of 8,000 beginnings of Europarl speeches (en–es)",
        dictionary("mdn", ("en", "es"), OtherText("europarl-en-es/dev", ("en", "es"), 8_000)),
    ),
    "wikipedia-dictionary": Experiment(
        "Wikipedia, 1,000 pairs, 5,000 words; dictionary of 1,997 news sentences (en–pl)",
        dictionary("wikipedia-en-pl", ("en", "pl"), OtherText("ntrex-128", ("eng", "pol"), 1_997, 100), "dict:"),
    ),
    "mdn-topics": Experiment(
        "MDN pages, 1,500 pairs (en–es)",
        retrieval(f"DATA/mdn --languages en,es {TOPIC_MODELS}"),
    ),
    "comparable-topics": Experiment(
        "Europarl debates without common sentences, 1,500 pairs (en–es)",
        retrieval(f"DATA/europarl-comparable --languages en,es {TOPIC_MODELS}"),
    ),
    "unesco": Experiment(
        "World Heritage descriptions, 500 background documents (en–fr)",
        retrieval(f"DATA/unesco-whc --languages en,fr --split .6,.1,.3 {FEW}"),
    ),
    "bible": Experiment(
        "chapters of the Bible, 500 background documents (en–es)",
        retrieval(f"DATA/bible-chapters --languages en,es --split .5,.1,.4 {FEW}"),
    ),
    "plsa-iterations": Experiment(
        "Europarl, eight draws of 1,500 whole speeches, 50 topics (en–es)",
        iterations,
    ),
    "plsa-stopped": Experiment("Europarl, 1,500 whole speeches, 50 topics (en–es)", stopped),
    "hansard-l-solve": Experiment("Hansard, 9,332 background documents, queries of 25 words (en–fr)", l_solve),
    "hansard": Experiment("Hansard, documents of about 1,000 words (en–fr)", hansard),
    "slices": Experiment(
        "Hansard, runs of 100 to 250 words, 8,000 pairs, 6,425 terms (en–fr)", slices(8_000, 3_500, (2, 4, 6), 200)
    ),
    "slices-whole": Experiment(
        "Hansard, runs of 100 to 250 words, 12,844 pairs, 17,852 terms (en–fr)", slices(None, 10_000, (2, 4), 300)
    ),
    "slices-twelve": Experiment("chapters of the Bible in twelve languages, 132,374 terms", twelve_languages),
    "lda-short": Experiment("Europarl speeches of about 60 tokens (en–de)", topics("short")),
    "lda-variational": Experiment(
        "Europarl speeches of about 60 tokens, variational (en–de)", topics("short", method="variational")
    ),
    "lda-tripled": Experiment(
        "Europarl speeches of about 60 tokens, three times over (en–de)", topics("short", times=3)
    ),
    "lda-long": Experiment("Europarl speeches of about 300 tokens (en–es)", topics("long", seeds=2)),
    "lda-pages": Experiment("MDN pages of about 200 tokens (en–zh)", topics("zh", seeds=2)),
    "lda-begun": Experiment(
        "beginnings of long Europarl speeches, 150 words (en–es)", topics("long", least=450, head=150)
    ),
    "lda-begun-tripled": Experiment(
        "these beginnings three times over (en–es)",
        topics("long", seeds=2, least=450, head=150, times=3),
    ),
    "lda-begun-longer": Experiment(
        "450 words of the same speeches (en–es)", topics("long", seeds=2, least=450, head=450)
    ),
    "cepts": Experiment("37 trial sentences (en–fr)", cepts("hansard-en-fr-50k", "wpt03_enfr_trial37")),
    "cepts-more": Experiment(
        "37 trial sentences, five times as many pairs to learn from (en–fr)",
        cepts("hansard-en-fr-all", "wpt03_enfr_trial37"),
    ),
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
