"""The nearest of one language's vectors, in files beside the database and a tail of what came after them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from babelspace.runtime import derived_copies
from babelspace.store.base import Rows, ScoredRows, Vectors
from babelspace.store.nearest_vectors import Fetch, VectorBase
from babelspace.store.tailed_copy import Mask, TailedCopy, places_of


class VectorCopy(TailedCopy[VectorBase]):
    """The nearest of one language's vectors. Nothing is trained during a search; `fold` writes new files."""

    def __init__(self, dimensions: int, similarity: str, database: str = "") -> None:
        self.dimensions, self.similarity, self.database = dimensions, similarity, database
        super().__init__(VectorBase.empty(dimensions, similarity), VectorBase.empty(dimensions, similarity))

    @property
    def approximate(self) -> bool:
        """Whether candidates are found by codes."""
        return self.base.codes is not None

    def search(self, vector: NDArray[Any], k: int, within: Rows | None = None) -> ScoredRows:
        """The k best living rows, scored exactly."""
        query = np.ascontiguousarray(vector, np.float32).reshape(1, -1)
        found, scores = self._scored(self.base, self.alive, query, k, within)
        if len(self.tail.rows):
            others = self._scored(self.tail, None, query, k, within)
            found, scores = np.concatenate([found, others[0]]), np.concatenate([scores, others[1]])
        best = np.lexsort((found, -scores))[:k]
        return ScoredRows(found[best], scores[best])

    def _scored(
        self, part: VectorBase, alive: Mask | None, query: Vectors, k: int, within: Rows | None
    ) -> tuple[Rows, NDArray[np.float64]]:
        """The best rows of a part and some more, scored exactly."""
        places = part.candidates(query, k, _allowed(part, alive, within))
        return part.rows[places], compared(self.similarity, query[0], part.vectors.take(places, axis=0))

    def fetched(self, fetch: Fetch, rows: Rows) -> VectorBase:
        """Vectors as a tail has them."""
        return VectorBase(rows, fetch(rows), self.similarity)

    def fold(self, folder: Path, now: Rows, fetch: Fetch, generation: int) -> tuple[Self, int]:
        """Write files of these rows, with the generation of the database that they show; loads what is there then."""
        facts: dict[str, Any] = {**self._identity(), "generation": generation}
        with derived_copies.written(folder, facts) as fresh:
            facts |= self.base.write(fresh, now, fetch)
        return self.load(folder, self.dimensions, self.similarity, self.database)

    def _identity(self) -> dict[str, Any]:
        return {"database": self.database, "dimensions": self.dimensions, "similarity": self.similarity}

    @classmethod
    def load(
        cls, folder: Path, dimensions: int, similarity: str, database: str = "", *, thorough: bool = False
    ) -> tuple[Self, int]:
        """What was written of this database and its generation; an empty one (-1) where there is nothing that fits."""
        fresh = cls(dimensions, similarity, database)
        try:
            fresh.base, generation = derived_copies.read(
                folder,
                fresh._identity(),
                lambda stamp: VectorBase.read(
                    folder, dimensions, similarity, int(stamp["depth"]), int(stamp["trained_on"])
                ),
                thorough=thorough,
            )
        except derived_copies.DAMAGE:
            return cls(dimensions, similarity, database), -1
        fresh.written = generation
        return fresh, generation


def _allowed(part: VectorBase, alive: Mask | None, within: Rows | None) -> Mask | None:
    """Which vectors may be found; None stands for all."""
    if within is None:
        return alive
    allowed = np.zeros(len(part.rows), bool)
    allowed[places_of(part, within)] = True
    return allowed if alive is None else allowed & alive


def compared(similarity: str, vector: NDArray[Any], rows: Vectors) -> NDArray[np.float64]:
    """The similarity of one prepared vector to others, summed in float64; distances are negated."""
    asked, known = vector.astype(np.float64), rows.astype(np.float64)
    if similarity == "cosine":
        return known @ asked
    return -np.linalg.norm(known - asked, ord=1 if similarity == "l1" else 2, axis=1)
