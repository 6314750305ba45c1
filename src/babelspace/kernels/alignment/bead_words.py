"""How well the words of two runs of sentences translate each other, from sums that are made once for each sentence."""

from __future__ import annotations

import numba as nb
import numpy as np

# The most sentences on one side of a bead.
BIGGEST = 4
# Factors that are multiplied before a logarithm is taken: each lies between `null` and about 1e6.
PRODUCT = 40


@nb.njit(cache=True)
def _near(lows, highs, n):
    """The target sentences (from, to) that each source sentence may share a bead with."""
    near = np.empty((n, 2), np.int64)
    for i in range(n):
        near[i, 0] = lows[max(0, i + 1 - BIGGEST)]
        near[i, 1] = highs[min(n, i + BIGGEST)]
    return near


@nb.njit(cache=True)
def translated(first, start, n, m, lows, highs, source, target, tables):
    """For the words of every sentence, the sum of t(word | other) / p(word) over each near sentence, both ways.

    Target word w of a sentence near source sentence i: `there[there_starts[i] + w - first word near i]`. Word k of
    source sentence i and near target sentence j: `back[back_starts[i] + (j - first near i) * words of i + k]`.
    Last comes room for as many sums as a bead may need.
    """
    near = _near(lows, highs, n)
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
    _fill_there(first, start, n, near, source, target, tables, there_starts, there)
    _fill_back(first, start, n, m, near, source, target, tables, back_starts, back)
    return near, there_starts, there, back_starts, back, np.empty(widest, np.float32)


@nb.njit(cache=True)
def _fill_there(first, start, n, near, source, target, tables, there_starts, there):
    rows, others, values = tables.forward
    sums = np.zeros(len(tables.target_chance), np.float32)
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
def _fill_back(first, start, n, m, near, source, target, tables, back_starts, back):
    rows, others, values = tables.reverse
    sums = np.zeros(len(tables.source_chance), np.float32)
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
def lexical_score(left, a, right, b, first, start, words, source, target, model):
    """Weighted mean of both directions' log p(words | other words) / p(words), by IBM model 1."""
    near, there_starts, there, back_starts, back, room = words
    mine = source.starts[left + a] - source.starts[left]
    theirs = target.starts[right + b] - target.starts[right]
    if mine == 0 or theirs == 0:
        return 0.0
    sums = room[:theirs]
    for i in range(left - first, left - first + a):
        begin = there_starts[i] + target.starts[right] - target.starts[start + near[i, 0]]
        _add(sums, there[begin : begin + theirs], i == left - first)
    total = _log_product(sums, model.null, (1 - model.null) / mine)
    for i in range(left - first, left - first + a):
        length = source.starts[first + i + 1] - source.starts[first + i]
        sums = room[:length]
        for j in range(right - start, right - start + b):
            begin = back_starts[i] + (j - near[i, 0]) * length
            _add(sums, back[begin : begin + length], j == right - start)
        total += _log_product(sums, model.null, (1 - model.null) / theirs)
    return model.lexical * 0.5 * total


@nb.njit(cache=True)
def _add(sums, part, afresh):
    if afresh:
        sums[:] = part
    else:
        sums += part


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
