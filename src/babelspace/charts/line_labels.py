"""Names beside the ends of lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Heights (0 to 1) moved as little as needed to stand `gap` apart, in the same order."""
    order = sorted(range(len(heights)), key=lambda k: heights[k])
    placed = list(heights)
    for below, above in pairwise(order):
        placed[above] = max(placed[above], placed[below] + gap)
    limit = 1.0
    for k in reversed(order):
        placed[k] = min(placed[k], limit)
        limit = placed[k] - gap
    return placed
