"""Sentence alignment on gold beads beside Gale & Church (1993), and how many sentences a second.

`python -m benchmarks.measure.sentences --data DATA` prints; DATA is the folder of corpora.
"""

from __future__ import annotations

import argparse
import re
import time
from math import erf, log, sqrt
from pathlib import Path

from babelspace import Document, read_corpus
from babelspace.mining.sentences.alignment import align_beads
from babelspace.mining.sentences.text_pairs import TextPairs
from babelspace.mining.sentences.word_table import WordTable
from babelspace.text.sentences import SentenceSplitter, Span

Bead = tuple[tuple[int, ...], tuple[int, ...]]
KINDS = {(1, 1): 0.89, (1, 0): 0.00495, (0, 1): 0.00495, (2, 1): 0.0445, (1, 2): 0.0445, (2, 2): 0.011}
SPREAD, BAND, SPEECHES = 6.8, 60, 1_500


class Lines(SentenceSplitter):
    """Every line is a sentence."""

    def spans(self, text: str) -> list[Span]:
        """Start and end of each line."""
        return [found.span() for found in re.finditer(r"[^\n]+", text)]


def gale_church(source: list[int], target: list[int], ratio: float) -> list[Bead]:
    """The paper's program: lengths in characters and kinds of beads alone."""
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    n, m = len(source), len(target)
    for i in range(n + 1):
        middle = i * m // max(n, 1)
        for j in range(max(0, middle - BAND), min(m, middle + BAND) + 1):
            for (a, b), prior in KINDS.items():
                before = best.get((i - a, j - b))
                if before is not None:
                    left, right = sum(source[i - a : i]), sum(target[j - b : j])
                    away = (ratio * left - right) / sqrt(SPREAD * max((left + right / ratio) / 2, 1))
                    cost = before[0] - log(prior) - log(max(1 - erf(abs(away) / sqrt(2)), 1e-300))
                    if (i, j) not in best or cost < best[i, j][0]:
                        best[i, j] = cost, (a, b)
    found: list[Bead] = []
    i, j = n, m
    while i or j:
        a, b = best[i, j][1]
        found.append((tuple(range(i - a, i)), tuple(range(j - b, j))))
        i, j = i - a, j - b
    return found[::-1]


def f_scores(found: list[Bead], gold: list[Bead]) -> tuple[float, float]:
    """Strict F (the same bead) and lax F (sentences of both sides in common), of beads with two sides."""
    one, other = ([bead for bead in beads if bead[0] and bead[1]] for beads in (found, gold))

    def f(right: int, kept: int) -> float:
        precision, recall = right / max(len(one), 1), kept / max(len(other), 1)
        return 2 * precision * recall / max(precision + recall, 1e-12)

    def meets(bead: Bead, beads: list[Bead]) -> bool:
        return any(set(bead[0]) & set(others[0]) and set(bead[1]) & set(others[1]) for others in beads)

    same = len(set(one) & set(other))
    return f(same, same), f(sum(meets(bead, other) for bead in one), sum(meets(bead, one) for bead in other))


def beads_of(pairs: TextPairs, table: WordTable, rounds: int) -> list[Bead]:
    """Our beads of one document."""
    rows = align_beads(pairs, table, rounds).beads.tolist()
    return [(tuple(range(i, i + a)), tuple(range(j, j + b))) for i, a, j, b in rows]


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    speeches = read_corpus(data / "europarl-7", languages=["de", "fr"]).aligned(["de", "fr"]).select(range(SPEECHES))
    begun = time.process_time()
    texts = TextPairs.of(speeches.documents("de"), speeches.documents("fr"))
    cut = time.process_time() - begun
    learned = align_beads(texts, WordTable.empty(), 2)
    align_beads(texts, learned.table, 0)
    begun = time.process_time()
    align_beads(texts, learned.table, 0)
    passed = time.process_time() - begun
    count = len(texts.source)
    print(f"{count:,} sentences: {count / cut:,.0f} a CPU second cut, {count / passed:,.0f} aligned in one pass")
    folder = data / "sentences" / "textberg-de-fr"
    sides = [[Document("1", code, (folder / f"dev.{code}.txt").read_text("utf-8"))] for code in ("de", "fr")]
    pairs = TextPairs.of(sides[0], sides[1], splitters=(Lines("de"), Lines("fr")))
    gold: list[Bead] = []
    for line in (folder / "dev.gold.txt").read_text("utf-8").splitlines():
        left, right = (tuple(map(int, re.findall(r"\d+", part))) for part in line.split(":"))
        gold.append((left, right))
    lengths = [[end - start for start, end in side.spans] for side in (pairs.source, pairs.target)]
    contenders = {
        "Gale & Church": gale_church(lengths[0], lengths[1], pairs.ratio),
        "no dictionary, no round": beads_of(pairs, WordTable.empty(), 0),
        "no dictionary, two rounds": beads_of(pairs, WordTable.empty(), 2),
        f"words of {SPEECHES:,} speeches, two rounds": beads_of(pairs, learned.table, 2),
    }
    for name, beads in contenders.items():
        strict, lax = f_scores(beads, gold)
        print(f"{name}: strict F {strict:.3f}, lax F {lax:.3f}")


if __name__ == "__main__":
    main()
