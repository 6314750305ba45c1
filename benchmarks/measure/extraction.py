"""Parallel sentences out of comparable texts: is the promised precision the observed one, and how much is found?

A document has 100 sentences a side, of neighbouring places of a bitext and shuffled, of which a known share has a
partner on the other side. Words are learned from 12,000 pairs far from them. A pair is right if the bitext has it in
any row: in collections of phrases the same sentence stands in many, and every translation of it is right. Beside it
mutual nearest neighbours by margin (Artetxe & Schwenk 2019) in a space learned from the same 12,000 pairs; where to cut
these is chosen with hindsight.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import AlignedCorpus, Document, Encoder, fit_model
from babelspace.classification.expected_accuracy import wilson
from babelspace.mining.sentences.document_pairs import TextPairs
from babelspace.mining.sentences.extraction import extract_pairs
from babelspace.mining.sentences.pairs import SentencePairs
from babelspace.mining.sentences.word_table import WordTable
from babelspace.runtime.threads import limit
from babelspace.text import Analyzer
from benchmarks.common import OUT, write
from benchmarks.measure.known_sentences import Lines, Pair, line_pairs, sentence_pairs, two_languages

# A folder of alignment/ or a corpus, and its languages.
BITEXTS: dict[str, tuple[str, tuple[str, str]]] = {
    "en-nl": ("en-nl", ("en", "nl")),
    "en-ro": ("en-ro", ("en", "ro")),
    "europarl-7 en-fr": ("europarl-7", ("en", "fr")),
    "europarl-7 nl-it": ("europarl-7", ("nl", "it")),
    "bible-chapters cs-it": ("bible-chapters", ("cs", "it")),
    "en-it": ("en-it", ("en", "it")),
    "en-cs": ("en-cs", ("en", "cs")),
    "hansard36 en-fr": ("hansard36", ("en", "fr")),
    "europarl-7 en-de": ("europarl-7", ("en", "de")),
    "europarl-7 es-pt": ("europarl-7", ("es", "pt")),
    "bible-chapters en-he": ("bible-chapters", ("en", "he")),
}
# Looked at while the probabilities were mended; the others were measured once, at the end.
TUNED_ON = ("en-nl", "en-ro", "europarl-7 en-fr", "europarl-7 nl-it", "bible-chapters cs-it")
SHARES, PROMISES, SIZE, DOCUMENTS, TRAINED = (0.1, 0.3), (0.9, 0.95, 0.99), 100, 60, 12_000
# Mixes of the same pairs: which sentences have a partner differs, so that more pairs are judged.
NEAREST, SEEDS = 4, 6


@dataclass(frozen=True, eq=False)
class Comparable:
    """Documents of both sides, all pairs of texts that are right, and how many could be found."""

    source: list[Document]
    target: list[Document]
    right: frozenset[Pair]
    known: int


def pairs_of(data: Path, name: str) -> list[Pair]:
    """The sentence pairs of a bitext."""
    folder, languages = BITEXTS[name]
    if (data / "alignment" / folder).is_dir():
        sides = [
            lzma.decompress((data / "alignment" / folder / f"{side}.txt.xz").read_bytes()).decode().splitlines()
            for side in ("source", "target")
        ]
        return [pair for pair in zip(*sides, strict=True) if pair[0].strip() and pair[1].strip()]
    corpus = two_languages(data, folder, languages)
    return (sentence_pairs if folder == "europarl-7" else line_pairs)(corpus, languages)


def mixed(pairs: Sequence[Pair], languages: Sequence[str], share: float, seed: int) -> Comparable:
    """Documents in which a share of the sentences has a partner; all of one come from one run of pairs."""
    rng = random.Random(seed)
    both = round(SIZE * share)
    distinct = 2 * SIZE - both
    sides: tuple[list[Document], list[Document]] = ([], [])
    count = min(DOCUMENTS, len(pairs) // distinct)
    for number in range(count):
        run = rng.sample(pairs[number * distinct : (number + 1) * distinct], distinct)
        for side, own in enumerate((run[:SIZE], run[:both] + run[SIZE:])):
            lines = [pair[side].replace("\n", " ") for pair in rng.sample(own, SIZE)]
            sides[side].append(Document(str(number), languages[side], "\n".join(lines)))
    right = frozenset(pairs)
    return Comparable(*sides, right, sum(_findable(*lines, right) for lines in zip(*sides, strict=True)))


def _findable(source: Document, target: Document, right: frozenset[Pair]) -> int:
    """How many source sentences of a document have a partner in the other one."""
    others = target.text.split("\n")
    return sum(any((line, other) in right for other in others) for line in source.text.split("\n"))


def margins(encoder: Encoder, texts: Comparable) -> tuple[list[float], list[bool]]:
    """Margins of the mutual nearest sentences of each pair of documents, and which are right.

    Differences of cosines, not ratios, which do far worse here: the mean cosine of neighbours may be near nothing.
    """
    scores: list[float] = []
    right: list[bool] = []
    for one, other in zip(texts.source, texts.target, strict=True):
        lines = one.text.split("\n"), other.text.split("\n")
        left, right_side = (
            encoder.encode(part, document.language, normalize=True)
            for part, document in zip(lines, (one, other), strict=True)
        )
        cosines = left @ right_side.T
        near = [np.sort(cosines, axis=axis) for axis in (1, 0)]
        means = near[0][:, -NEAREST:].mean(axis=1)[:, None] + near[1][-NEAREST:].mean(axis=0)[None, :]
        margin = cosines - means / 2
        best = margin.argmax(axis=1), margin.argmax(axis=0)
        for row, column in enumerate(best[0].tolist()):
            if best[1][column] == row and cosines[row, column] > 0:
                scores.append(float(margin[row, column]))
                right.append((lines[0][row], lines[1][column]) in texts.right)
    return scores, right


def with_hindsight(scores: Sequence[float], right: Sequence[bool], precision: float, known: int) -> float:
    """The largest recall at a precision, wherever the cut must be for that."""
    hits = np.cumsum(np.array(right, float)[np.argsort(-np.array(scores), kind="stable")])
    fits = hits / np.arange(1, len(hits) + 1) >= precision
    return float(hits[fits].max(initial=0) / known)


def judged(found: SentencePairs, texts: Comparable) -> list[bool]:
    """Which pairs are right."""
    return [pair in texts.right for pair in zip(found.source_text, found.target_text, strict=True)]


def cell(mixes: Sequence[Comparable], table: WordTable, encoder: Encoder | None) -> dict[str, Any]:
    """What was promised and what came true, each mix of texts being cut by itself and all counted together."""
    known = sum(texts.known for texts in mixes)
    result: dict[str, Any] = {"known": known}
    found = []
    for texts in mixes:
        splitters = Lines(texts.source[0].language), Lines(texts.target[0].language)
        found.append(extract_pairs(TextPairs.of(texts.source, texts.target, splitters), table))
    for promise in PROMISES:
        right = [one for part, texts in zip(found, mixes, strict=True) for one in judged(part.trusted(promise), texts)]
        share = float(np.mean(right)) if right else None
        result[str(promise)] = {
            "pairs": len(right),
            "precision": share,
            "interval": None if share is None else wilson(share, len(right)),
            "recall": sum(right) / known,
        }
    every = [one for part, texts in zip(found, mixes, strict=True) for one in judged(part, texts)]
    result["hindsight"] = with_hindsight([p for part in found for p in part.probability.tolist()], every, 0.95, known)
    if encoder is not None:
        parts = [margins(encoder, texts) for texts in mixes]
        scores = [value for part, _ in parts for value in part]
        right = [one for _, part in parts for one in part]
        result["mutual"] = {
            "precision": float(np.mean(right)),
            "recall": sum(right) / known,
            "hindsight": with_hindsight(scores, right, 0.95, known),
        }
    return result


def bitext(data: Path, name: str, rival: bool = True) -> dict[str, Any]:
    """All shares of one bitext; the last pairs teach, the first ones are mixed."""
    languages = BITEXTS[name][1]
    pairs = pairs_of(data, name)
    trained = min(TRAINED, len(pairs) // 3)
    taught, tried = pairs[-trained:], pairs[:-trained]
    sides = [list(Analyzer(code).many(pair[side] for pair in taught)) for side, code in enumerate(languages)]
    table = WordTable.of_bitext(sides[0], sides[1])
    encoder = None
    if rival:
        texts = {code: [pair[side] for pair in taught] for side, code in enumerate(languages)}
        encoder = fit_model(AlignedCorpus(list(map(str, range(trained))), texts), n_components=300, holdout=0)
    found = {
        str(share): cell([mixed(tried, languages, share, seed) for seed in range(SEEDS)], table, encoder)
        for share in SHARES
    }
    return {"trained": trained, "mixes": SEEDS, "shares": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--bitexts", nargs="+", default=list(BITEXTS), choices=list(BITEXTS))
    asked = parser.parse_args()
    kept = OUT / "extraction.json"
    known = json.loads(kept.read_text(encoding="utf-8"))["bitexts"] if kept.is_file() else {}
    for name in asked.bitexts:
        with limit(1):
            known[name] = bitext(asked.data, name)
        write("extraction", {"bitexts": known, "tuned_on": list(TUNED_ON)})


if __name__ == "__main__":
    main()
