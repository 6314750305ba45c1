"""What does a space know of subjects that it was not fitted on? Top-1 of every corpus with every other's model.

English and French: OPCA fitted on at most 2,000 rows of one half of each corpus, tried on 500 rows of the other half of
all of them, so that the rows of a column are found among the same documents. Untranslated words stand beside.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from babelspace import OPCA, AlignedCorpus, Encoder, ViewsVectorizer, read_corpus
from babelspace.corpus import position
from babelspace.runtime.threads import limit
from babelspace.spaces import make
from babelspace.vectors.mates import direction_ranks
from benchmarks.common import THREADS, write

LANGUAGES = ["en", "fr"]
CORPORA = ("hansard36", "europarl-7", "mdn", "debian-descriptions", "unesco-whc", "bible-chapters")
LEARN, TRY = 2_000, 500
DIMENSIONS = 300


def parts(folder: Path) -> tuple[AlignedCorpus, AlignedCorpus]:
    """Rows to learn from and rows to try, from either end of the order by hash of the id."""
    corpus = read_corpus(folder, languages=LANGUAGES).aligned()
    order = np.argsort([position(id) for id in corpus.ids])
    middle = len(order) // 2
    return corpus.select(np.sort(order[middle : middle + LEARN])), corpus.select(np.sort(order[: min(TRY, middle)]))


def top1(encoder: Encoder, corpus: AlignedCorpus) -> float:
    """Mean of both directions."""
    views = encoder.views(corpus)
    ranks = direction_ranks(encoder.space.transform(views), views.present, similarity=encoder.space.similarity)
    return float(np.mean([np.mean(found == 1) for found in ranks.values()]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    corpora = {name: parts(options.data / name) for name in CORPORA}
    found: dict[str, dict[str, float]] = {"untranslated": {}}
    with limit(THREADS):
        for name, (learn, unseen) in corpora.items():
            plain = Encoder(ViewsVectorizer(), make("untranslated")).fit(learn)
            found["untranslated"][name] = top1(plain, unseen)
            encoder = Encoder(ViewsVectorizer(), OPCA(n_components=DIMENSIONS)).fit(learn)
            found[name] = {other: top1(encoder, tried) for other, (_, tried) in corpora.items()}
            print(name, len(learn), len(unseen), found[name], flush=True)
    sizes = {name: {"learn": len(learn), "try": len(unseen)} for name, (learn, unseen) in corpora.items()}
    write("domains", {"rows": sizes, "dimensions": DIMENSIONS, "top1": found})


if __name__ == "__main__":
    main()
