"""Sentence pairs as packed word ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import CorpusError
from babelspace.kernels.alignment.word_pairs import PackedText, Places, WordPairs, co_occurring, find_places, make_text

Tokens = Sequence[str]


@dataclass(frozen=True, eq=False)
class TokenSide:
    """One language: sentence n has the words `ids[starts[n]:starts[n + 1]]`, numbers into `words`.

    Words are numbered by falling frequency, which keeps the table entries of frequent words together.
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    words: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Sequence[Tokens]) -> TokenSide:
        """Pack token lists."""
        counts = Counter(chain.from_iterable(sentences))
        # Sorting keeps the order of words that are as frequent, also when it is turned round.
        words = tuple(sorted(sorted(counts), key=counts.__getitem__, reverse=True))
        number = {word: position for position, word in enumerate(words)}
        starts = np.zeros(len(sentences) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, sentences), np.int64, len(sentences)), out=starts[1:])
        ids = np.fromiter(map(number.__getitem__, chain.from_iterable(sentences)), np.int32, int(starts[-1]))
        return cls(ids, starts, words)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Words in each sentence."""
        return np.diff(self.starts)

    def part(self, start: int, stop: int) -> TokenSide:
        """Sentences from `start` to before `stop`, with the same numbers."""
        starts = self.starts[start : stop + 1]
        return TokenSide(self.ids[starts[0] : starts[-1]], starts - starts[0], self.words)

    def numbered(self, words: tuple[str, ...]) -> NDArray[np.int32]:
        """The ids in another vocabulary; unknown words all get the number after the last."""
        if words == self.words:
            return self.ids
        number = {word: position for position, word in enumerate(words)}
        table = np.fromiter((number.get(word, len(words)) for word in self.words), np.int32, len(self.words))
        return table[self.ids]


@dataclass(frozen=True, eq=False)
class PairTable:
    """The pairs of words that meet in a bitext, and which pair each cell is; 8 bytes a cell and pair at most."""

    places: Places
    pairs: WordPairs
    cells: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Bitext:
    """Sentence pairs of two languages.

    >>> bitext = Bitext.of([["the", "house"], [], ["a", "house"]], [["la", "maison"], ["oui"], ["une", "maison"]])
    >>> len(bitext), bitext.empty, bitext.source.words[0]
    (3, 1, 'house')
    """

    source: TokenSide
    target: TokenSide

    @classmethod
    def of(cls, source: Iterable[Tokens], target: Iterable[Tokens]) -> Bitext:
        """From two lists of token lists of the same length."""
        left, right = list(source), list(target)
        if len(left) != len(right):
            raise CorpusError(
                f"{len(left):,} source sentences and {len(right):,} target sentences",
                hint="line n of one side must be the translation of line n of the other; use an empty line for none.",
            )
        for name, side in (("source", left), ("target", right)):
            number = next((n for n, sentence in enumerate(side) if isinstance(sentence, str)), None)
            if number is not None:
                raise CorpusError(
                    f"{name} sentence {number + 1} is a string, not a list of tokens: {side[number]!r:.60}",
                    hint="split it first, for example with str.split or an Analyzer.",
                )
        return cls(TokenSide.of(left), TokenSide.of(right))

    def __len__(self) -> int:
        return len(self.source.starts) - 1

    @property
    def empty(self) -> int:
        """Sentence pairs with no word on one side or both: they get no links and teach nothing."""
        return int(np.sum((self.source.lengths == 0) | (self.target.lengths == 0)))

    @property
    def longest(self) -> int:
        """The most words in one sentence of either side."""
        return int(max(self.source.lengths.max(initial=0), self.target.lengths.max(initial=0)))

    @cached_property
    def text(self) -> PackedText:
        """The arrays that kernels read."""
        return make_text(self.source.ids, self.source.starts, self.target.ids, self.target.starts)

    @cached_property
    def table(self) -> PairTable:
        """Pairs of words that meet; made once, when first needed."""
        return PairTable(*co_occurring(self.text, len(self.source.words), len(self.target.words)))

    def part(self, start: int, stop: int) -> Bitext:
        """Sentence pairs from `start` to before `stop`, with the words and the table of all."""
        start, stop, _ = slice(start, stop).indices(len(self))
        found = Bitext(self.source.part(start, stop), self.target.part(start, stop))
        if "table" in self.__dict__:
            cells = self.table.cells[self.text.cell_starts[start] : self.text.cell_starts[stop]]
            places = find_places(found.text, len(found.source.words))
            found.__dict__["table"] = PairTable(places, self.table.pairs, cells)
        return found

    def numbered(self, source: tuple[str, ...], target: tuple[str, ...]) -> PackedText:
        """The arrays with ids of other vocabularies."""
        ids = (self.source.numbered(source), self.target.numbered(target))
        return self.text._replace(source=ids[0], target=ids[1])
