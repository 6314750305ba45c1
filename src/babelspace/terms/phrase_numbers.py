"""Numbers for phrases and for the links inside them, so that millions of places are counted without strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.links import Links
from babelspace.kernels.alignment.phrases import BITS, inner_links

Numbers = NDArray[np.int64]
Rows = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class NumberedWords:
    """The words of sentences as numbers from 1 on, in the order of their spelling; 0 is none."""

    words: list[str]
    number: dict[str, int]
    ids: Numbers
    starts: Numbers

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]]) -> NumberedWords:
        """All words of a side."""
        words = sorted({word for sentence in sentences for word in sentence})
        number = {word: place for place, word in enumerate(words, 1)}
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        flat = (number[word] for sentence in sentences for word in sentence)
        return cls(words, number, np.fromiter(flat, np.int64, int(lengths.sum())), np.cumsum(lengths) - lengths)

    def phrases(self, places: Rows, longest: int) -> Numbers:
        """The words of phrases (sentence, start, end), one row a phrase, filled up with 0."""
        sentence, start, end = places.T
        first = self.starts[sentence] + start
        found = np.zeros((len(places), longest), np.int64)
        for place in range(longest):
            inside = start + place < end
            found[inside, place] = self.ids[first[inside] + place]
        return found

    def texts(self, phrases: Numbers, number: Numbers) -> list[tuple[str, ...]]:
        """Phrases as words; those of the same number are the same."""
        _, first, place = np.unique(number, return_index=True, return_inverse=True)
        words = ["", *self.words]
        known = [tuple(words[word] for word in row if word) for row in phrases[first].tolist()]
        return [known[n] for n in place.tolist()]


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows that have the same number; `order` are all rows, group by group."""

    number: Numbers
    counts: Numbers
    order: Numbers

    @classmethod
    def of(cls, number: Numbers) -> Groups:
        """By numbers from 0 on, none of which is left out."""
        return cls(number, np.bincount(number), np.argsort(number, kind="stable"))

    @property
    def ends(self) -> Numbers:
        """Where each group ends in `order`."""
        return np.cumsum(self.counts)

    @property
    def first(self) -> Numbers:
        """The first row of each group."""
        return self.order[self.ends - self.counts]

    def distinct(self, values: NDArray[np.integer]) -> NDArray[np.float64]:
        """How many distinct values each group has."""
        width = int(values.max(initial=0)) + 1
        return np.bincount(np.unique(self.number * width + values) // width).astype(np.float64)

    def parts(self, rows: Rows, chosen: Numbers) -> list[Rows]:
        """The rows of some groups."""
        ends, sizes, ordered = self.ends[chosen], self.counts[chosen], rows[self.order]
        return [ordered[end - size : end] for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]


def ranks(columns: Iterable[Numbers], count: int) -> Numbers:
    """The place of each row among the distinct rows in order, the first column first.

    >>> ranks([np.array([2, 1, 2]), np.array([0, 5, 0])], 3).tolist()
    [1, 0, 1]
    """
    found = np.zeros(count, np.int64)
    for column in columns:
        values = column
        if (int(column.max(initial=0)) + 1) * max(count, 1) >= 2**BITS:
            values = np.unique(column, return_inverse=True)[1]
        found = np.unique(found * (values.max(initial=0) + 1) + values, return_inverse=True)[1]
    return found


def usual_links(links: Links, rows: Rows, pairs: Groups, longest: int) -> Numbers:
    """The most frequent links inside each pair of phrases, among equals the first seen, as bits (see `links_of_bits`).

    `rows` are places of phrases: sentence, source start and end, target start and end.
    """
    bits = inner_links(links, rows, longest)
    seen = Groups.of(ranks([pairs.number, *bits.T], len(rows)))
    best = np.lexsort((seen.first, -seen.counts, pairs.number[seen.first]))
    _, first = np.unique(pairs.number[seen.first][best], return_index=True)
    return bits[seen.first[best[first]]]


def links_of_bits(bits: Numbers, longest: int) -> list[tuple[tuple[int, int], ...]]:
    """The links of each row of bits: bit i * longest + j says that word i is linked to word j."""
    distinct, place = np.unique(bits, axis=0, return_inverse=True)
    known = [tuple(divmod(bit, longest) for bit in _bits(row)) for row in distinct.tolist()]
    return [known[n] for n in place.ravel().tolist()]


def _bits(row: Sequence[int]) -> Iterator[int]:
    return (part * BITS + bit for part, value in enumerate(row) for bit in range(BITS) if value >> bit & 1)
