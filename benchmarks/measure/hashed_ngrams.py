"""Do character n-grams that are hashed to a fixed size find more than a vocabulary of them, also with misspelt words?

OPCA with 300 dimensions on words, on words and the most frequent n-grams, and on words and as many columns of hashed
n-grams; texts to find as they are, and with two letters swapped in every second word of four letters or more. Ridge and
correction are chosen on dev as it is.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

import numpy as np

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.significance import bootstrap_test, interval
from babelspace.features import ViewsVectorizer
from benchmarks.common import write
from benchmarks.measure.discriminative import Hits, Trial, best, cosines, fitted, found, parts

NAME = "hashed_ngrams"
# One row in so many, the first of them, terms of each kind and language.
SIZES = {"mdn": (1, 0, 10_000), "europarl-25": (16, 3, 5_000)}
RIDGES = (0.3, 1.0)
LONG = 4


def misspelt(text: str, luck: random.Random) -> str:
    """Two neighbouring letters swapped inside every second long word."""
    words, count = text.split(" "), 0
    for place, word in enumerate(words):
        if len(word) >= LONG and word.isalpha():
            count += 1
            at = luck.randrange(len(word) - 1)
            if count % 2:
                words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)


def with_typos(corpus: AlignedCorpus) -> AlignedCorpus:
    luck = random.Random(0)
    texts = {name: [text and misspelt(text, luck) for text in corpus.texts(name)] for name in corpus.languages}
    return AlignedCorpus(corpus.ids, texts)


def unseen(vectorizer: ViewsVectorizer, corpus: AlignedCorpus) -> float:
    """Share of the words of texts, one by one, that have no column at all."""
    missing = total = 0
    for name in corpus.languages:
        words = sorted({word for text in corpus.texts(name) if text for word in text.split() if word.isalpha()})
        counts = vectorizer.count_texts(words, name)
        missing += int(np.count_nonzero(np.diff(counts.indptr) == 0))
        total += len(words)
    return missing / total


def measured(name: str, data: Path) -> dict[str, Any]:
    every, first, terms = SIZES[name]
    train, dev, test = parts(name, data, every, first)
    wrong = with_typos(test)
    told: dict[str, Any] = {}
    hits: dict[str, list[Hits]] = {}
    kinds: dict[str, dict[str, Any]] = {
        "words": {},
        "n-grams": {"features": "both"},
        "hashed": {"features": "both", "analyzer": {"ngram_columns": terms}},
    }
    for kind, given in kinds.items():
        features = ViewsVectorizer(max_terms=terms, **given)
        views = [features.fit_transform(train), *map(features.transform, (dev, test, wrong))]
        tried = []
        for gamma in RIDGES:
            space, seconds = fitted("opca", views[0], n_components=300, gamma=gamma)
            tables = [cosines(space, part) for part in views[1:]]
            about = {"gamma": gamma, "seconds": seconds, "typos": tables[2]}
            tried.append(Trial(tables[0], tables[1], about))
        one = best(tried)
        correction = one.tuned()[1]
        hits[kind] = [one.hits(), found(one.about["typos"], correction)]
        told[kind] = {
            "columns": views[0].shape[1],
            "gamma": one.about["gamma"],
            "correction": correction,
            "seconds": one.about["seconds"],
            "words_without_a_vector": unseen(features, test),
            **{
                part: [float(figures.mean()), *map(float, interval(figures))]
                for part, figures in zip(("test", "typos"), hits[kind], strict=True)
            },
        }
        print(name, kind, told[kind], flush=True)
    p = [float(bootstrap_test(one, other)) for one, other in zip(hits["hashed"], hits["n-grams"], strict=True)]
    return {"rows": told, "hashed_against_n_grams_p": dict(zip(("test", "typos"), p, strict=True))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    write(NAME, {"corpora": {name: measured(name, options.data) for name in SIZES}})


if __name__ == "__main__":
    main()
