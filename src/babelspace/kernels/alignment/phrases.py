"""Phrase pairs that are consistent with word links: no word of one side is linked to a word outside the other."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
# Links inside a phrase pair are bits of whole numbers of 64 bits that stay positive.
BITS = 62


def consistent_phrases(links: Any, sources: NDArray[np.int64], targets: NDArray[np.int64], longest: int) -> Rows:
    """One row a pair: sentence, source start and end, target start and end; `longest` bounds both sides in words.

    Words without a link may stand at the edge of the target side (Koehn, Och & Marcu 2003).
    """
    room = max(1024, 16 * len(links.source))
    while True:
        found = np.empty((room, 5), np.int32)
        count = _extract(links.offsets, links.source, links.target, sources, targets, longest, found)
        if count <= room:
            return found[:count].copy()
        room = int(count)


def inner_links(links: Any, rows: Rows, longest: int) -> NDArray[np.int64]:
    """The links inside each pair of phrases: bit i * longest + j says that its word i is linked to its word j."""
    found = np.zeros((len(rows), -(-longest * longest // BITS)), np.int64)
    _fill_bits(links.offsets, links.source, links.target, rows, longest, found)
    return found


@nb.njit(cache=True)
def _fill_bits(offsets, left, right, rows, longest, found):
    for row in range(len(rows)):
        sentence, a, b, c, d = rows[row]
        for link in range(offsets[sentence], offsets[sentence + 1]):
            i, j = left[link], right[link]
            if a <= i < b and c <= j < d:
                bit = (i - a) * longest + j - c
                found[row, bit // BITS] |= np.int64(1) << np.int64(bit % BITS)


@nb.njit(cache=True)
def _extract(offsets, left, right, sources, targets, longest, found):
    count = 0
    for sentence in range(len(sources)):
        first, last = offsets[sentence], offsets[sentence + 1]
        linked = np.zeros(targets[sentence], np.bool_)
        for link in range(first, last):
            linked[right[link]] = True
        for start in range(sources[sentence]):
            low, high = targets[sentence], -1
            for end in range(start + 1, min(sources[sentence], start + longest) + 1):
                for link in range(first, last):
                    if left[link] == end - 1:
                        low, high = min(low, right[link]), max(high, right[link])
                if high < 0 or high - low >= longest:
                    continue
                if not _closed(left, right, first, last, start, end, low, high):
                    continue
                count = _with_edges(found, count, sentence, start, end, low, high, linked, longest)
    return count


@nb.njit(cache=True)
def _closed(left, right, first, last, start, end, low, high):
    strangers = 0
    for link in range(first, last):
        strangers += low <= right[link] <= high and not (start <= left[link] < end)
    return strangers == 0


@nb.njit(cache=True)
def _with_edges(found, count, sentence, start, end, low, high, linked, longest):
    """Add the pair with every number of free words at both edges of the target."""
    begin = low
    while True:
        stop = high
        while stop - begin < longest:
            if count < len(found):
                row = found[count]
                row[0], row[1], row[2], row[3], row[4] = sentence, start, end, begin, stop + 1
            count += 1
            stop += 1
            if stop >= len(linked) or linked[stop]:
                break
        begin -= 1
        if begin < 0 or linked[begin] or high - begin >= longest:
            return count
