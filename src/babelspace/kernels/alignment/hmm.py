"""Forward-backward recursion of the HMM of word positions, in both directions at once.

A state is the last position used: 0 before the first, k for position k - 1. NULL keeps the state, so it needs none of
its own. The end of a sentence is the position after the last.
"""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.alignment.ibm import (
    LexiconTables,
    Posteriors,
    empty_posteriors,
    fetch,
    leave_to_null,
    longest,
    store,
)
from babelspace.kernels.alignment.word_pairs import PackedText, even_blocks
from babelspace.kernels.threaded_blocks import on_threads

# Backward weights of states that cannot be reached have no bound; single precision has.
HUGE = np.float32(1e30)
TINY = np.float32(1e-20)
NEGLIGIBLE = np.float32(1e-12)
# Sums that are made side by side; jump weights and rows of scratch have room for as many more.
LANES, EIGHT = 8, np.uint64(8)


def hmm_posteriors(
    text: PackedText,
    cells: NDArray[np.int32],
    lexicon: LexiconTables,
    null: float,
    jumps: NDArray[np.float32],
    agree: bool,
) -> tuple[Posteriors, NDArray[np.float64]]:
    """HMM: posteriors and expected numbers of jumps, both by direction.

    `jumps[d]` holds the weights of offsets from -c to c with c at least one more than the longest sentence.
    """
    blocks = even_blocks(text.cell_starts)
    jumps = np.pad(jumps, ((0, 0), (LANES, LANES)))
    out, counts = empty_posteriors(text, agree), np.zeros((len(blocks) - 1, *jumps.shape))
    backwards = np.ascontiguousarray(jumps[:, ::-1])
    settings = (lexicon, np.float32(null), jumps, backwards, agree)
    on_threads(_hmm, len(blocks) - 1, text, cells, *settings, blocks, out, counts)
    return out, counts.sum(axis=0)[:, LANES:-LANES]


@nb.njit(cache=True)
def outgoing(jumps, sources, scale):
    """For each state (0 is the start, k is position k - 1) one over the weights of all jumps that stay in range."""
    middle = len(jumps) // 2
    for state in range(sources + 1):
        total = np.float32(0)
        # One step further than the last position is the end of the sentence.
        for offset in range(middle + 1 - state, middle + 2 - state + sources):
            total += jumps[offset]
        scale[state] = np.float32(1) / total


@nb.njit(cache=True)
def _convolve(weights, terms, jumps, first, size, out):
    """`out[i]`: the sum over k < `terms` of weights[k] · jumps[first - k + i]; written up to a multiple of `LANES`.

    Eight sums at a time stay in registers. Unsigned numbers, because a negative index would be looked for.
    """
    for base in range(np.uint64(0), np.uint64(size), EIGHT):
        a = np.float32(0)
        b = c = d = e = f = g = h = a
        for k in range(np.uint64(0), np.uint64(terms)):
            weight, at = weights[k], np.uint64(first + base) - k
            a += weight * jumps[at]
            b += weight * jumps[at + np.uint64(1)]
            c += weight * jumps[at + np.uint64(2)]
            d += weight * jumps[at + np.uint64(3)]
            e += weight * jumps[at + np.uint64(4)]
            f += weight * jumps[at + np.uint64(5)]
            g += weight * jumps[at + np.uint64(6)]
            h += weight * jumps[at + np.uint64(7)]
        out[base], out[base + np.uint64(1)], out[base + np.uint64(2)], out[base + np.uint64(3)] = a, b, c, d
        out[base + np.uint64(4)], out[base + np.uint64(5)] = e, f
        out[base + np.uint64(6)], out[base + np.uint64(7)] = g, h


@nb.njit(cache=True)
def _dot(left, right, size):
    """An inner product by four sums, so that none waits for the one before."""
    a = np.float32(0)
    b = c = d = a
    even = size - size % 4
    for k in range(0, even, 4):
        a += left[k] * right[k]
        b += left[k + 1] * right[k + 1]
        c += left[k + 2] * right[k + 2]
        d += left[k + 3] * right[k + 3]
    for k in range(even, size):
        a += left[k] * right[k]
    return (a + b) + (c + d)


@nb.njit(cache=True)
def _forward(lexical, from_null, words, sources, null, jumps, scale, ones, room):
    """What is known from the words before, in `room`.

    Row j of `alpha`: probability of the last position used before word j; of `leaving`: the same without what is
    negligible, times what the jumps must be multiplied with; of `reached`: probability that a jump leads there.
    """
    alpha, leaving, reached = room[0], room[1], room[2]
    middle = len(jumps) // 2
    alpha[0, : sources + 1] = 0
    alpha[0, 0] = 1
    for j in range(words):
        before, row, word, weights, arrived = alpha[j], alpha[j + 1], lexical[j], leaving[j], reached[j]
        for state in range(sources + 1):
            kept = before[state] if before[state] > NEGLIGIBLE else np.float32(0)
            weights[state] = kept * scale[state] * (np.float32(1) - null)
        _convolve(weights, sources + 1, jumps, middle + 1, sources, arrived)
        stay = null * from_null[j]
        row[0] = stay * before[0]
        for i in range(sources):
            row[i + 1] = arrived[i] * word[i] + stay * before[i + 1]
        total = np.float32(1) / _dot(row, ones, sources + 1)
        for state in range(sources + 1):
            row[state] *= total


@nb.njit(cache=True)
def _ending(alpha, words, sources, jumps, scale, beta, counts):
    """The jump to the end of the sentence: starts `beta`, counts the jump."""
    last, total = len(jumps) // 2 + 1 + sources, np.float32(0)
    for state in range(sources + 1):
        beta[state] = jumps[last - state] * scale[state]
        total += beta[state] * alpha[words, state]
    for state in range(sources + 1):
        beta[state] = min(beta[state] / total, HUGE)
        counts[last - state] += alpha[words, state] * beta[state]


@nb.njit(cache=True)
def _backward(lexical, from_null, words, sources, null, jumps, backwards, scale, room, work, out, out_null, counts):
    """Posteriors of positions and of NULL; `leaving` and `ahead` of `room` end as what jumps are counted from."""
    middle = len(jumps) // 2
    alpha, leaving, reached, aheads = room[0], room[1], room[2], room[3]
    beta, fresh = work[0], work[1]
    _ending(alpha, words, sources, jumps, scale, beta, counts)
    for j in range(words - 1, -1, -1):
        before, stay, word, ahead, arrived = alpha[j], null * from_null[j], lexical[j], aheads[j], reached[j]
        for i in range(sources):
            value = min(word[i] * beta[i + 1], HUGE)
            ahead[i] = value if value > TINY else np.float32(0)
        _convolve(ahead, sources, backwards, middle - 1, sources + 1, fresh)
        lost = stay * _dot(beta, before, sources + 1)
        for state in range(sources + 1):
            fresh[state] = fresh[state] * scale[state] * (np.float32(1) - null) + stay * beta[state]
        total = np.float32(1) / _dot(fresh, before, sources + 1)
        out_null[j] = lost * total
        for i in range(sources):
            out[j, i] = arrived[i] * ahead[i] * total
        for state in range(sources + 1):
            leaving[j, state] *= total
            beta[state] = min(fresh[state] * total, HUGE)


@nb.njit(cache=True)
def _count_jumps(leaving, aheads, words, sources, jumps, product, counts):
    """Expected jumps: of all words together, state by state, so that each weight is multiplied in once."""
    middle = len(jumps) // 2
    for state in range(sources + 1):
        product[:sources] = 0
        for j in range(words):
            weight, ahead = leaving[j, state], aheads[j]
            if weight > 0:
                for i in range(sources):
                    product[i] += weight * ahead[i]
        offset = middle + 1 - state
        for i in range(sources):
            counts[offset + i] += product[i] * jumps[offset + i]


@nb.njit(cache=True)
def _hmm_side(lexical, from_null, words, sources, null, jumps, backwards, room, work, out, out_null, counts):
    """Posteriors and jumps of one direction of one sentence pair."""
    scale = work[2]
    outgoing(jumps, sources, scale)
    _forward(lexical, from_null, words, sources, null, jumps, scale, work[3], room)
    _backward(lexical, from_null, words, sources, null, jumps, backwards, scale, room, work, out, out_null, counts)
    _count_jumps(room[1], room[3], words, sources, jumps, work[1], counts)


@nb.njit(nogil=True, cache=True)
def _hmm(block, text, cells, lexicon, null, jumps, backwards, agree, blocks, out, counts):
    start, stop = blocks[block], blocks[block + 1]
    size, middle = longest(text, start, stop), jumps.shape[1] // 2
    grids, vectors = np.empty((4, size, size), np.float32), np.empty((4, size), np.float32)
    room, work = np.empty((4, size + 1, size + 1 + LANES), np.float32), np.ones((4, size + 1 + LANES), np.float32)
    found = np.zeros(jumps.shape, np.float32)
    for sentence in range(start, stop):
        rows, columns = fetch(text, cells, lexicon, sentence, grids[0], grids[1], vectors[0], vectors[1])
        if rows == 0 or columns == 0:
            leave_to_null(text, sentence, out)
            continue
        for side in range(2):
            words, sources = (columns, rows) if side == 0 else (rows, columns)
            lexical, from_null, chosen, lost = grids[side], vectors[side], grids[side + 2], vectors[side + 2]
            settings = (null, jumps[side], backwards[side])
            _hmm_side(lexical, from_null, words, sources, *settings, room, work, chosen, lost, found[side])
            # A sentence sums in single precision, the block in double.
            for offset in range(middle - sources - 1, middle + sources + 2):
                counts[block, side, offset] += found[side, offset]
                found[side, offset] = 0
        store(text, sentence, grids[2], grids[3], vectors[2], vectors[3], agree, out)
