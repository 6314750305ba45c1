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
    out, counts = empty_posteriors(text, agree), np.zeros((len(blocks) - 1, *jumps.shape))
    backwards = np.ascontiguousarray(jumps[:, ::-1])
    settings = (lexicon, np.float32(null), jumps, backwards, agree)
    on_threads(_hmm, len(blocks) - 1, text, cells, *settings, blocks, out, counts)
    return out, counts.sum(axis=0)


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
def _forward(lexical, from_null, words, sources, null, jumps, scale, alpha):
    """Row j of `alpha`: probability of the last position used before word j, given the words before it."""
    middle = len(jumps) // 2
    alpha[0, : sources + 1] = 0
    alpha[0, 0] = 1
    for j in range(words):
        before, row, word = alpha[j], alpha[j + 1], lexical[j]
        row[: sources + 1] = 0
        for state in range(sources + 1):
            if before[state] > NEGLIGIBLE:
                weight = before[state] * scale[state] * (np.float32(1) - null)
                offset = middle + 1 - state
                for i in range(sources):
                    row[i + 1] += weight * jumps[offset + i]
        total, stay = np.float32(0), null * from_null[j]
        for i in range(sources):
            row[i + 1] *= word[i]
        for state in range(sources + 1):
            row[state] += stay * before[state]
            total += row[state]
        total = np.float32(1) / total
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
def _backward(lexical, from_null, words, sources, null, jumps, backwards, scale, alpha, work, out, out_null, counts):
    """Posteriors of positions and of NULL, and expected jumps."""
    middle = len(jumps) // 2
    beta, fresh, ahead = work[0], work[1], work[2]
    _ending(alpha, words, sources, jumps, scale, beta, counts)
    for j in range(words - 1, -1, -1):
        before, stay, total, lost = alpha[j], null * from_null[j], np.float32(0), np.float32(0)
        fresh[: sources + 1] = 0
        for i in range(sources):
            ahead[i] = min(lexical[j, i] * beta[i + 1], HUGE)
            if ahead[i] > TINY:
                offset = middle - 1 - i
                for state in range(sources + 1):
                    fresh[state] += ahead[i] * backwards[offset + state]
        for state in range(sources + 1):
            fresh[state] = fresh[state] * scale[state] * (np.float32(1) - null) + stay * beta[state]
            total += fresh[state] * before[state]
            lost += stay * beta[state] * before[state]
        total = np.float32(1) / total
        out_null[j] = lost * total
        _links(before, sources, null, jumps, scale, total, ahead, out[j], counts)
        for state in range(sources + 1):
            beta[state] = min(fresh[state] * total, HUGE)


@nb.njit(cache=True)
def _links(before, sources, null, jumps, scale, total, ahead, out, counts):
    """Posteriors of one word's positions, summed over the jumps that lead there."""
    middle = len(jumps) // 2
    out[:sources] = 0
    for state in range(sources + 1):
        if before[state] > NEGLIGIBLE:
            weight = before[state] * scale[state] * (np.float32(1) - null) * total
            offset = middle + 1 - state
            for i in range(sources):
                share = weight * jumps[offset + i] * ahead[i]
                out[i] += share
                counts[offset + i] += share


@nb.njit(cache=True)
def _hmm_side(lexical, from_null, words, sources, null, jumps, backwards, alpha, work, out, out_null, counts):
    """Posteriors and jumps of one direction of one sentence pair."""
    scale = work[3]
    outgoing(jumps, sources, scale)
    _forward(lexical, from_null, words, sources, null, jumps, scale, alpha)
    _backward(lexical, from_null, words, sources, null, jumps, backwards, scale, alpha, work, out, out_null, counts)


@nb.njit(nogil=True, cache=True)
def _hmm(block, text, cells, lexicon, null, jumps, backwards, agree, blocks, out, counts):
    start, stop = blocks[block], blocks[block + 1]
    size, middle = longest(text, start, stop), jumps.shape[1] // 2
    grids, vectors = np.empty((4, size, size), np.float32), np.empty((4, size), np.float32)
    alpha, work = np.empty((size + 1, size + 1), np.float32), np.empty((4, size + 1), np.float32)
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
            _hmm_side(lexical, from_null, words, sources, *settings, alpha, work, chosen, lost, found[side])
            # A sentence sums in single precision, the block in double.
            for offset in range(middle - sources - 1, middle + sources + 2):
                counts[block, side, offset] += found[side, offset]
                found[side, offset] = 0
        store(text, sentence, grids[2], grids[3], vectors[2], vectors[3], agree, out)
