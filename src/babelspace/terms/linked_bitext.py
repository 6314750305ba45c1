"""Sentence pairs with words, their places in the text, and their links: what phrases and terms are made from."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment import Aligner, Bitext, make_aligner
from babelspace.alignment.links import Links
from babelspace.alignment.symmetrize import symmetrize
from babelspace.corpus import AlignedCorpus
from babelspace.errors import CorpusError, ParameterError
from babelspace.runtime import progress
from babelspace.terms.lexicon import Lexicon, count_links
from babelspace.text import Analyzer
from babelspace.text.word_spans import WordFinder

Tokens = list[str]
Spans = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class LinkedSide:
    """One language of a bitext: its sentences, their words, and where each word stands."""

    language: str
    texts: list[str]
    words: list[Tokens]
    spans: list[Spans]

    @classmethod
    def of(cls, language: str, texts: Sequence[str]) -> LinkedSide:
        """Cut sentences into the words of the usual analyzer."""
        find = WordFinder(Analyzer(language))
        found = [find(text) for text in texts]
        words = [list(map(sys.intern, tokens)) for tokens, _ in found]
        return cls(language, list(texts), words, [spans for _, spans in found])

    def shown(self, sentence: int, start: int, end: int) -> str:
        """The raw text of the words from `start` to before `end`."""
        spans = self.spans[sentence]
        return self.texts[sentence][spans[start][0] : spans[end - 1][1]]


def cut_sides(
    corpus: AlignedCorpus, languages: Sequence[str] | None = None
) -> tuple[list[str], LinkedSide, LinkedSide]:
    """Ids and words of the rows with text in both languages."""
    codes = tuple(languages or corpus.languages)
    if len(codes) != 2:
        raise ParameterError(
            f"a bitext has two languages, this has {', '.join(codes)}", hint='name two: {languages=["en", "es"]}'
        )
    full = corpus.aligned(codes)
    if not len(full):
        raise CorpusError(f"no row has text in both {codes[0]} and {codes[1]}", hint="give pairs of sentences")
    with progress.task("cutting sentences into words"):
        source, target = (LinkedSide.of(code, [text or "" for text in full.texts(code)]) for code in codes)
    return list(full.ids), source, target


@dataclass(frozen=True, eq=False)
class LinkedBitext:
    """Sentence pairs whose words are linked; `posteriors[k]` is the probability of link k, both directions averaged.

    Examples
    --------
    >>> corpus = AlignedCorpus(["1", "2"], {"en": ["a house", "house"], "es": ["una casa", "casa"]})
    >>> bitext = LinkedBitext.of(corpus, aligner="ibm1")
    >>> len(bitext), bitext.links[0]
    (2, [(0, 0), (1, 1)])
    """

    ids: list[str]
    source: LinkedSide
    target: LinkedSide
    links: Links
    posteriors: NDArray[np.float64]

    @classmethod
    def of(
        cls, corpus: AlignedCorpus, languages: Sequence[str] | None = None, aligner: str | Aligner = "fertility"
    ) -> LinkedBitext:
        """Align the words of a corpus of sentence pairs; rows without text in one of the two languages are left out."""
        return cls.linked(*cut_sides(corpus, languages), aligner)

    @classmethod
    def linked(cls, ids: list[str], source: LinkedSide, target: LinkedSide, aligner: str | Aligner) -> LinkedBitext:
        """Align words that are cut."""
        bitext = Bitext.of(source.words, target.words)
        model = make_aligner(aligner).fit(bitext) if isinstance(aligner, str) else aligner
        links = symmetrize(*model.viterbi(bitext))
        packed, text = model.posteriors(bitext).packed, bitext.text
        cells = text.cell_starts[links.sentence] + links.source * bitext.target.lengths[links.sentence] + links.target
        means = (packed.forward[cells].astype(np.float64) + packed.reverse[cells]) / 2
        return cls(ids, source, target, links, means)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target language."""
        return self.source.language, self.target.language

    def swapped(self) -> LinkedBitext:
        """Source and target exchanged."""
        turned = self.links.swapped()
        order = np.lexsort((self.links.source, self.links.target, self.links.sentence))
        return LinkedBitext(self.ids, self.target, self.source, turned, self.posteriors[order])

    def facing(self, language: str) -> LinkedBitext:
        """With this language as the source."""
        if language == self.source.language:
            return self
        if language != self.target.language:
            raise ParameterError(
                f"the bitext has {' and '.join(self.languages)}, not {language}", hint="name one of its languages"
            )
        return self.swapped()

    @cached_property
    def lexicon(self) -> Lexicon:
        """The dictionary of linked words, NULL among them."""
        return count_links(self.links, self.source.words, self.target.words)
