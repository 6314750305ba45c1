"""The loop that matches, learns from its pairs and matches again: from 500 known pairs, what does each round gain?

Piles of package descriptions, pages and verses, of which a fifth of either side has no partner. After each round: Top-1
on rows that are in no pile, the true precision of the pairs found and how many are right, and dictionary precision: how
often the best translation that IBM model 1 finds for a frequent word is the one that it finds in 4,000 true pairs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from babelspace import AlignedCorpus, Document
from babelspace.corpus import position
from babelspace.mining.sentences.word_table import WordTable
from babelspace.runtime.threads import limit
from babelspace.text import Analyzer
from babelspace.workflows.grow import Round, grow
from benchmarks.common import OUT, write
from benchmarks.measure.known_sentences import two_languages

SETTINGS: dict[str, tuple[str, tuple[str, str]]] = {
    "debian-descriptions en-da": ("debian-descriptions", ("en", "da")),
    "debian-descriptions en-it": ("debian-descriptions", ("en", "it")),
    "mdn en-ru": ("mdn", ("en", "ru")),
    "bible-verses eng-swh": ("bible-verses", ("eng", "swh")),
}
# Words that stand in so many rows are looked up.
FREQUENT = 20
REFERENCE = 4_000
KNOWN, PILE, TEST, ALONE, ROUNDS = 500, 2_000, 500, 0.2, 4


def rows_of(data: Path, name: str) -> AlignedCorpus:
    """All rows in an order that only depends on their ids."""
    corpus = two_languages(data, *SETTINGS[name])
    return corpus.select(sorted(range(len(corpus)), key=lambda row: position(f"grow {corpus.ids[row]}")))


def best_translations(rows: Sequence[tuple[str, str]], languages: tuple[str, str]) -> dict[str, str]:
    """For each frequent source word its most probable translation."""
    sides = [list(Analyzer(code).many(row[side] for row in rows)) for side, code in enumerate(languages)]
    table = WordTable.of_bitext(sides[0], sides[1])
    counts = Counter(word for words in sides[0] for word in set(words))
    best = {}
    for number, word in enumerate(table.source_words):
        row = table.forward[[number]]
        if row.nnz and counts[word] >= FREQUENT:
            best[word] = table.target_words[row.indices[row.data.argmax()]]
    return best


def setting(data: Path, name: str) -> dict[str, Any]:
    """All rounds of one setting."""
    languages = SETTINGS[name][1]
    corpus = rows_of(data, name)
    reference = best_translations(_texts(corpus.select(range(min(len(corpus), REFERENCE))), languages), languages)
    known, test = corpus.select(range(KNOWN)), corpus.select(range(KNOWN, KNOWN + TEST))
    rest = corpus.select(range(KNOWN + TEST, min(len(corpus), KNOWN + TEST + PILE)))
    lost = round(ALONE * len(rest))
    piles = rest.documents(languages[0])[lost:], rest.documents(languages[1])[: len(rest) - lost]
    rounds: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as work:
        for count in range(1, ROUNDS + 1):
            grown = grow(known, piles[0], piles[1], n_components=300, rounds=count, work=work)
            if len(grown.rounds) < count:
                break
            # A round's model has learned from the pairs of the round before.
            before = grown.rounds[-2].pairs if count > 1 else []
            words = best_translations(_texts(known, languages) + _of(piles, before), languages)
            same = [reference[word] == other for word, other in words.items() if word in reference]
            found = {**_told(grown.rounds[-1]), "top1": float(grown.encoder.score(test))}
            found |= {"words": len(same), "dictionary": sum(same) / max(len(same), 1)}
            rounds.append(found)
            print(name, count, found, grown.stopped, flush=True)
    thrown = None if grown.thrown is None else _told(grown.thrown)
    ended = {"stopped": grown.stopped, "thrown": thrown}
    return {"rounds": rounds, **ended, "pile": len(piles[0]), "partners": len(rest) - 2 * lost}


def _told(one: Round) -> dict[str, Any]:
    """What a round says of itself, and how many of its pairs are right."""
    right = sum(left == other for left, other in one.pairs)
    found = {"right": right, "precision": right / max(len(one.pairs), 1)}
    return {**asdict(one), "pairs": len(one.pairs), "audit_top1": one.top1, **found}


def _texts(corpus: AlignedCorpus, languages: tuple[str, str]) -> list[tuple[str, str]]:
    sides = [[text or "" for text in corpus.texts(code)] for code in languages]
    return list(zip(sides[0], sides[1], strict=True))


def _of(piles: tuple[list[Document], list[Document]], pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    left, right = ({document.id: document.text for document in pile} for pile in piles)
    return [(left[one], right[other]) for one, other in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--settings", nargs="+", default=list(SETTINGS), choices=list(SETTINGS))
    asked = parser.parse_args()
    kept = OUT / "grow.json"
    found = json.loads(kept.read_text(encoding="utf-8"))["settings"] if kept.is_file() else {}
    for name in asked.settings:
        with limit(1):
            found[name] = setting(asked.data, name)
        write("grow", {"known": KNOWN, "precision": 0.95, "settings": found})


if __name__ == "__main__":
    main()
