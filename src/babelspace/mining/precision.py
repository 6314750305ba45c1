"""The share of right pairs that somebody asks for, and the cut that keeps it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError


def check_precision(precision: float) -> None:
    """Raise unless it is a share below 1."""
    if not 0 <= precision < 1:
        raise ParameterError(
            f"precision is a share from 0 up to but not 1, got {precision}", hint="use {precision=0.95}"
        )


def cut(probability: NDArray[np.float64], precision: float) -> NDArray[np.int64]:
    """The longest list of pairs, most probable first, whose mean probability is at least the precision."""
    order = np.argsort(-probability, kind="stable")
    means = np.cumsum(probability[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(means >= precision)
    return order[: enough[-1] + 1] if len(enough) else order[:0]
