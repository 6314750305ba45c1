"""What a New Testament teaches: verses of other books, news, and what 200 pairs of news add.

English beside languages of bible-verses that NTREX-128 has, too. Whole books are held out (by hash of their name: an
eighth of the books for tuning, an eighth for the figures), and whole news documents. Top-1 is the mean of both
directions, by CSLS among all held-out verses or sentences.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus, position, read_corpus
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import Space, make
from babelspace.vectors.mates import direction_ranks
from benchmarks.common import OUT, write

NAME = "low_resource"
LANGUAGES = ("ewe", "wol", "zul")
PAIRS = (250, 1000, 4000, None)
NEWS = (200, 1000)
GRIDS: dict[str, list[dict[str, Any]]] = {
    "untranslated": [{}],
    "translation": [{"null": 0.1}, {"null": 0.3}],
    "cr5": [{"gamma": 1.0}, {"gamma": 3.0}],
    "opca": [{"gamma": 0.1}, {"gamma": 1.0}],
}


def divided(corpus: AlignedCorpus, source: Callable[[str], str]) -> list[AlignedCorpus]:
    """Rows to learn from, to tune on and to test on, by whole books or documents."""
    place = np.array([position(source(id)) for id in corpus.ids])
    masks: list[NDArray[np.bool_]] = [place >= 0.25, (place >= 0.125) & (place < 0.25), place < 0.125]
    return [corpus.select(mask) for mask in masks]


def joined(first: AlignedCorpus, second: AlignedCorpus) -> AlignedCorpus:
    """The rows of both."""
    texts = {name: [*first.texts(name), *second.texts(name)] for name in first.languages}
    return AlignedCorpus([*first.ids, *second.ids], texts)


def top1(space: Space, views: Views) -> float:
    ranks = direction_ranks(space.transform(views), views.present, correction="csls").values()
    return float(np.mean([np.mean(directed == 1) for directed in ranks]))


def tuned(name: str, train: AlignedCorpus, dev: AlignedCorpus, tests: dict[str, AlignedCorpus]) -> dict[str, Any]:
    """A space whose setting is chosen on dev, on every test."""
    vectorizer = ViewsVectorizer(drop_top=10, max_terms=10_000)
    learned, seen = vectorizer.fit_transform(train), vectorizer.transform(dev)
    spaces = [make(name, **setting).fit(learned) for setting in GRIDS[name]]
    scores = [top1(space, seen) for space in spaces]
    best = int(np.argmax(scores))
    figures = {part: top1(spaces[best], vectorizer.transform(corpus)) for part, corpus in tests.items()}
    return {"rows": len(train), **GRIDS[name][best], "dev": scores[best], **figures}


def book(id: str) -> str:
    return id.split(".")[1]


def document(id: str) -> str:
    return id.split(":")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--languages", nargs="+", default=list(LANGUAGES))
    parser.add_argument("--spaces", nargs="+", default=list(GRIDS))
    options = parser.parse_args()
    path = OUT / f"{NAME}.json"
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["languages"] if path.is_file() else {}
    for language in options.languages:
        bible = read_corpus(options.data / "bible-verses", languages=["eng", language]).aligned()
        news = read_corpus(options.data / "ntrex-128", languages=["eng", language]).aligned()
        (verses, verse_dev, verse_test), (sentences, news_dev, news_test) = (
            divided(bible, book),
            divided(news, document),
        )
        order = sorted(range(len(verses)), key=lambda row: position(verses.ids[row]))
        tests = {"verses": verse_test, "news": news_test}
        figures = told.setdefault(language, {"test": {name: len(part) for name, part in tests.items()}})
        for name in options.spaces:
            for pairs in PAIRS:
                figures[f"{name}, {pairs or 'all'} verses"] = tuned(
                    name, verses.select(order[:pairs]), verse_dev, tests
                )
            for count in NEWS:
                mixed = joined(verses, sentences.select(range(count)))
                figures[f"{name}, all verses and {count} sentences of news"] = tuned(name, mixed, news_dev, tests)
            print(language, name, json.dumps(figures, indent=1), flush=True)
            write(NAME, {"languages": told})


if __name__ == "__main__":
    main()
