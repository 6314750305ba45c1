"""A copy of what the database has of one language: files, and a tail of what came after them.

The database is the truth: a copy is told which rows exist, forgets those that are gone and fetches those that are new.
Rows are never used twice and what a row holds never changes, so row numbers are all it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from babelspace.store.base import Rows

Places = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Rows beyond the files, which every process reads anew from the database, and the share of rows in them that are gone,
# before new files are worth their writing. Copies of few rows are always worth it.
TAIL, GONE, FEW = 1_000, 0.1, 10_000


class Part(Protocol):
    """Something for each of some rows, in order of row."""

    rows: Rows

    def kept(self, places: Places) -> Self:
        """Only what stands at these places."""

    def joined(self, other: Self) -> Self:
        """This and what comes after it."""


P = TypeVar("P", bound=Part)


def places_of(part: Part, rows: Rows) -> Places:
    """Where those of these rows stand that are in a part."""
    if not len(part.rows):
        return np.zeros(0, np.int64)
    places = np.minimum(np.searchsorted(part.rows, rows), len(part.rows) - 1)
    return places[part.rows[places] == rows]


class TailedCopy(Generic[P]):
    """A base that lies in files, which of its rows are still alive (None: all), and a tail in memory.

    `written` is the generation that the files show. Changes make new arrays, so that shallow copies stay as they are.
    """

    def __init__(self, base: P, tail: P) -> None:
        self.base, self.tail = base, tail
        self.alive: Mask | None = None
        self.written = -1

    def __len__(self) -> int:
        return len(self.base.rows) - self.gone + len(self.tail.rows)

    @property
    def gone(self) -> int:
        """Rows of the files that the database no longer has."""
        return 0 if self.alive is None else int(np.count_nonzero(~self.alive))

    @property
    def last(self) -> int:
        """The largest row; those that come later are larger."""
        return max((int(part.rows[-1]) for part in (self.base, self.tail) if len(part.rows)), default=-1)

    def rows(self) -> Rows:
        """All rows, in order."""
        base = self.base.rows if self.alive is None else self.base.rows[self.alive]
        rows = np.concatenate([base, self.tail.rows])
        # Files may be newer than the state that is looked at: rows that were deleted before them are in the tail.
        return np.sort(rows) if self._mixed else rows

    @property
    def _mixed(self) -> bool:
        """Whether some rows of the tail stand before some of the files."""
        return len(self.tail.rows) > 0 and len(self.base.rows) > 0 and self.tail.rows[0] < self.base.rows[-1]

    def update(self, now: Rows, fetch: Callable[[Rows], P]) -> None:
        """Forget rows that are no longer there, fetch those that are new."""
        alive = np.zeros(len(self.base.rows), bool)
        alive[places_of(self.base, now)] = True
        self.alive = None if alive.all() else alive
        kept = places_of(self.tail, now)
        if len(kept) < len(self.tail.rows):
            self.tail = self.tail.kept(kept)
        self.append(np.setdiff1d(now, self.rows(), assume_unique=True), fetch)

    def append(self, fresh: Rows, fetch: Callable[[Rows], P]) -> None:
        """Take rows that are new."""
        if not len(fresh):
            return
        self.tail = self.tail.joined(fetch(fresh)) if len(self.tail.rows) else fetch(fresh)
        order = np.argsort(self.tail.rows, kind="stable")
        if (order[1:] < order[:-1]).any():  # an older state of the database, which had rows in between
            self.tail = self.tail.kept(order)

    def worth_folding(self, now: Rows) -> bool:
        """Whether new files of these rows would make searches, or their start, faster."""
        there = len(places_of(self.base, now))
        fresh, gone = len(now) - there, len(self.base.rows) - there
        if len(now) <= FEW:
            return bool(fresh or gone)
        return fresh > TAIL or gone > GONE * len(self.base.rows)
