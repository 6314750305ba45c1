"""Sentences that share rare words and their translations: where two texts surely meet, and the band around them."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.threaded_blocks import on_threads

Numbers = NDArray[np.int64]
# Words in more sentences of a document than this tell nothing of the place, and would make the search quadratic.
RAREST = 12
# The same where order does not help: words in a quarter of the sentences, but never in more than this.
COMMON = 100
# The least weight of an anchor, and how many times it must be that of the next best place.
LEAST, AHEAD = 0.5, 1.5
# Rows of the band on either side of an anchor, and how much it widens for each row to the next one.
NARROW, SLOPE = 6, 0.5
# Documents with fewer pairs of sentences than this have no band.
SMALL = 600


def bands(source: Any, target: Any, tables: Any, width: float = 1.0) -> tuple[Numbers, Numbers]:
    """The first and last column of each row (see `beads`): around a chain of anchors, wider the farther they are."""
    documents = len(source.documents) - 1
    rows = int(source.documents[-1]) + documents
    low, high = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    on_threads(fill_band, documents, source, target, tables, width, low, high)
    return low, high


def candidates(source: Any, target: Any, tables: Any, most: int) -> tuple[Numbers, Numbers, NDArray[np.float32]]:
    """Source sentence, target sentence and weight of the `most` target sentences that each shares most with."""
    documents = len(source.documents) - 1
    sentences = int(source.documents[-1])
    found, weights = np.full((sentences, most), -1, np.int64), np.zeros((sentences, most), np.float32)
    on_threads(_candidates, documents, source, target, tables, found, weights)
    rows, places = np.nonzero(found >= 0)
    return rows.astype(np.int64), found[rows, places], weights[rows, places]


@nb.njit(cache=True)
def _postings(sentences, document, words):
    """How many sentences of a document each of its words is in, and which, for those that are in few."""
    begin, end = sentences.documents[document], sentences.documents[document + 1]
    counts = np.zeros(words + 1, np.int64)
    seen = np.full(words, -1, np.int64)
    for s in range(begin, end):
        for place in range(sentences.starts[s], sentences.starts[s + 1]):
            word = sentences.words[place]
            if seen[word] != s:
                seen[word] = s
                counts[word + 1] += 1
    starts = np.cumsum(counts)
    where = np.empty(starts[-1], np.int64)
    filled = np.zeros(words, np.int64)
    seen[:] = -1
    for s in range(begin, end):
        for place in range(sentences.starts[s], sentences.starts[s + 1]):
            word = sentences.words[place]
            if seen[word] != s:
                seen[word] = s
                where[starts[word] + filled[word]] = s - begin
                filled[word] += 1
    return starts, where


@nb.njit(cache=True)
def _add_shared(s, source, tables, starts, where, own, limit, weights, touched):
    """Add to `weights` what each target sentence shares with source sentence s; how many places were touched."""
    rows, others, values = tables.forward
    count = 0
    begin, end = source.starts[s], source.starts[s + 1]
    for place in range(begin, end):
        word = source.words[place]
        repeated = False
        for before in range(begin, place):
            repeated = repeated or source.words[before] == word
        often = own[word + 1] - own[word]
        if repeated or often > limit:
            continue
        for entry in range(rows[word], rows[word + 1]):
            other = others[entry]
            few = starts[other + 1] - starts[other]
            if few > limit:
                continue
            for posting in range(starts[other], starts[other + 1]):
                if weights[where[posting]] == 0:
                    touched[count] = where[posting]
                    count += 1
                weights[where[posting]] += values[entry] / np.sqrt(few * often)
    return count


@nb.njit(nogil=True, cache=True)
def fill_band(document, source, target, tables, width, low, high):
    """Write the band of one document."""
    first, last = source.documents[document], source.documents[document + 1]
    n, m = last - first, target.documents[document + 1] - target.documents[document]
    lows, highs = low[first + document : last + document + 1], high[first + document : last + document + 1]
    highs[:] = m
    if n * m < SMALL:
        return
    anchors, weights = _anchors(document, n, m, source, target, tables)
    chain = _heaviest_chain(anchors, weights, m)
    rows, columns = _fixed_points(chain, anchors, n, m)
    for p in range(len(rows) - 1):
        span = max(rows[p + 1] - rows[p], columns[p + 1] - columns[p])
        for i in range(rows[p], rows[p + 1] + 1):
            along = (i - rows[p]) / max(rows[p + 1] - rows[p], 1)
            middle = columns[p] + along * (columns[p + 1] - columns[p])
            slack = width * (NARROW + SLOPE * span * 2 * min(along, 1 - along))
            # Between two rows the path may run along the columns.
            step = (columns[p + 1] - columns[p]) / max(rows[p + 1] - rows[p], 1)
            under, above = int(middle - slack - step), int(middle + slack + step) + 1
            if i == rows[p] and p > 0:
                lows[i], highs[i] = min(lows[i], under), max(highs[i], above)
            else:
                lows[i], highs[i] = under, above
    lows[0], highs[n] = 0, m
    for i in range(n + 1):
        lows[i], highs[i] = max(0, min(lows[i], m)), max(0, min(highs[i], m))
    for i in range(1, n + 1):
        highs[i] = max(highs[i], highs[i - 1])
    for i in range(n - 1, -1, -1):
        lows[i] = min(lows[i], lows[i + 1])


@nb.njit(cache=True)
def _anchors(document, n, m, source, target, tables):
    """For each source sentence its best target sentence (-1 without a clear one), and the weight."""
    starts, where = _postings(target, document, len(tables.target_chance))
    own, _ = _postings(source, document, len(tables.source_chance))
    anchors, found = np.full(n, -1, np.int64), np.zeros(n)
    weights, touched = np.zeros(m, np.float32), np.empty(m, np.int64)
    for i in range(n):
        s = source.documents[document] + i
        count = _add_shared(s, source, tables, starts, where, own, RAREST, weights, touched)
        best, second, place = 0.0, 0.0, -1
        for k in range(count):
            weight = weights[touched[k]]
            if weight > best:
                best, second, place = weight, best, touched[k]
            elif weight > second:
                second = weight
            weights[touched[k]] = 0
        if best >= LEAST and best >= AHEAD * second:
            anchors[i], found[i] = place, best - second
    return anchors, found


@nb.njit(cache=True)
def _heaviest_chain(anchors, weights, m):
    """Rows of the heaviest set of anchors whose columns rise, by a tree of maxima over columns."""
    n = len(anchors)
    best, row, before, total = np.zeros(m + 1), np.full(m + 1, -1, np.int64), np.full(n, -1, np.int64), np.zeros(n)
    end = -1
    for i in range(n):
        if anchors[i] < 0:
            continue
        heaviest, previous = 0.0, -1
        place = anchors[i]
        while place > 0:
            if best[place] > heaviest:
                heaviest, previous = best[place], row[place]
            place -= place & -place
        total[i], before[i] = heaviest + weights[i], previous
        place = anchors[i] + 1
        while place <= m:
            if total[i] > best[place]:
                best[place], row[place] = total[i], i
            place += place & -place
        if end < 0 or total[i] > total[end]:
            end = i
    chain = np.zeros(n, np.bool_)
    while end >= 0:
        chain[end] = True
        end = before[end]
    return chain


@nb.njit(cache=True)
def _fixed_points(chain, anchors, n, m):
    """Both corners and, between them, the cells before and behind each anchor of the chain."""
    rows, columns = np.zeros(2 * n + 2, np.int64), np.zeros(2 * n + 2, np.int64)
    count = 1
    for i in range(n):
        if chain[i]:
            for step in range(2):
                if i + step > rows[count - 1] or (i + step == rows[count - 1] and count == 1):
                    rows[count], columns[count] = i + step, max(anchors[i] + step, columns[count - 1])
                    count += 1
    if rows[count - 1] < n or count == 1:
        rows[count], columns[count] = n, m
        count += 1
    return rows[:count], columns[:count]


@nb.njit(nogil=True, cache=True)
def _candidates(document, source, target, tables, found, best):
    m = target.documents[document + 1] - target.documents[document]
    starts, where = _postings(target, document, len(tables.target_chance))
    own, _ = _postings(source, document, len(tables.source_chance))
    weights, touched = np.zeros(m, np.float32), np.empty(m, np.int64)
    most, limit = found.shape[1], max(RAREST, min(COMMON, m // 4))
    for s in range(source.documents[document], source.documents[document + 1]):
        count = _add_shared(s, source, tables, starts, where, own, limit, weights, touched)
        for k in range(count):
            weight, place = weights[touched[k]], touched[k]
            weights[place] = 0
            slot = most
            while slot > 0 and weight > best[s, slot - 1]:
                slot -= 1
            if slot < most:
                for later in range(most - 1, slot, -1):
                    best[s, later], found[s, later] = best[s, later - 1], found[s, later - 1]
                best[s, slot], found[s, slot] = weight, target.documents[document] + place
