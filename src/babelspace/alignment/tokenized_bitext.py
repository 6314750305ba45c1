"""Sentence pairs as words: those of the text, or tokens that somebody else cut; and their links as a result."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from babelspace.alignment.links import Links
from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError
from babelspace.runtime import progress
from babelspace.runtime.results import Result
from babelspace.text import Analyzer
from babelspace.text.word_spans import WordFinder

Sentences = list[list[str]]
Spans = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class TokenizedSide:
    """One language: words as the text has them, what an aligner learns of them, and where they stand in the text.

    Tokens that were cut by somebody else are learned as they are, and have no text around them.
    """

    words: Sentences
    learned: Sentences
    texts: list[str] | None = None
    spans: list[Spans] | None = None

    @classmethod
    def of_tokens(cls, sentences: Sentences) -> TokenizedSide:
        """Tokens as they are."""
        return cls(sentences, sentences)

    @classmethod
    def of_texts(cls, texts: Sequence[str | None], language: str, lowercase: bool = False) -> TokenizedSide:
        """Texts, cut by the rules of their language; what is learned is lower-case, what is shown if asked for."""
        find = WordFinder(Analyzer(language))
        given = [text or "" for text in texts]
        found = [find.apart(text) for text in progress.track(given, f"cutting {language} into words")]
        shown = (([text[start:end] for start, end in spans]) for text, (_, spans) in zip(given, found, strict=True))
        # Interned: one string a word, not one an occurrence, which would be most of the memory.
        words = [[sys.intern(word.lower() if lowercase else word) for word in sentence] for sentence in shown]
        learned = [list(map(sys.intern, keys)) for keys, _ in found]
        return cls(words, learned, given, [spans for _, spans in found])


@dataclass(frozen=True, eq=False)
class TokenizedBitext:
    """Sentence pairs in words; `languages` is None where nobody told them."""

    ids: list[str]
    source: TokenizedSide
    target: TokenizedSide
    languages: tuple[str, str] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of_corpus(
        cls,
        corpus: AlignedCorpus,
        languages: Sequence[str] | None = None,
        *,
        tokenised: bool = False,
        lowercase: bool = False,
    ) -> TokenizedBitext:
        """The rows of two languages; a row that lacks one has no words there.

        >>> corpus = AlignedCorpus(["1"], {"en": ["Don't panic!"], "fr": ["Pas l'eau."]})
        >>> bitext = TokenizedBitext.of_corpus(corpus)
        >>> bitext.source.words, bitext.target.words, bitext.target.learned
        ([["Don't", 'panic']], [['Pas', 'l', 'eau']], [['pas', 'l', 'eau']])
        """
        codes = tuple(languages or corpus.languages)
        if len(codes) != 2:
            raise ParameterError(
                f"a bitext has two languages, this has {', '.join(codes)}", hint='name two: {languages="en,es"}'
            )
        one, other = codes
        if tokenised:
            sides = [TokenizedSide.of_tokens(split_lines(corpus.texts(code), lowercase)) for code in codes]
        else:
            sides = [TokenizedSide.of_texts(corpus.texts(code), code, lowercase) for code in codes]
        return cls(list(corpus.ids), sides[0], sides[1], (one, other))

    def words_as_corpus(self) -> AlignedCorpus:
        """The words with spaces between, as files of tokenised text have them."""
        names = self.languages or ("source", "target")
        sides = zip(names, (self.source, self.target), strict=True)
        return AlignedCorpus(self.ids, {name: [" ".join(words) for words in side.words] for name, side in sides})


def split_lines(lines: Iterable[str | None], lowercase: bool = False) -> Sentences:
    """The words of each line, with spaces between."""
    texts = ((line or "").lower() if lowercase else line or "" for line in lines)
    return [list(map(sys.intern, text.split())) for text in texts]


@dataclass(frozen=True, eq=False)
class WordLinks(Result):
    """The word links of a bitext; as a table, a row a link.

    >>> corpus = AlignedCorpus(["1"], {"en": ["red wine"], "es": ["vino tinto"]})
    >>> WordLinks(TokenizedBitext.of_corpus(corpus), Links.of([[(0, 1), (1, 0)]])).records()[0]
    {'sentence': '1', 'source': 0, 'target': 1, 'source_word': 'red', 'target_word': 'tinto', 'sure': True}
    """

    kind: ClassVar[str] = "links"
    bitext: TokenizedBitext
    links: Links

    def columns(self) -> dict[str, Any]:
        """Names of sentences, positions from 0, words, and whether a link is sure; links to NULL are left out."""
        kept = self.links.without_null()
        owners, left, right = kept.sentence.tolist(), kept.source.tolist(), kept.target.tolist()
        words = self.bitext.source.words, self.bitext.target.words
        return {
            "sentence": [self.bitext.ids[n] for n in owners],
            "source": kept.source,
            "target": kept.target,
            "source_word": [words[0][n][place] for n, place in zip(owners, left, strict=True)],
            "target_word": [words[1][n][place] for n, place in zip(owners, right, strict=True)],
            "sure": kept.sure,
        }

    def __len__(self) -> int:
        return self.links.without_null().size
