"""Dynamic programming over beads: runs of source sentences beside runs of target sentences, in the order of both texts.

A bead (a, b) joins `a` source with `b` target sentences; with a or b of 0 it leaves sentences without a partner. Paths
run through prefixes: cell (i, j) has the first i and j sentences behind it. Row i has the columns `low[i]` to `high[i]`
only, which makes time and memory linear in the sentences where the band is narrow.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.alignment.anchors import fill_band
from babelspace.kernels.alignment.bead_words import BIGGEST, lexical_score, scratch, sentence_scores, translated
from babelspace.kernels.threaded_blocks import on_threads

Floats = NDArray[np.float64]
NOTHING = -1e300
# Terms of a sum smaller than exp(-FAR) of the largest are nothing.
FAR = 30.0
# Documents, or pairs, are worked on in this many blocks: each needs a place for every word.
BLOCKS = 64


class Sentences(NamedTuple):
    """One language: document d has the sentences documents[d]:documents[d + 1], sentence s the words starts[s]:….

    Words are only those that a table knows: others tell nothing.
    `letters` is the length of each sentence in characters, `vectors` has a row for each (perhaps empty).
    """

    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    documents: NDArray[np.int64]
    letters: Floats
    vectors: NDArray[np.float32]


class WordTables(NamedTuple):
    """t(other word | word) of both directions in compressed rows, and how frequent each word is."""

    forward: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]
    reverse: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]
    source_chance: NDArray[np.float32]
    target_chance: NDArray[np.float32]


class BeadModel(NamedTuple):
    """What makes a bead probable.

    `priors[a, b]` is the log probability of its kind (-inf is not allowed), `null` the share of words that translate
    none, `lexical` the weight of the words, `ratio` the target characters for a source character and `spread` their
    variance for each character; `space` is the weight of the cosine above `centre`. `reach`: larger beads
    are tried this far from the best path of single sentences; 0 tries them in the whole band. Where the best path runs
    along an edge a better one may lie outside: band and reach are then made `wider` times as wide, once.
    """

    priors: Floats
    null: float
    lexical: float
    ratio: float
    spread: float
    space: float
    centre: float
    reach: int
    wider: float


class Paths(NamedTuple):
    """The best beads of each document, in order: kinds[k] = (a, b), their score and posterior; `counts` a document.

    `mass` sums the posteriors of all kinds of beads over all cells of a document; `widened` tells which documents were
    looked at twice.
    """

    kinds: NDArray[np.int8]
    scores: Floats
    posteriors: Floats
    counts: NDArray[np.int64]
    mass: Floats
    widened: NDArray[np.bool_]


def best_paths(
    source: Sentences,
    target: Sentences,
    tables: WordTables,
    model: BeadModel,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
) -> Paths:
    """The most probable beads of every document; `low` and `high` have n + 1 rows for a document of n sentences.

    Where a band turns out to be too narrow they are written to.
    """
    documents = len(source.documents) - 1
    room = source.documents + target.documents
    total = int(room[-1])
    kinds, scores, posteriors = np.zeros((total, 2), np.int8), np.zeros(total), np.zeros(total)
    counts, mass = np.zeros(documents, np.int64), np.zeros((documents, BIGGEST + 1, BIGGEST + 1))
    widened = np.zeros(documents, np.bool_)
    out = (kinds, scores, posteriors, counts, mass, widened)
    edges = np.linspace(0, documents, min(BLOCKS, documents) + 1).astype(np.int64)
    on_threads(_align, len(edges) - 1, source, target, tables, model, low, high, room, edges, out)
    kept = np.repeat(room[:-1] - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
    return Paths(kinds[kept], scores[kept], posteriors[kept], counts, mass, widened)


def score_pairs(
    source: Sentences, target: Sentences, tables: WordTables, model: BeadModel, pairs: NDArray[np.int64]
) -> Floats:
    """The score of single beads, one a row of `pairs`: first source sentence, how many, the same of the target.

    The same as in `best_paths`, without the prior.
    """
    found = np.zeros(len(pairs))
    blocks = max(1, min(BLOCKS, len(pairs) // 64))
    edges = np.linspace(0, len(pairs), blocks + 1).astype(np.int64)
    on_threads(_score, blocks, source, target, tables, model, pairs, edges, found)
    return found


@nb.njit(nogil=True, cache=True)
def _align(block, source, target, tables, model, low, high, room, edges, out):
    kinds, scores, posteriors, counts, mass, widened = out
    sums = scratch(tables)
    for document in range(edges[block], edges[block + 1]):
        first, last = source.documents[document], source.documents[document + 1]
        # `low` and `high` have one row more than sentences for each document before this one.
        band = low[first + document : last + document + 1], high[first + document : last + document + 1]
        place = room[document]
        mine = kinds[place:], scores[place:], posteriors[place:], mass[document]
        count, edge = _best_path(document, band, model.reach, source, target, tables, model, sums, mine)
        if edge and model.wider > 1:
            widened[document] = True
            mass[document] = 0
            fill_band(document, source, target, tables, model.wider, low, high)
            reach = int(model.reach * model.wider)
            count, _ = _best_path(document, band, reach, source, target, tables, model, sums, mine)
        counts[document] = count


@nb.njit(cache=True)
def _best_path(document, band, reach, source, target, tables, model, sums, out):
    """Write the beads of one document; how many there are, and whether the path ran along an edge."""
    lows, highs = band
    kinds, scores, posteriors, mass = out
    first, start = source.documents[document], target.documents[document]
    n, m = source.documents[document + 1] - first, target.documents[document + 1] - start
    words = translated(first, start, n, m, lows, highs, source, target, tables, sums)
    if reach > 0:
        lows, highs = _narrowed(first, start, n, m, lows, highs, reach, words, source, target, model)
    offsets, shapes = _row_offsets(n, lows, highs), allowed_kinds(model.priors)
    beads = _bead_scores(first, start, n, lows, highs, offsets, shapes, words, source, target, model)
    back = _viterbi(n, lows, highs, offsets, shapes, beads)
    forward = _forward(n, lows, highs, offsets, shapes, beads)
    backward = _backward(n, lows, highs, offsets, shapes, beads)
    whole = forward[offsets[n] + m - lows[n]]
    count, edge = _trace(n, m, lows, highs, offsets, shapes, back, kinds)
    i, j = 0, 0
    for k in range(count):
        a, b = kinds[k, 0], kinds[k, 1]
        before = offsets[i] + j - lows[i]
        i, j = i + a, j + b
        cell = offsets[i] + j - lows[i]
        shape = _shape_number(shapes, a, b)
        scores[k] = beads[cell, shape]
        posteriors[k] = np.exp(min(0.0, forward[before] + beads[cell, shape] + backward[cell] - whole))
    _add_mass(n, lows, highs, offsets, shapes, beads, forward, backward, whole, mass)
    return count, edge


@nb.njit(cache=True)
def allowed_kinds(priors):
    """The kinds (a, b) that a prior allows."""
    found = np.empty((priors.size, 2), np.int64)
    count = 0
    for a in range(priors.shape[0]):
        for b in range(priors.shape[1]):
            if a + b > 0 and priors[a, b] > NOTHING:
                found[count, 0], found[count, 1] = a, b
                count += 1
    return found[:count]


@nb.njit(cache=True)
def _shape_number(shapes, a, b):
    for number in range(len(shapes)):
        if shapes[number, 0] == a and shapes[number, 1] == b:
            return number
    return -1


@nb.njit(cache=True)
def _inside(i, j, lows, highs):
    return i >= 0 and j >= lows[i] and j <= highs[i]


@nb.njit(cache=True)
def _bead_scores(first, start, n, lows, highs, offsets, shapes, words, source, target, model):
    """The score of the bead of each shape that ends in each cell; NOTHING where it begins outside the band."""
    beads = np.full((offsets[n + 1], len(shapes)), NOTHING)
    lexical = sentence_scores(first, start, n, lows, highs, shapes.max(), words, source, target, model)
    for i in range(n + 1):
        for j in range(lows[i], highs[i] + 1):
            cell = offsets[i] + j - lows[i]
            for k in range(len(shapes)):
                a, b = shapes[k, 0], shapes[k, 1]
                if not _inside(i - a, j - b, lows, highs):
                    continue
                score = model.priors[a, b]
                if a > 0 and b > 0:
                    left, right = first + i - a, start + j - b
                    score += lexical_score(i - a, a, j - b, b, lexical, model)
                    score += length_score(left, a, right, b, source, target, model)
                    score += space_score(left, a, right, b, source, target, model)
                beads[cell, k] = score
    return beads


@nb.njit(cache=True)
def _narrowed(first, start, n, m, lows, highs, reach, words, source, target, model):
    """A band of `reach` around the best path of beads with one sentence a side at most: coarse to fine."""
    shapes = np.array([[0, 1], [1, 0], [1, 1]])
    offsets = _row_offsets(n, lows, highs)
    beads = _bead_scores(first, start, n, lows, highs, offsets, shapes, words, source, target, model)
    back = _viterbi(n, lows, highs, offsets, shapes, beads)
    under, above = np.full(n + 1, m, np.int64), np.zeros(n + 1, np.int64)
    i, j = n, m
    while True:
        for row in range(max(0, i - reach), min(n, i + reach) + 1):
            under[row] = min(under[row], max(lows[row], j - reach))
            above[row] = max(above[row], min(highs[row], j + reach))
        if i == 0 and j == 0:
            break
        k = back[offsets[i] + j - lows[i]]
        i, j = i - shapes[k, 0], j - shapes[k, 1]
    return under, above


@nb.njit(cache=True)
def _row_offsets(n, lows, highs):
    offsets = np.zeros(n + 2, np.int64)
    for i in range(n + 1):
        offsets[i + 1] = offsets[i] + highs[i] - lows[i] + 1
    return offsets


@nb.njit(cache=True)
def length_score(left, a, right, b, source, target, model):
    """Log odds of lengths that belong together against lengths that do not: log ratios, narrow against broad."""
    letters, others = 1.0, 1.0
    for s in range(left, left + a):
        letters += model.ratio * source.letters[s]
    for t in range(right, right + b):
        others += target.letters[t]
    narrow = 2 * model.spread / (letters + others) + 0.01
    broad = narrow + 0.5
    away = np.log(others / letters)
    return 0.5 * (np.log(broad / narrow) - away * away * (1 / narrow - 1 / broad))


@nb.njit(cache=True)
def space_score(left, a, right, b, source, target, model):
    """The cosine of both sums of vectors above the centre, weighted; 0 without vectors or for a zero vector."""
    width = source.vectors.shape[1]
    if width == 0 or model.space == 0:
        return 0.0
    product, one, other = 0.0, 0.0, 0.0
    for column in range(width):
        x, y = 0.0, 0.0
        for s in range(left, left + a):
            x += source.vectors[s, column]
        for t in range(right, right + b):
            y += target.vectors[t, column]
        product += x * y
        one += x * x
        other += y * y
    if one == 0 or other == 0:
        return 0.0
    return model.space * (product / np.sqrt(one * other) - model.centre)


@nb.njit(cache=True)
def _viterbi(n, lows, highs, offsets, shapes, beads):
    best, back = np.full(offsets[n + 1], NOTHING), np.full(offsets[n + 1], -1, np.int8)
    best[0] = 0.0
    for i in range(n + 1):
        for j in range(lows[i], highs[i] + 1):
            cell = offsets[i] + j - lows[i]
            for k in range(len(shapes)):
                if beads[cell, k] > NOTHING:
                    h = i - shapes[k, 0]
                    score = best[offsets[h] + j - shapes[k, 1] - lows[h]] + beads[cell, k]
                    if score > best[cell]:
                        best[cell], back[cell] = score, k
    return back


@nb.njit(cache=True)
def _log_sum(values, count):
    """log of the sum of the first `count` exponentials."""
    highest = NOTHING
    for k in range(count):
        highest = max(highest, values[k])
    if highest <= NOTHING:
        return NOTHING
    total = 0.0
    for k in range(count):
        if values[k] > highest - FAR:
            total += np.exp(values[k] - highest)
    return highest + np.log(total)


@nb.njit(cache=True)
def _forward(n, lows, highs, offsets, shapes, beads):
    """Log sums over all paths to each cell."""
    forward, terms = np.full(offsets[n + 1], NOTHING), np.empty(len(shapes))
    forward[0] = 0.0
    for i in range(n + 1):
        for j in range(lows[i], highs[i] + 1):
            cell, count = offsets[i] + j - lows[i], 0
            for k in range(len(shapes)):
                if beads[cell, k] > NOTHING:
                    h = i - shapes[k, 0]
                    terms[count] = forward[offsets[h] + j - shapes[k, 1] - lows[h]] + beads[cell, k]
                    count += 1
            if count:
                forward[cell] = _log_sum(terms, count)
    return forward


@nb.njit(cache=True)
def _backward(n, lows, highs, offsets, shapes, beads):
    """Log sums over all paths from each cell."""
    backward, terms = np.full(offsets[n + 1], NOTHING), np.empty(len(shapes))
    backward[offsets[n + 1] - 1] = 0.0
    for i in range(n, -1, -1):
        for j in range(highs[i], lows[i] - 1, -1):
            count = 0
            for k in range(len(shapes)):
                h, t = i + shapes[k, 0], j + shapes[k, 1]
                if h <= n and _inside(h, t, lows, highs):
                    after = offsets[h] + t - lows[h]
                    terms[count] = backward[after] + beads[after, k]
                    count += 1
            if count:
                backward[offsets[i] + j - lows[i]] = _log_sum(terms, count)
    return backward


@nb.njit(cache=True)
def _trace(n, m, lows, highs, offsets, shapes, back, kinds):
    """Write the beads of the best path in order; how many there are, and whether it ran along an edge of the band."""
    i, j, count, edge = n, m, 0, False
    while i > 0 or j > 0:
        edge = edge or (j == lows[i] and j > 0) or (j == highs[i] and j < m)
        k = back[offsets[i] + j - lows[i]]
        kinds[count, 0], kinds[count, 1] = shapes[k, 0], shapes[k, 1]
        i, j, count = i - shapes[k, 0], j - shapes[k, 1], count + 1
    for k in range(count // 2):
        for side in range(2):
            kinds[k, side], kinds[count - 1 - k, side] = kinds[count - 1 - k, side], kinds[k, side]
    return count, edge


@nb.njit(cache=True)
def _add_mass(n, lows, highs, offsets, shapes, beads, forward, backward, whole, mass):
    for i in range(n + 1):
        for j in range(lows[i], highs[i] + 1):
            cell = offsets[i] + j - lows[i]
            for k in range(len(shapes)):
                a, b = shapes[k, 0], shapes[k, 1]
                if beads[cell, k] > NOTHING:
                    before = offsets[i - a] + j - b - lows[i - a]
                    height = forward[before] + beads[cell, k] + backward[cell] - whole
                    if height > -FAR:
                        mass[a, b] += np.exp(height)


@nb.njit(nogil=True, cache=True)
def _score(block, source, target, tables, model, pairs, edges, found):
    sums = scratch(tables)
    for number in range(edges[block], edges[block + 1]):
        left, a, right, b = pairs[number]
        lows, highs = np.zeros(a + 1, np.int64), np.full(a + 1, b, np.int64)
        words = translated(left, right, a, b, lows, highs, source, target, tables, sums)
        lexical = sentence_scores(left, right, a, lows, highs, max(a, b), words, source, target, model)
        found[number] = (
            lexical_score(0, a, 0, b, lexical, model)
            + length_score(left, a, right, b, source, target, model)
            + space_score(left, a, right, b, source, target, model)
        )
