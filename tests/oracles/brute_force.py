"""Brute-force twins: plain Python numbers, one pair at a time."""

from __future__ import annotations

import math


def brute_score(query, document, similarity="cosine"):
    """One score by loops in float64; -inf if either vector is all zeros."""
    q, d = [float(x) for x in query], [float(x) for x in document]
    if not any(q) or not any(d):
        return -math.inf
    if similarity == "cosine":
        dot = sum(x * y for x, y in zip(q, d, strict=True))
        return dot / math.sqrt(sum(x * x for x in q) * sum(y * y for y in d))
    if similarity == "l1":
        return -sum(abs(x - y) for x, y in zip(q, d, strict=True))
    return -math.sqrt(sum((x - y) ** 2 for x, y in zip(q, d, strict=True)))
