"""Where the translations of words come from, and how fast documents are translated by them.

The word-by-word baseline of Platt et al. 2010 took its table from sentence pairs of Europarl, also for Wikipedia. Here
the first 25 words of Europarl speeches stand for sentence pairs (an HMM aligner is trained on them; speeches of days on
which a debate under test was held are left out), beside the default, which learns from the training documents.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import AlignedCorpus, Split, Translation, Views, read_corpus
from babelspace.corpus import write_folder
from babelspace.runtime.threads import limit
from babelspace.vectors.mates import direction_ranks
from benchmarks.common import THREADS, views, write

CORPORA = {"mdn": 8000, "europarl-comparable": 10000}
SOURCES = {"documents": {"null": 0.6}, "Europarl sentence pairs": {}}


def scores(space: Translation, test: Views) -> dict[str, float]:
    """Top-1 and MRR over both directions."""
    ranks = np.concatenate(list(direction_ranks(space.transform(test), test.present).values()))
    return {"top1": float(np.mean(ranks == 1)), "mrr": float(np.mean(1 / ranks))}


def bitext(data: Path, tested: AlignedCorpus, pairs: int) -> AlignedCorpus:
    """Beginnings of speeches of other days than those under test."""
    days = {id[:8] for id in tested.ids}
    speeches = read_corpus(data / "europarl-en-es" / "train").head(25)
    kept = speeches.select(np.array([id[:8] not in days for id in speeches.ids]))
    return kept.select(np.arange(min(pairs, len(kept))))


def speed(space: Translation, test: Views, turns: int = 5) -> float:
    """Distinct words a second whose weights are multiplied by the table, on one thread."""
    rows = test["es"]
    started = time.perf_counter()
    for _ in range(turns):
        space.transform(rows, "es")
    return turns * rows.nnz / (time.perf_counter() - started)


def measure(data: Path, name: str, terms: int, folder: Path, pairs: int) -> dict[str, Any]:
    split: Split = read_corpus(data / name, languages=["en", "es"]).aligned().split(0.875, 0, 0.125)
    train, test = views(split.train, split.test, max_terms=terms)
    sentences = bitext(data, split.test, pairs)
    write_folder(sentences, folder / name)
    rows = {}
    for source, settings in SOURCES.items():
        given = {"bitext": str(folder / name)} if "pairs" in source else settings
        started = time.perf_counter()
        space = Translation(**given).fit(train)
        seconds = time.perf_counter() - started
        found = {"seconds_fit": seconds, "entries": space.tables_["es"].nnz, "words_per_second": speed(space, test)}
        rows[source] = scores(space, test) | found
        print(name, source, rows[source], flush=True)
    return {"rows": len(train), "test": len(test), "pairs": len(sentences), "sources": rows}


def main() -> None:
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=30_000, help="most sentence pairs to train on")
    options = parser.parse_args()
    with limit(THREADS), tempfile.TemporaryDirectory() as folder:
        found = {
            name: measure(options.data, name, terms, Path(folder), options.pairs) for name, terms in CORPORA.items()
        }
    write("translation_sources", {"corpora": found})


if __name__ == "__main__":
    main()
