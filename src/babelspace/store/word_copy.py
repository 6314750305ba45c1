"""The documents of one language by their words, in files beside the database and a tail of what came after them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from babelspace.runtime import derived_copies
from babelspace.store.base import Rows
from babelspace.store.postings import Postings
from babelspace.store.tailed_copy import Places, TailedCopy, places_of


class Occurrences(NamedTuple):
    """Documents that have a term: their rows in order, how often they have it, and their lengths in words."""

    rows: Rows
    counts: NDArray[np.int32]
    lengths: NDArray[np.int32]


class WordCopy(TailedCopy[Postings]):
    """Which documents of a language have a term."""

    def __init__(self, database: str = "") -> None:
        self.database = database
        super().__init__(Postings.empty(), Postings.empty())

    def occurrences(self, term: int, within: Rows | None = None) -> Occurrences:
        """The living documents that have a term; among some rows, in order, if they are given."""
        found: list[Occurrences] = []
        for part, alive in ((self.base, self.alive), (self.tail, None)):
            if part is self.tail and not len(part.rows):
                return found[0]
            places, counts = part.having(term)
            if within is not None:
                held = _held(places, places_of(part, within))
                places, counts = places[held], counts[held]
            if alive is not None:
                living = alive[places]
                places, counts = places[living], counts[living]
            found.append(Occurrences(part.rows[places], counts, part.lengths[places]))
        if not len(found[1].rows):
            return found[0]
        joined = Occurrences(*(np.concatenate(pair) for pair in zip(*found, strict=True)))
        if not self._mixed:
            return joined
        order = np.argsort(joined.rows)
        return Occurrences(joined.rows[order], joined.counts[order], joined.lengths[order])

    def frequency(self, term: int) -> int:
        """In how many living documents a term occurs."""
        if self.alive is None:
            return self.base.frequency(term) + self.tail.frequency(term)
        return int(np.count_nonzero(self.alive[self.base.having(term)[0]])) + self.tail.frequency(term)

    def fold(self, folder: Path, now: Rows, fetch: Callable[[Rows], Postings], generation: int) -> tuple[Self, int]:
        """Write files of these rows, with the generation of the database that they show; loads what is there then."""
        self.update(now, fetch)
        base = self.base if self.alive is None else self.base.kept(np.flatnonzero(self.alive))
        facts: dict[str, Any] = {"database": self.database, "generation": generation}
        with derived_copies.written(folder, facts) as fresh:
            (base.joined(self.tail) if len(base.rows) else self.tail).write(fresh)
        return self.load(folder, self.database)

    @classmethod
    def load(cls, folder: Path, database: str = "", *, thorough: bool = False) -> tuple[Self, int]:
        """What was written of this database and its generation; an empty one (-1) where there is nothing that fits."""
        fresh = cls(database)
        try:
            expected = {"database": database}
            fresh.base, generation = derived_copies.read(
                folder, expected, lambda _: Postings.read(folder), thorough=thorough
            )
        except derived_copies.DAMAGE:
            return cls(database), -1
        fresh.written = generation
        return fresh, generation


def _held(places: NDArray[np.int32], wanted: Places) -> Places:
    """Where those of some places stand among others; both are in order, and the others may be many more."""
    if not len(places):
        return np.zeros(0, np.int64)
    held = np.minimum(np.searchsorted(places, wanted), len(places) - 1)
    return held[places[held] == wanted]
