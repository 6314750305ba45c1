"""Is the doctor's predicted Top-1 true where the model was fitted on other subjects?

Models of parliament speeches and of the Bible are tried on manuals, package descriptions and heritage sites: the
prediction knows no mates, the truth (mean of both directions) does.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import OPCA, AlignedCorpus, Encoder, ViewsVectorizer, diagnose, read_corpus
from babelspace.corpus import position
from babelspace.runtime.threads import limit
from babelspace.vectors.mates import direction_ranks
from benchmarks.common import OUT, THREADS, write

# Model: corpus, language beside English, corpora to try.
TRIALS = (
    ("europarl-7", "fr", ("mdn", "debian-descriptions", "unesco-whc")),
    ("europarl-7", "es", ("mdn",)),
    ("europarl-7", "de", ("debian-descriptions",)),
    ("europarl-7", "it", ("debian-descriptions",)),
    ("bible-chapters", "fr", ("mdn", "debian-descriptions", "unesco-whc")),
    ("bible-chapters", "es", ("mdn",)),
)
MOST = 3_000


def half(corpus: AlignedCorpus) -> AlignedCorpus:
    """The rows whose id falls into the upper half."""
    return corpus.select(np.array([position(id) >= 0.5 for id in corpus.ids]))


def some(corpus: AlignedCorpus) -> AlignedCorpus:
    """At most so many rows, by hash of the id."""
    share = min(1.0, MOST / len(corpus))
    return corpus.select(np.array([position(id) < share for id in corpus.ids]))


def tried(encoder: Encoder, corpus: AlignedCorpus) -> dict[str, Any]:
    """Predicted and true Top-1."""
    one, other = corpus.languages
    predicted = diagnose(encoder, corpus.documents(one), corpus.documents(other)).predicted_top1
    views = encoder.views(corpus)
    ranks = direction_ranks(encoder.space.transform(views), views.present, similarity=encoder.space.similarity)
    true = float(np.mean([np.mean(found == 1) for found in ranks.values()]))
    return {"rows": len(corpus), "predicted": predicted, "true": true, "error": abs(predicted - true)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [f"{name}-{language}" for name, language, _ in TRIALS]
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="the others' results are kept")
    options = parser.parse_args()
    kept = OUT / "doctor.json"
    known = json.loads(kept.read_text(encoding="utf-8"))["trials"] if kept.is_file() else []
    found = {(row["model"], row["language"], row["corpus"]): row for row in known}
    for name, language, others in TRIALS:
        if f"{name}-{language}" not in options.only:
            continue
        train = half(read_corpus(options.data / name, languages=["en", language]).aligned())
        with limit(THREADS):
            encoder = Encoder(ViewsVectorizer(), OPCA(n_components=300)).fit(train)
            for other in others:
                corpus = some(read_corpus(options.data / other, languages=["en", language]).aligned())
                row = {"model": name, "language": language, "corpus": other, **tried(encoder, corpus)}
                found[name, language, other] = row
        order = [found[key] for *model, others in TRIALS for other in others if (key := (*model, other)) in found]
        write("doctor", {"trials": order, "largest_error": max(row["error"] for row in order)})


if __name__ == "__main__":
    main()
