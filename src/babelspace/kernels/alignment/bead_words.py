"""How well the words of two runs of sentences translate each other, from sums that are made once for each sentence."""

from __future__ import annotations

import numba as nb
import numpy as np

# The most sentences on one side of a bead.
BIGGEST = 4
# Factors that are multiplied before a logarithm is taken: each lies between `null` and about 1e6.
PRODUCT = 40


@nb.njit(cache=True)
def _near(lows, highs, n, biggest):
    """The target sentences (from, to) that each source sentence may share a bead with."""
    near = np.empty((n, 2), np.int64)
    for i in range(n):
        near[i, 0] = lows[max(0, i + 1 - biggest)]
        near[i, 1] = highs[min(n, i + biggest)]
    return near


@nb.njit(cache=True)
def scratch(tables):
    """A place for each word of either language, zero before and after each use: made once for many documents."""
    return np.zeros(len(tables.source_chance), np.float32), np.zeros(len(tables.target_chance), np.float32)


@nb.njit(cache=True)
def translated(first, start, n, m, lows, highs, source, target, tables, sums):
    """For the words of every sentence, the sum of t(word | other) / p(word) over each near sentence, both ways.

    Target word w of a sentence near source sentence i: `there[there_starts[i] + w - first word near i]`. Word k of
    source sentence i and near target sentence j: `back[back_starts[i] + (j - first near i) * words of i + k]`.
    Last comes room for as many sums as a sentence may need.
    """
    near = _near(lows, highs, n, BIGGEST)
    there_starts, back_starts = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for i in range(n):
        width = target.starts[start + near[i, 1]] - target.starts[start + near[i, 0]]
        words = source.starts[first + i + 1] - source.starts[first + i]
        there_starts[i + 1] = there_starts[i] + width
        back_starts[i + 1] = back_starts[i] + (near[i, 1] - near[i, 0]) * words
    there, back = np.zeros(there_starts[n], np.float32), np.zeros(back_starts[n], np.float32)
    widest = 0
    for i in range(n):
        words = source.starts[first + i + 1] - source.starts[first + i]
        widest = max(widest, words, there_starts[i + 1] - there_starts[i])
    _fill_there(first, start, n, near, source, target, tables, there_starts, there, sums[1])
    _fill_back(first, start, n, m, near, source, target, tables, back_starts, back, sums[0])
    return near, there_starts, there, back_starts, back, np.empty(widest, np.float32)


@nb.njit(cache=True)
def _fill_there(first, start, n, near, source, target, tables, there_starts, there, sums):
    rows, others, values = tables.forward
    for i in range(n):
        for place in range(source.starts[first + i], source.starts[first + i + 1]):
            for entry in range(rows[source.words[place]], rows[source.words[place] + 1]):
                sums[others[entry]] += values[entry]
        begin, end = target.starts[start + near[i, 0]], target.starts[start + near[i, 1]]
        for place in range(begin, end):
            word = target.words[place]
            there[there_starts[i] + place - begin] = sums[word] / tables.target_chance[word]
        for place in range(source.starts[first + i], source.starts[first + i + 1]):
            for entry in range(rows[source.words[place]], rows[source.words[place] + 1]):
                sums[others[entry]] = 0


@nb.njit(cache=True)
def _fill_back(first, start, n, m, near, source, target, tables, back_starts, back, sums):
    rows, others, values = tables.reverse
    begin, end = 0, 0
    for j in range(m):
        while begin < n and near[begin, 1] <= j:
            begin += 1
        while end < n and near[end, 0] <= j:
            end += 1
        for place in range(target.starts[start + j], target.starts[start + j + 1]):
            for entry in range(rows[target.words[place]], rows[target.words[place] + 1]):
                sums[others[entry]] += values[entry]
        for i in range(begin, end):
            words = source.starts[first + i + 1] - source.starts[first + i]
            row = back_starts[i] + (j - near[i, 0]) * words
            for k in range(words):
                word = source.words[source.starts[first + i] + k]
                back[row + k] = sums[word] / tables.source_chance[word]
        for place in range(target.starts[start + j], target.starts[start + j + 1]):
            for entry in range(rows[target.words[place]], rows[target.words[place] + 1]):
                sums[others[entry]] = 0


@nb.njit(cache=True)
def sentence_scores(first, start, n, lows, highs, biggest, words, source, target, model):
    """What every sentence adds to the log odds of the beads that it may be in, by IBM model 1.

    A bead's sum over words is one over sentences, and what a sentence adds depends only on the run at its other side,
    of `biggest` sentences at most: `there[cell, a - 1]` is what target sentence j adds beside the a source sentences
    from i on, `back[cell, b - 1]` what source sentence i adds beside the b target sentences from j on, with cell
    starts[i] + j - near[i, 0].
    """
    near = _near(lows, highs, n, biggest)
    starts = np.zeros(n + 1, np.int64)
    for i in range(n):
        starts[i + 1] = starts[i] + near[i, 1] - near[i, 0]
    there, back = np.zeros((starts[n], biggest)), np.zeros((starts[n], biggest))
    for i in range(n):
        for j in range(near[i, 0], near[i, 1]):
            cell = starts[i] + j - near[i, 0]
            if j >= lows[i]:
                _beside_sources(there[cell], first, start, n, i, j, highs, words, source, target, model)
            _beside_targets(back[cell], first, start, i, j, near[i, 1], words, source, target, model)
    return starts, near, there, back


@nb.njit(cache=True)
def _beside_sources(found, first, start, n, i, j, highs, words, source, target, model):
    near, there_starts, there, _, _, room = words
    begin = target.starts[start + j]
    sums = room[: target.starts[start + j + 1] - begin]
    for a in range(1, min(len(found), n - i) + 1):
        row = i + a - 1
        place = there_starts[row] + begin - target.starts[start + near[row, 0]]
        _add(sums, there[place : place + len(sums)], a == 1)
        given = source.starts[first + i + a] - source.starts[first + i]
        if given > 0 and j < highs[i + a]:
            found[a - 1] = _log_product(sums, model.null, (1 - model.null) / given)


@nb.njit(cache=True)
def _beside_targets(found, first, start, i, j, end, words, source, target, model):
    near, _, _, back_starts, back, room = words
    sums = room[: source.starts[first + i + 1] - source.starts[first + i]]
    for b in range(1, min(len(found), end - j) + 1):
        place = back_starts[i] + (j + b - 1 - near[i, 0]) * len(sums)
        _add(sums, back[place : place + len(sums)], b == 1)
        given = target.starts[start + j + b] - target.starts[start + j]
        if given > 0:
            found[b - 1] = _log_product(sums, model.null, (1 - model.null) / given)


@nb.njit(cache=True)
def lexical_score(i, a, j, b, scores, model):
    """Weighted mean of both directions' log p(words | other words) / p(words), sentences counted in their document."""
    starts, near, there, back = scores
    total = 0.0
    for other in range(j, j + b):
        total += there[starts[i] + other - near[i, 0], a - 1]
    for one in range(i, i + a):
        total += back[starts[one] + j - near[one, 0], b - 1]
    return model.lexical * 0.5 * total


@nb.njit(cache=True)
def _add(sums, part, afresh):
    for k in range(len(sums)):
        sums[k] = part[k] if afresh else sums[k] + part[k]


@nb.njit(cache=True, fastmath={"reassoc"})
def _log_product(values, null, share):
    """The logarithm of the product of all null + share * value; free in its order, so that several are done at once."""
    total = 0.0
    for begin in range(0, len(values), PRODUCT):
        product, part = 1.0, values[begin : begin + PRODUCT]
        for k in range(len(part)):
            product *= null + share * part[k]
        total += np.log(product)
    return total
