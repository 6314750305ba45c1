"""Topics by year, or by any other field of the metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.runtime.results import Result


@dataclass(frozen=True)
class TopicsByField(Result):
    """The mean share of each topic (column) in the rows with each value (row), values in their order."""

    field: str
    values: tuple[str, ...]
    rows: NDArray[np.int64]
    numbers: tuple[int, ...]
    shares: NDArray[np.float64]

    def columns(self) -> dict[str, Sequence[Any]]:
        """A row for each value and topic."""
        count = len(self.numbers)
        return {
            self.field: [value for value in self.values for _ in range(count)],
            "rows": np.repeat(self.rows, count).tolist(),
            "topic": list(self.numbers) * len(self.values),
            "share": self.shares.ravel().tolist(),
        }

    def of_topic(self, number: int) -> list[tuple[str, float]]:
        """The share of one topic for each value."""
        place = self.numbers.index(number)
        return list(zip(self.values, self.shares[:, place].tolist(), strict=True))


def topics_by_field(weights: NDArray[Any], corpus: AlignedCorpus, field: str, numbers: Sequence[int]) -> TopicsByField:
    """Mean shares by value; a row with several values counts for each, one without for none.

    Parameters
    ----------
    weights : a row of topic weights for each row of the corpus, topics in the order of `numbers`
    """
    told = corpus.field(field)
    places: dict[str, list[int]] = {}
    filled = np.count_nonzero(weights, axis=1)
    for row, values in enumerate(told):
        for value in values if filled[row] else ():
            places.setdefault(value, []).append(row)
    ordered = sorted(places, key=_order)
    sums = np.asarray(weights, np.float64).sum(axis=1, keepdims=True)
    shares = np.asarray(weights, np.float64) / np.where(sums > 0, sums, 1.0)
    means = np.array([shares[places[value]].mean(axis=0) for value in ordered]).reshape(len(ordered), len(numbers))
    counts = np.array([len(places[value]) for value in ordered], np.int64)
    return TopicsByField(field, tuple(ordered), counts, tuple(numbers), means)


def _order(value: str) -> tuple[int, float, str]:
    """Numbers by size, before all else by name."""
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value
