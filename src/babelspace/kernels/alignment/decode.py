"""The best alignment and the N best of IBM models and the HMM, one direction at a time.

A sentence is given by log probabilities: of each word from each position, of each word from NULL, and of jumps between
positions. Models 1 and 2 (`chain` false) are the case of jumps that cost nothing. A state is the last position used (0
before the first); NULL keeps it.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.alignment.ibm import LexiconTables, diagonal, longest
from babelspace.kernels.alignment.word_pairs import PackedText, even_blocks
from babelspace.kernels.threaded_blocks import on_threads

NULL = -1


def best_alignments(
    text: PackedText,
    cells: NDArray[np.int32],
    lexicon: LexiconTables,
    null: float,
    tension: NDArray[np.float64],
    jumps: NDArray[np.float32],
    chain: bool,
    side: int,
) -> NDArray[np.int32]:
    """For each word of the explained side its position on the other side, -1 for NULL."""
    out = np.full(len(text.target if side == 0 else text.source), NULL, np.int32)
    settings, blocks = (lexicon, null, tension[side], jumps[side], chain, side), even_blocks(text.cell_starts)
    on_threads(_best, len(blocks) - 1, text, cells, *settings, blocks, out)
    return out


def n_best_alignments(
    text: PackedText,
    cells: NDArray[np.int32],
    lexicon: LexiconTables,
    null: float,
    tension: NDArray[np.float64],
    jumps: NDArray[np.float32],
    chain: bool,
    side: int,
    best: int,
) -> tuple[list[NDArray[np.int32]], list[NDArray[np.float64]]]:
    """For each sentence its best alignments, best first, one a row, and their joint log probabilities."""
    rows, scores = [], []
    for sentence in range(len(text.cell_starts) - 1):
        found, values = _n_best(text, cells, lexicon, null, tension[side], jumps[side], chain, side, sentence, best)
        rows.append(found)
        scores.append(values)
    return rows, scores


@nb.njit(cache=True)
def log_tables(text, cells, lexicon, sentence, side, null, tension, chain, lexical, from_null):
    """Fill log t(word j | position i) + log position prior, and the same for NULL; the lengths of both sides."""
    rows = text.source_starts[sentence + 1] - text.source_starts[sentence]
    columns = text.target_starts[sentence + 1] - text.target_starts[sentence]
    words, sources = (columns, rows) if side == 0 else (rows, columns)
    cell, weights = text.cell_starts[sentence], np.empty(max(sources, 1), np.float32)
    for j in range(words):
        if side == 0:
            prior = lexicon.target_null[text.target[text.target_starts[sentence] + j]]
        else:
            prior = lexicon.source_null[text.source[text.source_starts[sentence] + j]]
        from_null[j] = np.log(null) + np.log(prior)
        total = diagonal(weights, j, words, sources, tension) if not chain else np.float32(1)
        for i in range(sources):
            pair = cells[cell + i * columns + j] if side == 0 else cells[cell + j * columns + i]
            place = weights[i] if not chain else np.float32(1)
            # 1e-45 stands for zero: a table with sparse priors has zeros, and their logarithm would spoil every sum.
            lexical[j, i] = np.log(max(lexicon.pairs[pair, side], 1e-45)) + np.log((1 - null) * place / total)
    return words, sources


@nb.njit(cache=True)
def log_jumps(jumps, sources, chain, moves):
    """Fill log p(position | state), the end of the sentence being the position after the last; zero without jumps."""
    middle = len(jumps) // 2
    for state in range(sources + 1):
        total = 0.0
        for position in range(sources + 1):
            total += jumps[middle + 1 - state + position]
        for position in range(sources + 1):
            share = np.log(jumps[middle + 1 - state + position] / total)
            moves[state, position] = share if chain else 0.0


@nb.njit(cache=True)
def _ahead(lexical, from_null, moves, words, sources, ahead):
    """`ahead[j, state]`: the best log probability of words j and later."""
    for state in range(sources + 1):
        ahead[words, state] = moves[state, sources]
    for j in range(words - 1, -1, -1):
        for state in range(sources + 1):
            best = from_null[j] + ahead[j + 1, state]
            for i in range(sources):
                best = max(best, moves[state, i] + lexical[j, i] + ahead[j + 1, i + 1])
            ahead[j, state] = best


@nb.njit(cache=True)
def _follow(lexical, from_null, moves, words, sources, ahead, out):
    """The alignment that `ahead` promises; the first position wins a tie, NULL loses it."""
    state = 0
    for j in range(words):
        choice, best = NULL, from_null[j] + ahead[j + 1, state]
        for i in range(sources):
            value = moves[state, i] + lexical[j, i] + ahead[j + 1, i + 1]
            if value > best or (value == best and choice == NULL):
                choice, best = i, value
        out[j] = choice
        state = choice + 1 if choice != NULL else state


@nb.njit(nogil=True, cache=True)
def _best(block, text, cells, lexicon, null, tension, jumps, chain, side, blocks, out):
    starts = text.target_starts if side == 0 else text.source_starts
    size = longest(text, blocks[block], blocks[block + 1])
    lexical, from_null = np.empty((size, size)), np.empty(size)
    moves, ahead = np.empty((size + 1, size + 1)), np.empty((size + 1, size + 1))
    for sentence in range(blocks[block], blocks[block + 1]):
        words, sources = log_tables(text, cells, lexicon, sentence, side, null, tension, chain, lexical, from_null)
        if words > 0 and sources > 0:
            log_jumps(jumps, sources, chain, moves)
            _ahead(lexical, from_null, moves, words, sources, ahead)
            chosen = out[starts[sentence] : starts[sentence + 1]]
            _follow(lexical, from_null, moves, words, sources, ahead, chosen)


@nb.njit(cache=True)
def _n_best(text, cells, lexicon, null, tension, jumps, chain, side, sentence, best):
    size = longest(text, sentence, sentence + 1)
    lexical, from_null = np.empty((size, size)), np.empty(size)
    moves, ahead = np.empty((size + 1, size + 1)), np.empty((size + 1, size + 1))
    words, sources = log_tables(text, cells, lexicon, sentence, side, null, tension, chain, lexical, from_null)
    if words == 0 or sources == 0:
        return np.full((1, words), NULL, np.int32), np.zeros(1)
    log_jumps(jumps, sources, chain, moves)
    _ahead(lexical, from_null, moves, words, sources, ahead)
    return _search(lexical, from_null, moves, words, sources, ahead, best)


@nb.njit(cache=True)
def _search(lexical, from_null, moves, words, sources, ahead, best):
    """A* over prefixes: what is ahead is known exactly, so prefixes leave the heap in the order of their best end."""
    heap = [(-ahead[0, 0], 0)]
    # Of each prefix: the prefix before, its last choice, state, length and log probability so far.
    parents, choices, states, lengths, gains = [0], [NULL], [0], [0], [0.0]
    out, scores = np.empty((best, words), np.int32), np.empty(best)
    found = 0
    while found < best and len(heap) > 0:
        promise, node = heappop(heap)
        j, state = lengths[node], states[node]
        if j == words:
            scores[found] = -promise
            step = node
            for back in range(words - 1, -1, -1):
                out[found, back] = choices[step]
                step = parents[step]
            found += 1
            continue
        for choice in range(NULL, sources):
            after = state if choice == NULL else choice + 1
            gain = gains[node] + (from_null[j] if choice == NULL else moves[state, choice] + lexical[j, choice])
            parents.append(node)
            choices.append(choice)
            states.append(after)
            lengths.append(j + 1)
            gains.append(gain)
            heappush(heap, (-(gain + ahead[j + 1, after]), len(parents) - 1))
    return out[:found].copy(), scores[:found].copy()
