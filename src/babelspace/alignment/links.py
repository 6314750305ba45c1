"""Word links of many sentence pairs, packed into flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError

NULL = -1
Link = tuple[int, int]
Integers = NDArray[np.int32]
Whole = NDArray[np.integer[Any]]
Lengths = Sequence[int] | Whole


@dataclass(frozen=True, eq=False)
class Links:
    """Links of sentence n: positions `offsets[n]:offsets[n + 1]` of `source`, `target` and `sure`.

    Word positions count from 0; -1 stands for the NULL word of a side. Inside a sentence links are sorted by source,
    then target, and none is there twice. `sure` is False for links that are only probable.

    >>> links = Links.of([[(0, 0), (1, 2)], [], [(0, NULL)]])
    >>> len(links), links[0], links.without_null()[2]
    (3, [(0, 0), (1, 2)], [])
    """

    offsets: NDArray[np.int64]
    source: Integers
    target: Integers
    sure: NDArray[np.bool_]

    @classmethod
    def of(cls, sentences: Iterable[Iterable[Link]], probable: Iterable[Iterable[Link]] = ()) -> Links:
        """From pairs of positions, sentence by sentence; `probable` are those that are not sure."""
        certain = [sorted(set(sentence)) for sentence in sentences]
        possible = [sorted(set(sentence)) for sentence in probable] or [[] for _ in certain]
        if len(certain) != len(possible):
            raise ParameterError(f"{len(certain):,} sentences with sure links, {len(possible):,} with probable ones.")
        rows = [[(n, i, j, 1) for i, j in pairs] for n, pairs in enumerate(certain)]
        more = [[(n, i, j, 0) for i, j in pairs] for n, pairs in enumerate(possible)]
        flat = np.array([row for sentence in (*rows, *more) for row in sentence], np.int64).reshape(-1, 4)
        return cls.packed(len(certain), flat[:, 0], flat[:, 1], flat[:, 2], flat[:, 3] > 0)

    @classmethod
    def packed(
        cls, sentences: int, sentence: Whole, source: Whole, target: Whole, sure: NDArray[np.bool_] | None = None
    ) -> Links:
        """From one array a column, in any order; a link that is there twice is sure if one of them is."""
        if len(source) and min(source.min(), target.min()) < NULL:
            raise ParameterError("positions count from 0, and -1 is NULL; there is one below -1. Check the base.")
        sure = np.ones(len(source), bool) if sure is None else sure
        order = np.lexsort((~sure, target, source, sentence))
        sentence, source, target, sure = sentence[order], source[order], target[order], sure[order]
        first = np.ones(len(source), bool)
        first[1:] = (np.diff(sentence) != 0) | (np.diff(source) != 0) | (np.diff(target) != 0)
        offsets = np.zeros(sentences + 1, np.int64)
        np.cumsum(np.bincount(sentence[first], minlength=sentences), out=offsets[1:])
        return cls(offsets, source[first].astype(np.int32), target[first].astype(np.int32), sure[first])

    @classmethod
    def joined(cls, parts: Sequence[Links]) -> Links:
        """The sentences of one after those of the other."""
        if not parts:
            return cls.of([])
        sizes = np.cumsum([0, *(part.size for part in parts)])
        starts = [part.offsets[:-1] + size for part, size in zip(parts, sizes, strict=False)]
        columns = [np.concatenate([getattr(part, name) for part in parts]) for name in ("source", "target", "sure")]
        return cls(np.concatenate([*starts, sizes[-1:]]).astype(np.int64), *columns)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def size(self) -> int:
        """Links in all sentences."""
        return len(self.source)

    @property
    def sentence(self) -> NDArray[np.int64]:
        """The sentence of each link."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def __getitem__(self, sentence: int) -> list[Link]:
        start, stop = self.offsets[range(len(self))[sentence]], self.offsets[range(1, len(self) + 1)[sentence]]
        return list(zip(self.source[start:stop].tolist(), self.target[start:stop].tolist(), strict=True))

    def __iter__(self) -> Iterator[list[Link]]:
        return (self[sentence] for sentence in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Links):
            return NotImplemented
        names = ("offsets", "source", "target", "sure")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def where(self, keep: NDArray[np.bool_]) -> Links:
        """Only some of the links, in as many sentences as before."""
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(keep, out=(kept := np.zeros(self.size + 1, np.int64))[1:])
        offsets[:] = kept[self.offsets]
        return Links(offsets, self.source[keep], self.target[keep], self.sure[keep])

    def without_null(self) -> Links:
        """Without the links to NULL."""
        return self.where((self.source != NULL) & (self.target != NULL))

    def only_sure(self) -> Links:
        """Without the links that are only probable."""
        return self.where(self.sure)

    def swapped(self) -> Links:
        """Source and target exchanged."""
        return Links.packed(len(self), self.sentence, self.target, self.source, self.sure)

    def sentences(self, start: int, stop: int) -> Links:
        """The sentences from `start` to before `stop`."""
        start, stop, _ = slice(start, stop).indices(len(self))
        part = slice(self.offsets[start], self.offsets[stop])
        offsets = self.offsets[start : stop + 1] - self.offsets[start]
        return Links(offsets, self.source[part], self.target[part], self.sure[part])

    def with_null(self, sources: Lengths, targets: Lengths) -> Links:
        """Also a link to NULL for each word without a link; the arguments are the sentences' lengths."""
        left = _uncovered(self, self.source, np.asarray(sources, np.int64))
        right = _uncovered(self, self.target, np.asarray(targets, np.int64))
        none = [np.full(len(part[0]), NULL) for part in (left, right)]
        return Links.packed(
            len(self),
            np.concatenate([self.sentence, left[0], right[0]]),
            np.concatenate([self.source, left[1], none[1]]),
            np.concatenate([self.target, none[0], right[1]]),
            np.concatenate([self.sure, np.ones(len(left[0]) + len(right[0]), bool)]),
        )

    def coverage(self, sources: Lengths, targets: Lengths) -> float:
        """The share of words that have a link; links to NULL count where there are any."""
        words = int(np.sum(sources) + np.sum(targets))
        left = _uncovered(self, self.source, np.asarray(sources, np.int64))
        right = _uncovered(self, self.target, np.asarray(targets, np.int64))
        return 1.0 if not words else 1 - (len(left[0]) + len(right[0])) / words


def _uncovered(links: Links, side: Integers, lengths: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sentence and position of the words that no link has."""
    if len(lengths) != len(links):
        raise ParameterError(f"{len(lengths):,} lengths for {len(links):,} sentences; give one a sentence.")
    sentence = links.sentence
    if np.any(side >= lengths[sentence]):
        first = int(sentence[np.argmax(side >= lengths[sentence])])
        raise ParameterError(
            f"sentence {first + 1}: a link to word {int(side[links.offsets[first] : links.offsets[first + 1]].max())} "
            f"(counted from 0), but the sentence has {int(lengths[first])} words. Check the base (0 or 1) and the text."
        )
    starts = np.concatenate([[0], np.cumsum(lengths)])
    free = np.ones(starts[-1], bool)
    known = side != NULL
    free[starts[sentence[known]] + side[known]] = False
    word = np.flatnonzero(free)
    owner = np.searchsorted(starts, word, side="right") - 1
    return owner, word - starts[owner]
