"""Gibbs sampling and hill climbing for an HMM whose source words also choose how many words they explain.

Sentences are independent given the tables, and each has a random state of its own, made from the seed and its number:
results depend neither on threads nor on blocks.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.alignment.hmm import outgoing
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

NULL = -1


class Fertilities(NamedTuple):
    """p(n | word): a row a word, a column for n = 0, 1, …; the last column means that many or more."""

    source: NDArray[np.float32]
    target: NDArray[np.float32]


class Alignment(NamedTuple):
    """Position of the source word of each target word and the other way round, -1 for NULL."""

    forward: NDArray[np.int32]
    reverse: NDArray[np.int32]


class Sample(NamedTuple):
    """What sampling leaves: posteriors, jump counts by direction, fertilities seen (sweep x word) on both sides."""

    posteriors: Posteriors
    jumps: NDArray[np.float64]
    source: NDArray[np.uint8]
    target: NDArray[np.uint8]


def sample(
    text: PackedText,
    cells: NDArray[np.int32],
    lexicon: LexiconTables,
    null: float,
    jumps: NDArray[np.float32],
    fertilities: Fertilities,
    state: Alignment,
    sweeps: tuple[int, int],
    agree: bool,
    seed: int,
) -> Sample:
    """Sweep over every sentence, first unheard, then counted; `state` is where to start and is moved on.

    Posteriors are means of the conditional probabilities that the counted sweeps drew from.
    """
    blocks = even_blocks(text.cell_starts)
    counts = np.zeros((len(blocks) - 1, *jumps.shape))
    seen = (np.zeros((sweeps[1], len(text.source)), np.uint8), np.zeros((sweeps[1], len(text.target)), np.uint8))
    out, settings = empty_posteriors(text, agree), (sweeps, agree, np.uint64(seed), blocks)
    model = (lexicon, np.float32(null), jumps, fertilities)
    on_threads(_sample, len(blocks) - 1, text, cells, *model, *settings, state, seen, out, counts)
    return Sample(out, counts.sum(axis=0), *seen)


def climb(
    text: PackedText,
    cells: NDArray[np.int32],
    lexicon: LexiconTables,
    null: float,
    jumps: NDArray[np.float32],
    fertilities: Fertilities,
    state: Alignment,
) -> Alignment:
    """Move one word after another to its best position until none moves: a local optimum near `state`."""
    out = Alignment(state.forward.copy(), state.reverse.copy())
    blocks = even_blocks(text.cell_starts)
    model = (lexicon, np.float32(null), jumps, fertilities)
    on_threads(_climb, len(blocks) - 1, text, cells, *model, blocks, out)
    return out


@nb.njit(cache=True)
def _uniform(random):
    """The next splitmix64 number of a state of length one, in [0, 1)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = random[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.float32(mixed >> np.uint64(40)) * np.float32(2.0**-24)


@nb.njit(cache=True)
def _ratio(table, word, fertility):
    """How much likelier one more word makes a source word."""
    last = table.shape[1] - 1
    return table[word, min(fertility + 1, last)] / table[word, min(fertility, last)]


@nb.njit(cache=True)
def _weigh(lexical, from_null, null, jumps, scale, state, after, ratios, sources, weights):
    """Weights of the positions of one word between state `state` and position `after`; of NULL; and their sum."""
    middle = len(jumps) // 2
    here, there = middle + 1 - state, middle + after
    move = (np.float32(1) - null) * scale[state]
    total = np.float32(0)
    for i in range(sources):
        weights[i] = move * lexical[i] * jumps[here + i] * jumps[there - i] * scale[i + 1] * ratios[i]
        total += weights[i]
    weights[sources] = null * from_null * jumps[here + after] * scale[state]
    return total + weights[sources]


@nb.njit(cache=True)
def _draw(weights, sources, total, random):
    threshold, i = _uniform(random) * total, 0
    while i < sources:
        threshold -= weights[i]
        if threshold < 0:
            return i
        i += 1
    return NULL


@nb.njit(cache=True)
def _highest(weights, sources, current):
    """The heaviest choice; the current one keeps a tie, so that climbing ends."""
    choice = current
    for i in range(sources + 1):
        if weights[i] > weights[choice if choice != NULL else sources]:
            choice = i if i < sources else NULL
    return choice


@nb.njit(cache=True)
def _prepare(words, sources, chosen, source_ids, table, fertility, ratios, following):
    """Fertilities and their ratios, and for each word the next position used after it (the end if none)."""
    fertility[:sources] = 0
    after = sources
    for j in range(words - 1, -1, -1):
        following[j] = after
        if chosen[j] != NULL:
            fertility[chosen[j]] += 1
            after = chosen[j]
    for i in range(sources):
        ratios[i] = _ratio(table, source_ids[i], fertility[i])


@nb.njit(cache=True)
def _sweep(lexical, from_null, null, moves, source_ids, table, chosen, work, counts, greedy, keep, random, out, lost):
    """Visit every word of a sentence once; the number of words that moved. `moves` are jump weights and their scale."""
    words, sources = len(chosen), len(source_ids)
    ratios, weights, fertility, following = work[0], work[1], counts[0], counts[1]
    _prepare(words, sources, chosen, source_ids, table, fertility, ratios, following)
    # Not a literal 0: numba would compile what it is given to a second time.
    state, moved = min(0, words), 0
    for j in range(words):
        old = chosen[j]
        if old != NULL:
            fertility[old] -= 1
            ratios[old] = _ratio(table, source_ids[old], fertility[old])
        jumps, scale = moves
        total = _weigh(lexical[j], from_null[j], null, jumps, scale, state, following[j], ratios, sources, weights)
        new = _highest(weights, sources, old) if greedy else _draw(weights, sources, total, random)
        if keep > 0:
            for i in range(sources):
                out[j, i] += keep * weights[i] / total
            lost[j] += keep * weights[sources] / total
        if new != NULL:
            fertility[new] += 1
            ratios[new] = _ratio(table, source_ids[new], fertility[new])
            state = new + 1
        chosen[j] = new
        moved += new != old
    return moved


@nb.njit(cache=True)
def _count_jumps(chosen, sources, counts):
    middle, state = len(counts) // 2, 0
    for j in range(len(chosen)):
        if chosen[j] != NULL:
            counts[middle + 1 - state + chosen[j]] += 1
            state = chosen[j] + 1
    counts[middle + 1 - state + sources] += 1


@nb.njit(cache=True)
def _sides(text, sentence, state, fertilities, seen, side):
    """Of one direction: ids of the explaining words, their fertility table, the alignment, room for what is seen."""
    first, second = text.source_starts[sentence], text.target_starts[sentence]
    end, last = text.source_starts[sentence + 1], text.target_starts[sentence + 1]
    if side == 0:
        return text.source[first:end], fertilities.source, state.forward[second:last], seen[0][:, first:end]
    return text.target[second:last], fertilities.target, state.reverse[first:end], seen[1][:, second:last]


@nb.njit(cache=True)
def _sample_side(lexical, from_null, null, moves, sides, sweeps, work, counts, random, out, lost, found):
    """All sweeps of one direction of one sentence."""
    source_ids, table, chosen, seen = sides
    sources = len(source_ids)
    outgoing(moves[0], sources, moves[1])
    out[: len(chosen), :sources] = 0
    lost[: len(chosen)] = 0
    for sweep in range(sweeps[0] + sweeps[1]):
        keep = np.float32(1 / sweeps[1] if sweep >= sweeps[0] else 0)
        own = (source_ids, table, chosen, work, counts)
        _sweep(lexical, from_null, null, moves, *own, False, keep, random, out, lost)
        if sweep >= sweeps[0]:
            _count_jumps(chosen, sources, found)
            for i in range(sources):
                seen[sweep - sweeps[0], i] = min(counts[0, i], 255)


@nb.njit(nogil=True, cache=True)
def _sample(block, text, cells, lexicon, null, jumps, fertilities, sweeps, agree, seed, blocks, state, seen, out, sums):
    size = longest(text, blocks[block], blocks[block + 1])
    grids, vectors = np.empty((4, size, size), np.float32), np.empty((5, size + 1), np.float32)
    work, counts = np.empty((2, size + 1), np.float32), np.empty((2, size + 1), np.int64)
    random = np.empty(1, np.uint64)
    for sentence in range(blocks[block], blocks[block + 1]):
        rows, columns = fetch(text, cells, lexicon, sentence, grids[0], grids[1], vectors[0], vectors[1])
        if rows == 0 or columns == 0:
            leave_to_null(text, sentence, out)
            continue
        random[0] = seed ^ (np.uint64(sentence + 1) * np.uint64(0xD1342543DE82EF95))
        for side in range(2):
            sides = _sides(text, sentence, state, fertilities, seen, side)
            lexical, from_null, chosen, lost = grids[side], vectors[side], grids[side + 2], vectors[side + 2]
            moves = (jumps[side], vectors[4])
            settings = (null, moves, sides, sweeps, work, counts, random)
            _sample_side(lexical, from_null, *settings, chosen, lost, sums[block, side])
        store(text, sentence, grids[2], grids[3], vectors[2], vectors[3], agree, out)


@nb.njit(nogil=True, cache=True)
def _climb(block, text, cells, lexicon, null, jumps, fertilities, blocks, state):
    size = longest(text, blocks[block], blocks[block + 1])
    grids, vectors = np.empty((2, size, size), np.float32), np.empty((3, size + 1), np.float32)
    work, counts = np.empty((2, size + 1), np.float32), np.empty((2, size + 1), np.int64)
    random, unseen = np.zeros(1, np.uint64), np.empty((0, 0), np.uint8)
    for sentence in range(blocks[block], blocks[block + 1]):
        rows, columns = fetch(text, cells, lexicon, sentence, grids[0], grids[1], vectors[0], vectors[1])
        if rows == 0 or columns == 0:
            continue
        for side in range(2):
            source_ids, table, chosen, _ = _sides(text, sentence, state, fertilities, (unseen, unseen), side)
            lexical, from_null, moves = grids[side], vectors[side], (jumps[side], vectors[2])
            outgoing(moves[0], len(source_ids), moves[1])
            own = (source_ids, table, chosen, work, counts)
            # Every move makes the alignment likelier; the bound is for sums that rounding sends in circles.
            for _ in range(50):
                if _sweep(lexical, from_null, null, moves, *own, True, np.float32(0), random, lexical, from_null) == 0:
                    break
