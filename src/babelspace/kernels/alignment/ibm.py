"""Expected word links of IBM models 1 and 2, in both directions at once, and their counts.

Direction 0 ("forward") explains the target words by source words, direction 1 ("reverse") the source words by target
words. Sentences are worked on in fixed blocks, posteriors are stored by cell, and counts are summed pair by pair from
there, so no result depends on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.alignment.word_pairs import PackedText, Places, WordPairs, even_blocks
from babelspace.kernels.threaded_blocks import on_threads


class LexiconTables(NamedTuple):
    """Word probabilities: t(f | e) and t(e | f) by pair, then of words out of NULL.

    The last two rows of `pairs` are for words that never met and for two unknown words; the last entry of the others
    is for unknown words.
    """

    pairs: NDArray[np.float32]
    target_null: NDArray[np.float32]
    source_null: NDArray[np.float32]


# Kernels that an older version compiled are unpickled under this name before numba finds them stale.
Lexicon = LexiconTables


class Posteriors(NamedTuple):
    """Link probabilities of each cell by direction, and of NULL for each target (forward) and source word (reverse)."""

    forward: NDArray[np.float32]
    reverse: NDArray[np.float32]
    target_null: NDArray[np.float32]
    source_null: NDArray[np.float32]


def empty_posteriors(text: PackedText, agree: bool) -> Posteriors:
    """Room for the posteriors of a text: 8 bytes a cell, 4 if the directions agree, and 4 bytes a word."""
    sizes = (text.cell_starts[-1], 0 if agree else text.cell_starts[-1], len(text.target), len(text.source))
    found = Posteriors(*(np.zeros(size, np.float32) for size in sizes))
    return found._replace(reverse=found.forward) if agree else found


def independent_posteriors(
    text: PackedText,
    cells: NDArray[np.int32],
    lexicon: LexiconTables,
    null: float,
    tension: NDArray[np.float64],
    agree: bool,
) -> tuple[Posteriors, NDArray[np.float64]]:
    """Model 1 (tension 0) or model 2 with a diagonal: posteriors and, by direction, the sum of -|i/I - j/J| over links.

    With `agree` both directions get the product of their link posteriors.
    """
    blocks = even_blocks(text.cell_starts)
    out, closeness = empty_posteriors(text, agree), np.zeros((len(blocks) - 1, 2))
    settings = (lexicon, np.float32(null), tension, agree)
    on_threads(_independent, len(blocks) - 1, text, cells, *settings, blocks, out, closeness)
    return out, closeness.sum(axis=0)


def pair_counts(
    text: PackedText, cells: NDArray[np.int32], places: Places, pairs: WordPairs, posteriors: Posteriors
) -> NDArray[np.float64]:
    """Expected links of each pair, by direction."""
    counts, blocks = np.zeros((len(pairs.partners), 2)), even_blocks(places.starts)
    # Directions that agree have the same posteriors, and need be counted once.
    agree = posteriors.reverse is posteriors.forward
    on_threads(_sum_cells, len(blocks) - 1, text, cells, places, posteriors, agree, blocks, counts)
    if agree:
        counts[:, 1] = counts[:, 0]
    return counts


@nb.njit(cache=True)
def longest(text, start, stop):
    """The most words that one side of a sentence pair has."""
    size = 1
    for sentence in range(start, stop):
        size = max(size, text.source_starts[sentence + 1] - text.source_starts[sentence])
        size = max(size, text.target_starts[sentence + 1] - text.target_starts[sentence])
    return size


@nb.njit(cache=True)
def fetch(text, cells, lexicon, sentence, forward, reverse, target_null, source_null):
    """Word probabilities of one sentence pair: `forward[j, i]`, `reverse[i, j]` and those of NULL; its lengths."""
    rows = text.source_starts[sentence + 1] - text.source_starts[sentence]
    columns = text.target_starts[sentence + 1] - text.target_starts[sentence]
    cell = text.cell_starts[sentence]
    for i in range(rows):
        source_null[i] = lexicon.source_null[text.source[text.source_starts[sentence] + i]]
        for j in range(columns):
            pair = cells[cell + i * columns + j]
            forward[j, i] = lexicon.pairs[pair, 0]
            reverse[i, j] = lexicon.pairs[pair, 1]
    for j in range(columns):
        target_null[j] = lexicon.target_null[text.target[text.target_starts[sentence] + j]]
    return rows, columns


@nb.njit(cache=True)
def store(text, sentence, first, second, first_null, second_null, agree, out):
    """Keep the posteriors of one sentence pair by cell; `first` is target x source, `second` source x target."""
    left, right = text.source_starts[sentence], text.target_starts[sentence]
    rows, columns = text.source_starts[sentence + 1] - left, text.target_starts[sentence + 1] - right
    cell = text.cell_starts[sentence]
    for i in range(rows):
        out.source_null[left + i] = second_null[i]
        for j in range(columns):
            one, two = first[j, i], second[i, j]
            out.forward[cell] = one * two if agree else one
            out.reverse[cell] = one * two if agree else two
            cell += 1
    for j in range(columns):
        out.target_null[right + j] = first_null[j]


@nb.njit(cache=True)
def leave_to_null(text, sentence, out):
    """A sentence pair with an empty side: the words of the other come from NULL."""
    out.source_null[text.source_starts[sentence] : text.source_starts[sentence + 1]] = 1
    out.target_null[text.target_starts[sentence] : text.target_starts[sentence + 1]] = 1


@nb.njit(cache=True)
def diagonal(weights, j, words, sources, tension):
    """The weights exp(-tension |i/I - j/J|) of the source positions for word j of `words`, and their sum."""
    if tension == 0:
        weights[:sources] = 1
        return np.float32(sources)
    total, place, strength = np.float32(0), np.float32((j + 0.5) / words), np.float32(-tension)
    for i in range(sources):
        weights[i] = np.exp(strength * abs(np.float32((i + 0.5) / sources) - place))
        total += weights[i]
    return total


@nb.njit(cache=True)
def _positions(lexical, from_null, words, sources, null, tension, weights, out, out_null):
    """Posteriors of one direction where each word chooses its position alone; the sum of -distance over links."""
    closeness = 0.0
    for j in range(words):
        share = (np.float32(1) - null) / diagonal(weights, j, words, sources, tension)
        total = null * from_null[j]
        for i in range(sources):
            out[j, i] = share * weights[i] * lexical[j, i]
            total += out[j, i]
        scale = np.float32(1) / total
        out_null[j] = null * from_null[j] * scale
        for i in range(sources):
            out[j, i] *= scale
            closeness -= out[j, i] * abs((i + 0.5) / sources - (j + 0.5) / words)
    return closeness


@nb.njit(nogil=True, cache=True)
def _independent(block, text, cells, lexicon, null, tension, agree, blocks, out, closeness):
    start, stop = blocks[block], blocks[block + 1]
    size = longest(text, start, stop)
    grids, vectors = np.empty((4, size, size), np.float32), np.empty((5, size), np.float32)
    for sentence in range(start, stop):
        rows, columns = fetch(text, cells, lexicon, sentence, grids[0], grids[1], vectors[0], vectors[1])
        if rows == 0 or columns == 0:
            leave_to_null(text, sentence, out)
            continue
        for side in range(2):
            words, sources = (columns, rows) if side == 0 else (rows, columns)
            lexical, from_null, chosen, lost = grids[side], vectors[side], grids[side + 2], vectors[side + 2]
            closeness[block, side] += _positions(
                lexical, from_null, words, sources, null, tension[side], vectors[4], chosen, lost
            )
        store(text, sentence, grids[2], grids[3], vectors[2], vectors[3], agree, out)


@nb.njit(nogil=True, cache=True)
def _sum_cells(block, text, cells, places, posteriors, agree, blocks, counts):
    for place in range(places.starts[blocks[block]], places.starts[blocks[block + 1]]):
        sentence = places.sentences[place]
        columns = text.target_starts[sentence + 1] - text.target_starts[sentence]
        row = text.cell_starts[sentence] + places.positions[place] * columns
        for cell in range(row, row + columns):
            counts[cells[cell], 0] += posteriors.forward[cell]
            if not agree:
                counts[cells[cell], 1] += posteriors.reverse[cell]
