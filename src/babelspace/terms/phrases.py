"""Phrase tables: runs of words that translate each other, scored both ways."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.kernels.alignment.phrases import consistent_phrases
from babelspace.runtime import progress
from babelspace.runtime.files import atomic_text
from babelspace.runtime.results import Result
from babelspace.terms.lexicon import NULL_WORD, fisher_significance
from babelspace.terms.linked_bitext import LinkedBitext

Floats = NDArray[np.float64]
Phrase = tuple[str, ...]
Links = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class PhraseTable(Result):
    """Phrase pairs in the order of the source.

    `count` is how often a pair was extracted, `forward` P(target | source), `reverse` P(source | target);
    `lexical_forward` and `lexical_reverse` are the lexical weights of Koehn, Och & Marcu (2003) under the most frequent
    links inside the pair; `significance` is -log10 p of Fisher's exact test over sentence pairs (Johnson et al. 2007).
    `rows[n]` are the places of pair n: sentence, source start and end, target start and end.
    """

    source: list[Phrase]
    target: list[Phrase]
    count: Floats
    forward: Floats
    reverse: Floats
    lexical_forward: Floats
    lexical_reverse: Floats
    significance: Floats
    links: list[Links]
    rows: list[NDArray[np.int32]]

    def columns(self) -> dict[str, Any]:
        """Named columns, phrases as strings."""
        numbers = [field.name for field in fields(self)][2:8]
        texts = {"source": [" ".join(words) for words in self.source], "target": [" ".join(w) for w in self.target]}
        return texts | {name: getattr(self, name) for name in numbers}

    def write_moses(self, path: str | Path) -> Path:
        """Write `source ||| target ||| P(s|t) lex(s|t) P(t|s) lex(t|s) ||| links ||| counts`, as Moses reads it."""
        totals = [_totals(phrases, self.count) for phrases in (self.source, self.target)]
        scores = np.stack([self.reverse, self.lexical_reverse, self.forward, self.lexical_forward], axis=1)
        with atomic_text(path) as stream:
            for n, (left, right) in enumerate(zip(self.source, self.target, strict=True)):
                inside = " ".join(f"{i}-{j}" for i, j in self.links[n])
                counts = f"{totals[1][n]:g} {totals[0][n]:g} {self.count[n]:g}"
                numbers = " ".join(f"{value:.6g}" for value in scores[n])
                stream.write(f"{' '.join(left)} ||| {' '.join(right)} ||| {numbers} ||| {inside} ||| {counts}\n")
        return Path(path)


def phrase_table(bitext: LinkedBitext, longest: int = 5, min_count: int = 1) -> PhraseTable:
    """The phrase pairs of a bitext that are consistent with its links.

    Parameters
    ----------
    longest : most words on each side
    min_count : pairs that were seen less often are left out (they still count in the probabilities)

    Examples
    --------
    >>> from babelspace.corpus import AlignedCorpus
    >>> texts = {"en": ["red", "house", "the red house"], "fr": ["rouge", "maison", "la maison rouge"]}
    >>> table = phrase_table(LinkedBitext.of(AlignedCorpus(["1", "2", "3"], texts), aligner="ibm1"))
    >>> table.target[table.source.index(("red", "house"))]
    ('maison', 'rouge')
    """
    if longest < 1 or min_count < 1:
        raise ParameterError(
            f"longest and min_count must be 1 or more, got {longest} and {min_count}", hint="try 5 and 1"
        )
    lengths = [np.array([len(words) for words in side.words], np.int64) for side in (bitext.source, bitext.target)]
    with progress.task("extracting phrases"):
        rows = consistent_phrases(bitext.links, lengths[0], lengths[1], longest)
        groups: dict[tuple[Phrase, Phrase], list[int]] = defaultdict(list)
        left, right = bitext.source.words, bitext.target.words
        for number, (sentence, a, b, c, d) in enumerate(rows.tolist()):
            groups[tuple(left[sentence][a:b]), tuple(right[sentence][c:d])].append(number)
    counts = np.array([len(places) for places in groups.values()], np.float64)
    totals = [_totals([pair[side] for pair in groups], counts) for side in (0, 1)]
    kept = [n for n, pair in enumerate(groups) if counts[n] >= min_count]
    pairs, places = list(groups), list(groups.values())
    kept.sort(key=lambda n: (pairs[n][0], -counts[n], pairs[n][1]))
    chosen = np.array(kept, np.int64)
    sentences = [_sentences(rows, places, [pair[side] for pair in pairs]) for side in (0, 1)]
    together = np.array([len(set(rows[places[n], 0].tolist())) for n in kept], np.float64)
    inside = [_inner_links(bitext, rows, places[n]) for n in kept]
    weights = _Weights(bitext)
    lexical = np.array(
        [weights.both(*pairs[n], links) for n, links in zip(kept, inside, strict=True)], np.float64
    ).reshape(-1, 2)
    return PhraseTable(
        [pairs[n][0] for n in kept],
        [pairs[n][1] for n in kept],
        counts[chosen],
        (counts / totals[0])[chosen],
        (counts / totals[1])[chosen],
        lexical[:, 0],
        lexical[:, 1],
        fisher_significance(together, sentences[0][chosen], sentences[1][chosen], float(len(bitext))),
        inside,
        [rows[places[n]] for n in kept],
    )


def _totals(phrases: list[Phrase], counts: Floats) -> Floats:
    """For each pair, how often its phrase of one side was extracted."""
    sums: dict[Phrase, float] = defaultdict(float)
    for phrase, count in zip(phrases, counts.tolist(), strict=True):
        sums[phrase] += count
    return np.array([sums[phrase] for phrase in phrases], np.float64)


def _sentences(rows: NDArray[np.int32], places: list[list[int]], phrases: list[Phrase]) -> Floats:
    """For each pair, in how many sentences its phrase of one side was extracted."""
    found: dict[Phrase, set[int]] = defaultdict(set)
    for phrase, numbers in zip(phrases, places, strict=True):
        found[phrase].update(rows[numbers, 0].tolist())
    return np.array([len(found[phrase]) for phrase in phrases], np.float64)


def _inner_links(bitext: LinkedBitext, rows: NDArray[np.int32], places: list[int]) -> Links:
    """The most frequent links inside a pair; among equals the first seen."""
    seen: dict[Links, int] = defaultdict(int)
    for sentence, a, b, c, d in rows[places].tolist():
        part = slice(bitext.links.offsets[sentence], bitext.links.offsets[sentence + 1])
        pairs = zip(bitext.links.source[part].tolist(), bitext.links.target[part].tolist(), strict=True)
        seen[tuple((i - a, j - c) for i, j in pairs if a <= i < b and c <= j < d)] += 1
    return max(seen, key=seen.__getitem__)


class _Weights:
    """Lexical weights: for each word the mean probability of the words that it is linked to, or of NULL."""

    def __init__(self, bitext: LinkedBitext) -> None:
        table = bitext.lexicon
        pairs = list(zip(table.source, table.target, strict=True))
        self.forward = dict(zip(pairs, table.forward.tolist(), strict=True))
        self.reverse = {(b, a): p for (a, b), p in zip(pairs, table.reverse.tolist(), strict=True)}

    def both(self, source: Phrase, target: Phrase, links: Links) -> tuple[float, float]:
        """Of the target given the source, and of the source given the target."""
        turned = tuple((j, i) for i, j in links)
        return self._weight(source, target, links, self.forward), self._weight(target, source, turned, self.reverse)

    @staticmethod
    def _weight(given: Phrase, made: Phrase, links: Links, table: dict[tuple[str, str], float]) -> float:
        product = 1.0
        for place, word in enumerate(made):
            partners = [given[i] for i, j in links if j == place] or [NULL_WORD]
            product *= sum(table.get((partner, word), 1e-7) for partner in partners) / len(partners)
        return product
