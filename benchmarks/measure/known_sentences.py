"""Documents whose sentence alignment is known: sentences of translated texts, taken out, merged and moved."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from babelspace import AlignedCorpus, Document, read_corpus
from babelspace.text.sentences import SentenceSplitter, Span

Bead = tuple[tuple[int, ...], tuple[int, ...]]
Pair = tuple[str, str]
# Where a clause ends that has some words, and some follow.
CLAUSE = re.compile(r"(?<=\w{3})[,;:،、，；]\s*(?=\w.{10})")


class Lines(SentenceSplitter):
    """Every line is a sentence."""

    def spans(self, text: str) -> list[Span]:
        """Start and end of each line."""
        return [found.span() for found in re.finditer(r"[^\n]+", text)]


@dataclass(frozen=True)
class KnownDocument:
    """The lines of both sides and the beads that are right, numbers of lines."""

    lines: tuple[list[str], list[str]]
    gold: list[Bead]

    def document(self, side: int, language: str, id: str = "1") -> Document:
        """One side as a document, a sentence a line."""
        return Document(id, language, "\n".join(self.lines[side]))


def sentence_pairs(corpus: AlignedCorpus, languages: Sequence[str]) -> list[Pair]:
    """Sentences of paragraphs that both languages cut into equally many, in order.

    A line is a paragraph; documents with other numbers of lines on both sides are left out.
    """
    texts = _texts(corpus, languages)
    splitters = [SentenceSplitter(code).learn(part) for code, part in zip(languages, texts, strict=True)]
    pairs: list[Pair] = []
    for documents in zip(*texts, strict=True):
        lines = [text.split("\n") for text in documents]
        if len(lines[0]) == len(lines[1]):
            for paragraphs in zip(*lines, strict=True):
                cut = [splitter.split(text) for splitter, text in zip(splitters, paragraphs, strict=True)]
                if len(cut[0]) == len(cut[1]):
                    pairs += zip(cut[0], cut[1], strict=True)
    return pairs


def line_pairs(corpus: AlignedCorpus, languages: Sequence[str]) -> list[Pair]:
    """Lines of documents that have equally many in both languages."""
    texts = zip(*_texts(corpus, languages), strict=True)
    lines = ([text.split("\n") for text in documents] for documents in texts)
    same = (sides for sides in lines if len(sides[0]) == len(sides[1]))
    return [pair for sides in same for pair in zip(*sides, strict=True) if pair[0].strip() and pair[1].strip()]


def _texts(corpus: AlignedCorpus, languages: Sequence[str]) -> list[list[str]]:
    return [[text or "" for text in corpus.texts(code)] for code in languages]


def known_document(
    pairs: Sequence[Pair],
    rng: random.Random,
    dropped: float = 0,
    merged: float = 0,
    moved: float = 0,
    shifted: float = 0,
) -> KnownDocument:
    """Shares of the sentences of either side taken out, joined with the next one, moved up to four places.

    Of a share of the target's borders a clause goes over to the other side, as translators do; both sentences then
    belong to both.
    """
    sides: list[list[tuple[set[int], str]]] = []
    for side in (0, 1):
        kept = [({n}, pair[side]) for n, pair in enumerate(pairs) if rng.random() >= dropped]
        if side == 1 and shifted:
            kept = _shifted(kept, shifted, rng)
        joined: list[tuple[set[int], str]] = []
        for numbers, text in kept:
            if joined and len(joined[-1][0]) == 1 and rng.random() < merged:
                joined[-1] = joined[-1][0] | numbers, f"{joined[-1][1]} {text}"
            else:
                joined.append((numbers, text))
        sides.append(joined)
    for place in range(len(sides[1])):
        if rng.random() < moved:
            sides[1].insert(min(len(sides[1]), place + rng.randint(2, 5)), sides[1].pop(place))
    lines = [text for _, text in sides[0]], [text for _, text in sides[1]]
    return KnownDocument(lines, _components([numbers for numbers, _ in sides[0]], [n for n, _ in sides[1]]))


def _shifted(lines: list[tuple[set[int], str]], share: float, rng: random.Random) -> list[tuple[set[int], str]]:
    """Lines of which the last clause of some begins the next one, or the first clause of the next one ends them."""
    found = list(lines)
    for place in range(len(found) - 1):
        (one, text), (other, following) = found[place : place + 2]
        if rng.random() >= share:
            continue
        if rng.random() < 0.5 and (cuts := [cut.end() for cut in CLAUSE.finditer(text)]):
            found[place : place + 2] = (one, text[: cuts[-1]]), (one | other, f"{text[cuts[-1] :]} {following}")
        elif cuts := [cut.end() for cut in CLAUSE.finditer(following)]:
            found[place : place + 2] = (one | other, f"{text} {following[: cuts[0]]}"), (other, following[cuts[0] :])
    return found


def _components(left: list[set[int]], right: list[set[int]]) -> list[Bead]:
    """Lines that belong together because they have sentences in common, and those without any in common alone."""
    groups: list[tuple[set[int], list[int], list[int]]] = []
    for side, lines in enumerate((left, right)):
        for number, sentences in enumerate(lines):
            merged = (set(sentences), [number] if side == 0 else [], [number] if side == 1 else [])
            apart = []
            for group in groups:
                if group[0] & sentences:
                    merged = (merged[0] | group[0], merged[1] + group[1], merged[2] + group[2])
                else:
                    apart.append(group)
            groups = [*apart, merged]
    return [(tuple(sorted(one)), tuple(sorted(other))) for _, one, other in groups]


def gold_document(folder: Path, languages: Sequence[str]) -> KnownDocument:
    """Yearbooks aligned by hand."""
    lines = [(folder / f"dev.{code}.txt").read_text("utf-8").splitlines() for code in languages]
    gold: list[Bead] = []
    for line in (folder / "dev.gold.txt").read_text("utf-8").splitlines():
        left, right = (tuple(map(int, re.findall(r"\d+", part))) for part in line.split(":"))
        gold.append((left, right))
    return KnownDocument((lines[0], lines[1]), gold)


def two_languages(data: Path, name: str, languages: Sequence[str]) -> AlignedCorpus:
    """The rows of a corpus that have both languages."""
    return read_corpus(data / name, languages=list(languages)).aligned(list(languages))
