"""A cohort: documents that were held out of the training stand beside few documents at hand.

Among two documents a side there is no telling how far apart documents usually are, how high the second choices of a
document stand, or which words are rare. Held-out documents tell it: none of them is the mate of another one, nor of a
document at hand, so whatever is paired with them is wrong. In speaker verification they are called a cohort
(Auckenthaler, Carey & Lloyd-Thomas 2000, "Score normalization for text-independent speaker verification systems").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import position
from babelspace.mining.overlap import COLUMNS
from babelspace.mining.pair_features import EncodedDocuments, Floats, with_spellings
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.runtime.artifact import pack_sparse
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.vectors.similarity import Prepared, is_sparse


@dataclass(frozen=True)
class HeldOutDocuments:
    """Held-out documents of one language, and where the id of each row falls in [0, 1): the same in all languages."""

    documents: EncodedDocuments
    place: Floats

    @classmethod
    def of(cls, documents: EncodedDocuments, ids: Sequence[str], most: int) -> HeldOutDocuments:
        """At most so many of some documents, holes left out."""
        place = np.array([position(f"company of {id}") for id in ids])
        rows = np.flatnonzero(documents.vectors.valid)
        rows = rows[:: max(1, -(-len(rows) // most))]
        return cls(documents.select(rows), place[rows])

    def pack(self) -> dict[str, NDArray[Any]]:
        """As arrays."""
        vectors, spellings = self.documents.vectors, self.documents.spellings
        rows = pack_sparse("vectors", vectors.rows) if is_sparse(vectors.rows) else {"vectors": vectors.rows}
        return {"place": self.place, "norms": vectors.norms, **rows, **pack_sparse("spellings", spellings)}

    @classmethod
    def unpack(cls, arrays: CheckedArrays, similarity: str) -> HeldOutDocuments:
        """From arrays."""
        sparse = "vectors.data" in arrays
        rows = (arrays.sparse if sparse else arrays.floats)("vectors", "documents", "dimensions")
        norms = arrays.floats("norms", "documents", low=0)
        spellings = arrays.sparse("spellings", "documents", 2 * COLUMNS)
        place = arrays.floats("place", "documents", low=0)
        arrays.finish()
        return cls(with_spellings(Prepared(rows, norms > 0, norms, similarity), spellings), place)


@dataclass(frozen=True)
class Cohort:
    """Held-out documents of two languages of which no two are mates."""

    source: EncodedDocuments
    target: EncodedDocuments

    @classmethod
    def of(cls, source: HeldOutDocuments, target: HeldOutDocuments) -> Cohort:
        """One half of the rows in one language, the other half in the other."""
        return cls(
            source.documents.select(np.flatnonzero(source.place < 0.5)),
            target.documents.select(np.flatnonzero(target.place >= 0.5)),
        )

    def turned(self) -> Cohort:
        """With the other language as the source."""
        return Cohort(self.target, self.source)

    def beside(self, source: EncodedDocuments, target: EncodedDocuments) -> tuple[EncodedDocuments, EncodedDocuments]:
        """Both sides, filled up with the cohort where they are small; documents at hand come first."""
        return _filled(source, self.source), _filled(target, self.target)


def _filled(documents: EncodedDocuments, cohort: EncodedDocuments) -> EncodedDocuments:
    wanted = min(len(cohort), SETTINGS.cohort - len(documents))
    return documents if wanted <= 0 else EncodedDocuments.together([documents, cohort.select(np.arange(wanted))])
