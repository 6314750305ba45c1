"""Which words of two languages meet in sentence pairs: one number for each pair of words, one for each meeting.

A *pair* is a source word and a target word that stand in one sentence pair at least once; pairs are numbered by source
word, then target word. A *cell* is a meeting: source position i and target position j of one sentence pair. Cells of a
sentence lie row by row (i, then j) and hold the number of their pair, so that tables of translation probabilities have
one entry a pair and need no search. Memory: 4 bytes a cell, 4 bytes a pair.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.threaded_blocks import on_threads

# Fixed, so that sums over blocks do not depend on the number of threads.
BLOCKS = 64


class PackedText(NamedTuple):
    """Sentence pairs: word ids and where sentences start, on both sides, and where each sentence's cells start."""

    source: NDArray[np.int32]
    source_starts: NDArray[np.int64]
    target: NDArray[np.int32]
    target_starts: NDArray[np.int64]
    cell_starts: NDArray[np.int64]


class Places(NamedTuple):
    """Where each source word stands: sentence and position, word by word."""

    starts: NDArray[np.int64]
    sentences: NDArray[np.int32]
    positions: NDArray[np.int32]


class WordPairs(NamedTuple):
    """Pair numbers `starts[e]:starts[e + 1]` have source word e; `partners` are their target words, ascending."""

    starts: NDArray[np.int64]
    partners: NDArray[np.int32]


# Kernels that an older version compiled are unpickled under this name before numba finds them stale.
Pairs = WordPairs


def make_text(
    source: NDArray[np.int32],
    source_starts: NDArray[np.int64],
    target: NDArray[np.int32],
    target_starts: NDArray[np.int64],
) -> PackedText:
    """The bundle with the starts of the cells."""
    sizes = np.diff(source_starts) * np.diff(target_starts)
    return PackedText(source, source_starts, target, target_starts, np.concatenate([[0], np.cumsum(sizes)]))


def even_blocks(starts: NDArray[np.int64], blocks: int = BLOCKS) -> NDArray[np.int64]:
    """Boundaries of at most `blocks` runs of items with about the same weight; `starts` are cumulated weights."""
    cuts = np.searchsorted(starts, np.linspace(0, starts[-1], blocks + 1)).astype(np.int64)
    cuts[0], cuts[-1] = 0, len(starts) - 1
    return np.unique(cuts)


def co_occurring(text: PackedText, source_words: int, target_words: int) -> tuple[Places, WordPairs, NDArray[np.int32]]:
    """Places of the source words, numbered pairs, and the pair of each cell."""
    places = find_places(text, source_words)
    blocks = even_blocks(places.starts)
    counts = np.zeros(source_words + 1, np.int64)
    on_threads(_count, len(blocks) - 1, text, places, blocks, target_words, counts)
    pairs = WordPairs(np.cumsum(counts), np.empty(int(counts.sum()), np.int32))
    if len(pairs.partners) >= np.iinfo(np.int32).max:
        raise OverflowError(f"{len(pairs.partners):,} pairs of words do not fit 32 bits")
    cells = np.empty(text.cell_starts[-1], np.int32)
    on_threads(_fill, len(blocks) - 1, text, places, blocks, target_words, pairs.starts, pairs.partners, cells)
    return places, pairs, cells


def find_places(text: PackedText, source_words: int) -> Places:
    """Where each source word stands."""
    return Places(*_places(text.source, text.source_starts, source_words))


def find_cells(text: PackedText, pairs: WordPairs, target_words: int) -> NDArray[np.int32]:
    """The pair of each cell of other text with the same word ids.

    Words that never met get the number of pairs, two unknown words (ids from the end of the vocabulary on) one more.
    """
    cells, blocks = np.empty(text.cell_starts[-1], np.int32), even_blocks(text.cell_starts)
    on_threads(_find, len(blocks) - 1, text, pairs, target_words, blocks, cells)
    return cells


@nb.njit(cache=True)
def _places(words, starts, vocabulary):
    begins = np.zeros(vocabulary + 1, np.int64)
    for token in range(len(words)):
        begins[words[token] + 1] += 1
    for word in range(vocabulary):
        begins[word + 1] += begins[word]
    free = begins.copy()
    sentences, positions = np.empty(len(words), np.int32), np.empty(len(words), np.int32)
    for sentence in range(len(starts) - 1):
        for token in range(starts[sentence], starts[sentence + 1]):
            slot = free[words[token]]
            free[words[token]] += 1
            sentences[slot] = sentence
            positions[slot] = token - starts[sentence]
    return begins, sentences, positions


@nb.njit(cache=True)
def _distinct(text, places, word, seen, found):
    """Write the target words that meet a source word into `found`; `seen` holds the last word that met each."""
    size, last = 0, -1
    for place in range(places.starts[word], places.starts[word + 1]):
        sentence = places.sentences[place]
        if sentence == last:
            continue
        last = sentence
        for token in range(text.target_starts[sentence], text.target_starts[sentence + 1]):
            partner = text.target[token]
            if seen[partner] != word:
                seen[partner] = word
                found[size] = partner
                size += 1
    return size


@nb.njit(nogil=True, cache=True)
def _count(block, text, places, blocks, target_words, counts):
    seen, found = np.full(target_words, -1, np.int32), np.empty(target_words, np.int32)
    for word in range(blocks[block], blocks[block + 1]):
        counts[word + 1] = _distinct(text, places, word, seen, found)


@nb.njit(nogil=True, cache=True)
def _fill(block, text, places, blocks, target_words, starts, partners, cells):
    seen, found = np.full(target_words, -1, np.int32), np.empty(target_words, np.int32)
    number = np.empty(target_words, np.int32)
    for word in range(blocks[block], blocks[block + 1]):
        size = _distinct(text, places, word, seen, found)
        found[:size].sort()
        for rank in range(size):
            partners[starts[word] + rank] = found[rank]
            number[found[rank]] = starts[word] + rank
        for place in range(places.starts[word], places.starts[word + 1]):
            sentence = places.sentences[place]
            first = text.target_starts[sentence]
            length = text.target_starts[sentence + 1] - first
            row = text.cell_starts[sentence] + places.positions[place] * length
            for j in range(length):
                cells[row + j] = number[text.target[first + j]]


@nb.njit(nogil=True, cache=True)
def _find(block, text, pairs, target_words, blocks, cells):
    missing = len(pairs.partners)
    for sentence in range(blocks[block], blocks[block + 1]):
        cell = text.cell_starts[sentence]
        for token in range(text.source_starts[sentence], text.source_starts[sentence + 1]):
            word = text.source[token]
            known = word < len(pairs.starts) - 1
            first = pairs.starts[word] if known else missing
            row = pairs.partners[first : pairs.starts[word + 1]] if known else pairs.partners[:0]
            for other in range(text.target_starts[sentence], text.target_starts[sentence + 1]):
                rank = np.searchsorted(row, text.target[other])
                met = rank < len(row) and row[rank] == text.target[other]
                strangers = not known and text.target[other] >= target_words
                cells[cell] = first + rank if met else missing + strangers
                cell += 1
