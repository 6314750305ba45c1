"""Look-up: how a word or phrase was translated, with the sentences that show it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from babelspace.errors import ParameterError
from babelspace.runtime.results import Result
from babelspace.terms.linked_bitext import LinkedBitext, LinkedSide
from babelspace.text import Analyzer
from babelspace.text.ngrams import word_ngrams

# Words count as forms of one word if this share of their character n-grams is common (Dice), and how they begin.
ALIKE, BEGINNING, NGRAM = 0.5, 3, 3
OPEN, CLOSE = "[", "]"
WILD = re.compile(r"\*+")


@dataclass(frozen=True)
class Example:
    """A sentence pair with the places of the query and of its translation in both texts, and the link probability."""

    id: str
    source: str
    target: str
    source_spans: tuple[tuple[int, int], ...]
    target_spans: tuple[tuple[int, int], ...]
    probability: float

    def marked(self, opening: str = OPEN, closing: str = CLOSE) -> tuple[str, str]:
        """Both texts with marks around what belongs together."""
        return (
            _marked(self.source, self.source_spans, opening, closing),
            _marked(self.target, self.target_spans, opening, closing),
        )


@dataclass(frozen=True, eq=False)
class Lookup(Result):
    """Translations of a query, most probable first; `count` occurrences each, `examples` the clearest ones first.

    `occurrences` counts the places of the query, `unlinked` those without any link.
    """

    query: str
    languages: tuple[str, str]
    translation: list[str]
    probability: list[float]
    count: list[int]
    examples: list[list[Example]]
    occurrences: int
    unlinked: int

    def columns(self) -> dict[str, Any]:
        """Named columns, with one marked example."""
        marked = [part[0].marked() for part in self.examples]
        return {
            "translation": self.translation,
            "probability": self.probability,
            "count": self.count,
            "source_example": [one for one, _ in marked],
            "target_example": [other for _, other in marked],
        }


def look_up(
    bitext: LinkedBitext,
    query: str,
    language: str | None = None,
    *,
    inflected: bool = False,
    most: int = 10,
    examples: int = 3,
) -> Lookup:
    """Translations of a word or phrase with probabilities and examples.

    Parameters
    ----------
    query
        Words; `*` in a word stands for any letters (`govern*`), alone for any word.
    language
        That of the query; by default the source language of the bitext.
    inflected
        Also forms of the words: those that begin alike and share half of their character trigrams.
    most, examples
        How many translations, and examples of each.

    Examples
    --------
    >>> from babelspace.corpus import AlignedCorpus
    >>> texts = {"en": ["red", "house", "the red house"], "fr": ["rouge", "maison", "la maison rouge"]}
    >>> bitext = LinkedBitext.of(AlignedCorpus(["1", "2", "3"], texts), aligner="ibm1")
    >>> found = look_up(bitext, "red house", "en")
    >>> found.translation, found.examples[0][0].marked()
    (['maison rouge'], ('the [red] [house]', 'la [maison] [rouge]'))
    """
    facing = bitext.facing(language or bitext.source.language)
    wanted = _patterns(query, facing.source, inflected)
    groups: dict[tuple[str, ...], list[Example]] = defaultdict(list)
    occurrences = unlinked = 0
    for sentence, start in _places(facing.source, wanted):
        occurrences += 1
        example, words = _translated(facing, sentence, start, start + len(wanted))
        if example is None:
            unlinked += 1
        else:
            groups[words].append(example)
    linked = occurrences - unlinked
    order = sorted(groups, key=lambda words: (-len(groups[words]), words))[:most]
    clear = [sorted(groups[words], key=lambda one: (-one.probability, len(one.source), one.id)) for words in order]
    return Lookup(
        query,
        facing.languages,
        [" ".join(words) for words in order],
        [len(groups[words]) / linked for words in order],
        [len(groups[words]) for words in order],
        [part[:examples] for part in clear],
        occurrences,
        unlinked,
    )


def forms_of(word: str, vocabulary: Iterable[str]) -> set[str]:
    """The words that look like forms of one: they begin alike and share half of their character trigrams.

    >>> sorted(forms_of("house", ["houses", "housing", "horse", "mouse", "house"]))
    ['house', 'houses', 'housing']
    """
    grams = set(word_ngrams(word, NGRAM, NGRAM))
    found = set()
    for other in vocabulary:
        if other[:BEGINNING] == word[:BEGINNING]:
            others = set(word_ngrams(other, NGRAM, NGRAM))
            # The end of a word is where forms differ: it does not count against them.
            shared = len(grams & others)
            if other == word or 2 * shared >= ALIKE * (len(grams) + len(others) - 2):
                found.add(other)
    return found


def _patterns(query: str, side: LinkedSide, inflected: bool) -> list[set[str]]:
    """For each word of the query the words of the bitext that it stands for."""
    analyzer = Analyzer(side.language)
    vocabulary = {word for words in side.words for word in words}
    wanted: list[set[str]] = []
    for piece in query.split():
        if "*" in piece:
            parts = ["".join(analyzer(part)) for part in WILD.split(piece)]
            pattern = re.compile(".*".join(map(re.escape, parts)))
            wanted.append({word for word in vocabulary if pattern.fullmatch(word)})
        else:
            words = analyzer(piece)
            wanted += [forms_of(word, vocabulary) if inflected else {word} for word in words]
    if not wanted:
        raise ParameterError(f"no word in the query {query!r}", hint="write a word or several")
    return wanted


def _places(side: LinkedSide, wanted: list[set[str]]) -> Iterable[tuple[int, int]]:
    size = len(wanted)
    for sentence, words in enumerate(side.words):
        for start in range(len(words) - size + 1):
            if all(words[start + n] in wanted[n] for n in range(size)):
                yield sentence, start


def _translated(bitext: LinkedBitext, sentence: int, start: int, end: int) -> tuple[Example | None, tuple[str, ...]]:
    """The words linked to a run of words, gaps left out."""
    part = slice(bitext.links.offsets[sentence], bitext.links.offsets[sentence + 1])
    source, target = bitext.links.source[part], bitext.links.target[part]
    inside = (source >= start) & (source < end)
    places = sorted(set(target[inside].tolist()))
    if not places:
        return None, ()
    example = Example(
        bitext.ids[sentence],
        bitext.source.texts[sentence],
        bitext.target.texts[sentence],
        tuple(dict.fromkeys(bitext.source.spans[sentence][start:end])),
        tuple(dict.fromkeys(bitext.target.spans[sentence][place] for place in places)),
        float(bitext.posteriors[part][inside].mean()),
    )
    return example, tuple(bitext.target.words[sentence][place] for place in places)


def _marked(text: str, spans: Iterable[tuple[int, int]], opening: str, closing: str) -> str:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]}{opening}{text[start:end]}{closing}{text[end:]}"
    return text
