"""Deterministic splits by hash of the row id: adding documents moves none."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError

if TYPE_CHECKING:
    from babelspace.corpus.aligned import AlignedCorpus

ALMOST_ONE = math.nextafter(1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Split:
    """Three disjoint parts of one corpus."""

    train: AlignedCorpus
    dev: AlignedCorpus
    test: AlignedCorpus


def position(id: str) -> float:
    """Where an id falls in [0, 1), by its name alone.

    The low 64 bits of the SHA-1 are read backwards, so that being divisible by a power of two is being small:
    ``sha1 % 8 == 0`` is the same as ``position < 1/8``.
    """
    low = int.from_bytes(hashlib.sha1(id.encode("utf-8", "surrogatepass")).digest(), "big") % 2**64
    return min(int(f"{low:064b}"[::-1], 2) / 2**64, ALMOST_ONE)


def split_rows(ids: Sequence[str], train: float, dev: float, test: float) -> dict[str, NDArray[np.intp]]:
    """Row numbers of each part: test first, then dev, then train along the line of positions."""
    shares = {"train": train, "dev": dev, "test": test}
    if min(shares.values()) < 0 or sum(shares.values()) > 1 + 1e-9:
        given = ", ".join(f"{part}={share:g}" for part, share in shares.items())
        raise ParameterError(
            f"cannot split with {given}: shares must be 0 or more and sum to at most 1.\n"
            "Hint: use for example train=0.8, dev=0.1, test=0.1"
        )
    # Sums such as 0.1 + 0.2 + 0.7 fall just short of 1 and would lose the last rows.
    end = 1.0 if math.isclose(train + dev + test, 1.0) else train + dev + test
    places = np.array([position(id) for id in ids], dtype=np.float64)
    edges = {"test": (0.0, test), "dev": (test, test + dev), "train": (test + dev, end)}
    return {part: np.flatnonzero((places >= low) & (places < high)) for part, (low, high) in edges.items()}
