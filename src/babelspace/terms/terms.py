"""Bilingual terms: phrases that are terms in both languages and translate each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass, fields
from itertools import chain, compress
from math import expm1, log2
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.runtime.results import Result
from babelspace.terms.linked_bitext import LinkedBitext, LinkedSide
from babelspace.terms.phrases import Phrase, PhraseTable, phrase_table

Floats = NDArray[np.float64]
# Words that make up this share of the running text, the most frequent first, neither begin nor end a term, but for
# those that come in bursts; where words do at all, nor do those of a larger share that are spread quite evenly.
STOPPED, BURSTS = 0.4, 0.5
ALSO_STOPPED, EVEN = 0.6, 0.35
# Sentences that are looked at together to see how evenly a word is spread.
BLOCK = 20
# What may stand between two words of a term, beside spaces.
JOINTS = frozenset("-‐‑'’·./&+_")
# A pair is part of an expression if function words go with it, linked to nothing else, in so much of its places.
EXPRESSION = 0.7
# Examples that are kept for each term.
EXAMPLES = 3


@dataclass(frozen=True, eq=False)
class Terms(Result):
    """Pairs of terms, the most important first.

    `frequency` is how often the pair was seen, `probability` the geometric mean of both directions, `c_value` how much
    of a term both sides are (the smaller of the two), `significance` -log10 p of chance. `examples[n]` are numbers of
    sentence pairs in which pair n stands.
    """

    kind: ClassVar[str] = "terms"
    languages: tuple[str, str]
    source: list[str]
    target: list[str]
    frequency: NDArray[np.int64]
    probability: Floats
    c_value: Floats
    significance: Floats
    examples: list[list[int]]
    bitext: LinkedBitext

    def columns(self) -> dict[str, Any]:
        """Named columns, with one example."""
        numbers = {field.name: getattr(self, field.name) for field in fields(self)[3:7]}
        shown = {
            f"{name}_example": [side.texts[part[0]] for part in self.examples]
            for name, side in (("source", self.bitext.source), ("target", self.bitext.target))
        }
        return {"source": self.source, "target": self.target, **numbers, **shown}


def extract_terms(
    bitext: LinkedBitext,
    *,
    min_frequency: int = 2,
    min_probability: float = 0.1,
    min_significance: float = 3.0,
    longest: int = 5,
    most: int | None = None,
) -> Terms:
    """Terms of both languages with their translations.

    Candidates of each language are runs of words without punctuation between them that neither begin nor end with one
    of its most frequent words (unless that comes in bursts, as words of a subject do), by C-value (Frantzi, Ananiadou &
    Mima 2000): frequent and long ones, without those that only stand inside others. A pair is kept if the phrases are
    consistent with the word links and each is the best translation of the other.

    Parameters
    ----------
    min_frequency, min_probability, min_significance
        Least count, geometric mean of both probabilities, and -log10 p.
    longest
        Most words of a term.
    most
        Keep so many of the most important ones.

    Examples
    --------
    >>> from babelspace.corpus import AlignedCorpus
    >>> texts = {"en": ["text box", "open text box", "cell"], "es": ["cuadro texto", "abra cuadro texto", "celda"]}
    >>> bitext = LinkedBitext.of(AlignedCorpus([*"123"], texts), aligner="hmm")
    >>> extract_terms(bitext, min_significance=0).source
    ['text box']
    """
    if min_frequency < 1 or not 0 <= min_probability <= 1:
        raise ParameterError(
            f"min_frequency must be 1 or more and min_probability a share, got {min_frequency} and {min_probability}",
            hint="try {min_frequency=2} and {min_probability=0.1}",
        )
    sides = bitext.source, bitext.target
    stopped = _stop_words(sides[0].words), _stop_words(sides[1].words)
    values = [term_candidates(side, longest, words) for side, words in zip(sides, stopped, strict=True)]
    table = phrase_table(bitext, longest, min_frequency)
    mean = np.sqrt(table.forward * table.reverse)
    fits = np.array(
        [left in values[0] and right in values[1] for left, right in zip(table.source, table.target, strict=True)], bool
    )
    fits &= (mean >= min_probability) & (table.significance >= min_significance)
    fits &= ~_parts_of_expressions(table, stopped)
    kept = _two_way(table, np.flatnonzero(fits), mean)
    c_value = np.array([min(values[0][table.source[n]], values[1][table.target[n]]) for n in kept], np.float64)
    order = np.argsort(-c_value * mean[kept], kind="stable")[:most]
    chosen = kept[order]
    places = [table.rows[n] for n in chosen.tolist()]
    return Terms(
        bitext.languages,
        [_usual(bitext.source, rows[:, :3]) for rows in places],
        [_usual(bitext.target, rows[:, [0, 3, 4]]) for rows in places],
        table.count[chosen].astype(np.int64),
        mean[chosen],
        c_value[order],
        table.significance[chosen],
        [_examples(bitext, rows) for rows in places],
        bitext,
    )


def term_candidates(side: LinkedSide, longest: int = 5, stopped: Set[str] | None = None) -> dict[Phrase, float]:
    """The C-value of every run of words that may be a term and was seen twice; values above 0 only.

    C(a) = log2(|a| + 1) (f(a) - max f(b) over the candidates b that a stands inside). The maximum, where the
    paper has the mean: without a tagger many of the longer runs are no terms, and their small counts would hide
    that a never stands alone.
    """
    stopped = _stop_words(side.words) if stopped is None else stopped
    counts = Counter[Phrase]()
    for sentence, words in enumerate(side.words):
        ends = _run_ends(side, sentence)
        edges = [word not in stopped and _spelled(word) for word in words]
        for start in compress(range(len(words)), edges):
            for end in range(start + 1, min(ends[start], start + longest) + 1):
                if edges[end - 1]:
                    counts[tuple(words[start:end])] += 1
    frequent = {phrase: count for phrase, count in counts.items() if count > 1}
    outer: dict[Phrase, list[int]] = defaultdict(list)
    for phrase, count in frequent.items():
        for inner in _inside(phrase):
            if inner in frequent:
                outer[inner].append(count)
    values = {
        phrase: log2(len(phrase) + 1) * (count - max(outer[phrase], default=0)) for phrase, count in frequent.items()
    }
    return {phrase: value for phrase, value in values.items() if value > 0}


def _run_ends(side: LinkedSide, sentence: int) -> list[int]:
    """For each word of a sentence the end of the run of words that no punctuation parts from it."""
    text, spans = side.texts[sentence], side.spans[sentence]
    ends = [len(spans)] * len(spans)
    for place in range(len(spans) - 2, -1, -1):
        between = text[spans[place][1] : spans[place + 1][0]]
        together = not between or between.isspace() or between in JOINTS
        ends[place] = ends[place + 1] if together else place + 1
    return ends


def _stop_words(sentences: Sequence[Sequence[str]]) -> set[str]:
    """The most frequent words, as many as make up `STOPPED` of the text, and more of those that are evenly spread."""
    counts = Counter(word for words in sentences for word in words)
    bursts = _residual_idf(sentences, counts)
    in_order = float(np.median([bursts[word] for word, count in counts.items() if count > 4] or [0.0])) > EVEN
    total, seen = sum(counts.values()), 0
    stopped: set[str] = set()
    for word, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        # In a short text words of the subject are among the most frequent, too.
        if count < 5 or len(stopped) >= len(counts) ** 0.5 or seen >= (ALSO_STOPPED if in_order else STOPPED) * total:
            break
        if bursts[word] < (BURSTS if seen < STOPPED * total else EVEN):
            stopped.add(word)
        seen += count
    return stopped


def _residual_idf(sentences: Sequence[Sequence[str]], counts: Counter[str]) -> dict[str, float]:
    """How much rarer than by chance words are among blocks of sentences: those of a subject come in bursts.

    The difference between -log2 of the share of blocks that have a word, and of the share that would have it if each
    occurrence fell anywhere (Church & Gale 1995).
    """
    blocks = [set(chain.from_iterable(sentences[n : n + BLOCK])) for n in range(0, len(sentences), BLOCK)]
    found = Counter(chain.from_iterable(blocks))
    return {word: log2(-expm1(-count / len(blocks)) * len(blocks) / found[word]) for word, count in counts.items()}


def _spelled(word: str) -> bool:
    """Whether a word has letters: a number at the edge makes no term."""
    return any(map(str.isalpha, word)) and len(word) > 1


def _inside(phrase: Phrase) -> set[Phrase]:
    """The shorter runs in a phrase."""
    size = len(phrase)
    return {phrase[a:b] for a in range(size) for b in range(a + 1, size + 1) if b - a < size}


def _two_way(table: PhraseTable, numbers: NDArray[np.int64], mean: Floats) -> NDArray[np.int64]:
    """The pairs that are best for both their sides."""
    best: tuple[dict[Phrase, int], dict[Phrase, int]] = {}, {}
    for n in sorted(numbers.tolist(), key=lambda n: -mean[n]):
        best[0].setdefault(table.source[n], n)
        best[1].setdefault(table.target[n], n)
    kept = [n for n in numbers.tolist() if best[0][table.source[n]] == n == best[1][table.target[n]]]
    return np.array(kept, np.int64)


def _parts_of_expressions(table: PhraseTable, stopped: Sequence[Set[str]]) -> NDArray[np.bool_]:
    """Which pairs are nearly as frequent with function words around one side, as *through – través* with *a través de*.

    An article is linked to the article of the other side, so that both sides have it, or none.
    """
    places = {pair: n for n, pair in enumerate(zip(table.source, table.target, strict=True))}
    parts = np.zeros(len(table.count), bool)
    for (source, target), n in places.items():
        for bare in ((_bare(source, stopped[0]), target), (source, _bare(target, stopped[1]))):
            inner = places.get(bare, n)
            parts[inner] |= inner != n and table.count[n] >= EXPRESSION * table.count[inner]
    return parts


def _bare(phrase: Phrase, stopped: Set[str]) -> Phrase:
    """A phrase without the function words at its edges."""
    kept = [place for place, word in enumerate(phrase) if word not in stopped]
    return phrase[kept[0] : kept[-1] + 1] if kept else ()


def _usual(side: LinkedSide, rows: NDArray[np.int32]) -> str:
    """The most frequent spelling, with the capitals that it has inside sentences."""
    seen = Counter(side.shown(sentence, start, end) for sentence, start, end in rows.tolist())
    return max(sorted(seen), key=lambda text: (seen[text], text == text.lower()))


def _examples(bitext: LinkedBitext, rows: NDArray[np.int32]) -> list[int]:
    """Sentence pairs that show a pair, those of middle length first."""
    numbers = sorted(set(rows[:, 0].tolist()))
    return sorted(numbers, key=lambda n: (abs(len(bitext.source.words[n]) - 12), n))[:EXAMPLES]
