"""What a New Testament teaches: verses of other books, news, and what 200 pairs of news add.

English beside languages of bible-verses that NTREX-128 has, too. Whole books are held out (by hash of their name: an
eighth of the books for tuning, an eighth for the figures), and whole news documents. Features and ridge are chosen on
the held-out books or, where news are learned from, on held-out news. Top-1 is the mean of both directions, by CSLS
among all verses or sentences of the test; *all news* are the 1,997 sentences for models that have seen no news.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus, position, read_corpus
from babelspace.evaluation.significance import interval
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import Space, make
from babelspace.vectors.mates import direction_ranks
from benchmarks.common import OUT, write

NAME = "low_resource"
# What NTREX-128 calls the languages of bible-verses.
LANGUAGES = {"ewe": "ewe", "wol": "wol", "zul": "zul", "swh": "swa", "shi": "shi"}
PAIRS = (1000, None)
NEWS = (200, 1000)
GRIDS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "untranslated": [("words", {}), ("both", {})],
    "translation": [("words", {"null": 0.1}), ("both", {"null": 0.1})],
    "cr5": [("words", {"gamma": 0.3}), ("both", {"gamma": 1.0})],
    "opca": [("words", {"gamma": 0.1}), ("both", {"gamma": 0.3})],
}
# Cr5 with character n-grams takes four times as long as the others together.
SPACES = ("untranslated", "translation", "opca")


def divided(corpus: AlignedCorpus, source: Callable[[str], str]) -> list[AlignedCorpus]:
    """Rows to learn from, to tune on and to test on, by whole books or documents."""
    place = np.array([position(source(id)) for id in corpus.ids])
    masks: list[NDArray[np.bool_]] = [place >= 0.25, (place >= 0.125) & (place < 0.25), place < 0.125]
    return [corpus.select(mask) for mask in masks]


def joined(first: AlignedCorpus, second: AlignedCorpus) -> AlignedCorpus:
    """The rows of both."""
    texts = {name: [*first.texts(name), *second.texts(name)] for name in first.languages}
    return AlignedCorpus([*first.ids, *second.ids], texts)


def found(space: Space, views: Views) -> NDArray[np.float64]:
    """For each row the share of the two directions in which its mate is first."""
    ranks = direction_ranks(space.transform(views), views.present, correction="csls").values()
    return np.mean([directed == 1 for directed in ranks], axis=0)


def tuned(name: str, train: AlignedCorpus, dev: AlignedCorpus, tests: dict[str, AlignedCorpus]) -> dict[str, Any]:
    """A space whose features and setting are chosen on dev, on every test."""
    vectorizers = {
        features: ViewsVectorizer(features=features, drop_top=10, max_terms=10_000)
        for features in dict.fromkeys(features for features, _ in GRIDS[name])
    }
    learned = {features: vectorizer.fit_transform(train) for features, vectorizer in vectorizers.items()}
    seen = {features: vectorizer.transform(dev) for features, vectorizer in vectorizers.items()}
    best: tuple[float, str, dict[str, Any], Space | None] = (-1.0, "", {}, None)
    for features, setting in GRIDS[name]:
        space = make(name, **setting).fit(learned[features])
        score = float(found(space, seen[features]).mean())
        if score > best[0]:
            best = score, features, setting, space
    score, features, setting, chosen = best
    assert chosen is not None
    told: dict[str, Any] = {"rows": len(train), "features": features, **setting, "dev": score}
    for part, corpus in tests.items():
        hits = found(chosen, vectorizers[features].transform(corpus))
        told[part] = [float(hits.mean()), *map(float, interval(hits))]
    return told


def book(id: str) -> str:
    return id.split(".")[1]


def document(id: str) -> str:
    return id.split(":")[0]


def measured(data: Path, language: str, spaces: list[str]) -> Iterator[tuple[str, Any]]:
    """How large the tests are; then the learning curve of verses and what news add, of each space."""
    bible = read_corpus(data / "bible-verses", languages=["eng", language]).aligned()
    other = read_corpus(data / "ntrex-128", languages=["eng", LANGUAGES[language]]).aligned()
    news = AlignedCorpus(list(other.ids), {"eng": other.texts("eng"), language: other.texts(LANGUAGES[language])})
    verses, verse_dev, verse_test = divided(bible, book)
    sentences, news_dev, news_test = divided(news, document)
    order = sorted(range(len(verses)), key=lambda row: position(verses.ids[row]))
    mixing = sorted(range(len(sentences)), key=lambda row: position(sentences.ids[row]))
    tests = {"verses": verse_test, "news": news_test}
    yield "test", {name: len(part) for name, part in (tests | {"all news": news}).items()}
    for name in spaces:
        rows = []
        for pairs in PAIRS:
            part = verses.select(order[:pairs])
            whole = tests if pairs else tests | {"all news": news}
            rows.append({"verses": len(part), "news": 0, "found": tuned(name, part, verse_dev, whole)})
        for count in NEWS:
            mixed = joined(verses, sentences.select(mixing[:count]))
            rows.append({"verses": len(verses), "news": count, "found": tuned(name, mixed, news_dev, tests)})
        yield name, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--languages", nargs="+", choices=list(LANGUAGES), default=list(LANGUAGES))
    parser.add_argument("--spaces", nargs="+", choices=list(GRIDS), default=list(SPACES))
    options = parser.parse_args()
    path = OUT / f"{NAME}.json"
    for language in options.languages:
        for name, told in measured(options.data, language, options.spaces):
            known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["languages"] if path.is_file() else {}
            write(NAME, {"languages": {**known, language: {**known.get(language, {}), name: told}}})


if __name__ == "__main__":
    main()
