"""Goutte, Yamada & Gaussier 2004, section 1: what alignments are for, phrase pairs and labels carried over."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.shared_task import PAPER, ROWS, described, trained

FOLDER, GOLD = "en-ro", "wpt03_roen_test248"
LONGEST = 5
METHODS = ("ONMF + AIC", "ONMF + BIC", "intersection", "grow-diag-final-and", "union")
MARKS = frozenset(',;:()"?!%')


def work(data: Path, reduced: bool) -> Rows:
    """Phrase pairs beside those of the gold links, and labels whose truth can be read off the words."""
    from babelspace.alignment.formats import read_links
    from babelspace.kernels.alignment.phrases import consistent_phrases
    from benchmarks.measure.cepts import methods

    folder = data / "alignment" / FOLDER
    aligner, bitext = trained(folder, GOLD)
    lengths = bitext.source.lengths, bitext.target.lengths
    known = read_links(folder / described(folder, GOLD)["gold"], base=0).links.without_null()
    gold = consistent_phrases(known, *lengths, LONGEST)
    source, target = words_of(bitext.source), words_of(bitext.target)
    ways, rows = methods(aligner, bitext), {}
    for name in METHODS:
        links = ways[ROWS[name]]().without_null()
        found = consistent_phrases(links, *lengths, LONGEST)
        labels = [carried(links, source, target, label) for label in (is_number, MARKS.__contains__)]
        rows[name] = [*overlap(keys(found), keys(gold)), float(len(found)), in_phrases(found, lengths), *labels]
    return rows


def words_of(side: Any) -> list[list[str]]:
    starts = side.starts
    return [[side.words[n] for n in side.ids[a:b]] for a, b in itertools.pairwise(starts)]


def keys(phrases: np.ndarray) -> set[tuple[int, ...]]:
    return set(map(tuple, phrases.tolist()))


def overlap(found: set[Any], truth: set[Any]) -> tuple[float, float, float]:
    """F, precision and recall."""
    right = len(found & truth)
    return 2 * right / max(len(found) + len(truth), 1), right / max(len(found), 1), right / max(len(truth), 1)


def in_phrases(phrases: np.ndarray, lengths: Sequence[np.ndarray]) -> float:
    """Share of the words of both sides that stand in some phrase pair."""
    covered = 0
    for side, (start, end) in enumerate(((1, 2), (3, 4))):
        borders = np.concatenate([[0], np.cumsum(lengths[side])])
        inside = np.zeros(borders[-1], bool)
        for row in phrases:
            inside[borders[row[0]] + row[start] : borders[row[0]] + row[end]] = True
        covered += int(inside.sum())
    return covered / float(sum(side.sum() for side in lengths))


def is_number(word: str) -> bool:
    return any(character.isdigit() for character in word)


def carried(links: Any, source: list[list[str]], target: list[list[str]], label: Any) -> float:
    """F of a label on single words, carried over by :func:`babelspace.terms.projection.project`."""
    from babelspace.terms.linked_bitext import LinkedBitext, LinkedSide
    from babelspace.terms.projection import LabelledSpan, project

    left, right = (
        LinkedSide(name, [" ".join(words) for words in side], side, [[] for _ in side])
        for name, side in (("en", source), ("ro", target))
    )
    bitext = LinkedBitext([str(n) for n in range(len(source))], left, right, links, np.ones(links.size))
    spans = [LabelledSpan(*place, place[1] + 1, "label") for place in places(source, label)]
    reached = {(span.sentence, n) for span in project(bitext, spans, gap=0) for n in range(span.start, span.end)}
    return overlap(reached, set(places(target, label)))[0]


def places(sentences: list[list[str]], label: Any) -> list[tuple[int, int]]:
    return [(row, place) for row, words in enumerate(sentences) for place, word in enumerate(words) if label(word)]


EXHIBIT = Exhibit(
    paper=PAPER,
    name="section 1",
    shows="what alignments are for: phrase pairs, and labels carried over the links (ro–en)",
    corpus="en-ro: the shared task's bitext with its 248 test sentences, the fertility model",
    differs="The paper names both uses without figures. Phrase pairs of up to five words a side that agree with the "
    "links, beside those that agree with the gold links; *covered*: words that stand in one. Labels whose truth the "
    'spelling of either side tells: numbers and marks (, ; : ( ) " ? ! %). `babelspace terms --phrases` writes Moses '
    "tables, `babelspace project` carries labels.",
    measures=("F", "precision", "recall", "phrase pairs", "covered", "F of numbers", "F of marks"),
    published={},
    orders=[],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
