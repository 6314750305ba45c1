"""Which pair a reviewer sees next: in turn one of a random sample, and one near the cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from babelspace.mining.review.verdict_log import RIGHT, VERDICTS, WRONG, Votes

Numbers = NDArray[np.int64]


def next_place(order: Numbers, above: int, votes: Votes, reviewer: str, skip: Sequence[int] = ()) -> int | None:
    """The place of the next pair, None when this reviewer has judged all.

    Everybody gets the same random sample (of the pairs above the cut, in the random `order`), so that it is judged
    whole and agreement is known; pairs near the cut are shared out. What was put off comes when nothing else is left.
    `skip` are places that are on the screen already.
    """
    pending = np.ones(len(order), bool)
    pending[list(votes.places(*VERDICTS, reviewer=reviewer))] = False
    pending[list(skip)] = False
    sample = order[(order < above) & pending[order]]
    unseen = pending.copy()
    unseen[list(votes.places(RIGHT, WRONG))] = False
    near = np.flatnonzero(unseen)
    chosen = len(votes.stacks.get(reviewer, ())) % 2 == 1
    if len(near) and (chosen or not len(sample)):
        return int(near[np.argmin(np.abs(near - (above - 0.5)))])
    if len(sample):
        return int(sample[0])
    return next((place for place in votes.put_off(reviewer) if place not in skip), None)
