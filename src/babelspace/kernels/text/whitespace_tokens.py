"""Texts as bytes, cut where spaces stand: every distinct piece gets a number, and terms behind pieces are counted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.threaded_blocks import on_threads

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]

# Slots of an empty table of pieces, which doubles when half of them are taken; and for pieces of one or two bytes.
SLOTS, FEWEST = 1 << 12, 1 << 16
OFFSET, PRIME, FOLD = np.uint64(14695981039346656037), np.uint64(1099511628211), np.uint64(29)


class CutTexts(NamedTuple):
    """Texts in blocks of neighbours, each of which numbers its own pieces in the order in which they come.

    Pieces of the texts of block b, `blocks[b]` to `blocks[b + 1]`, stand at `first_piece[text]` and after, so many as
    `lengths[text]`, as `numbers`. Its distinct pieces stand at `firsts[b]` and after, so many as `distinct[b]`: the
    bytes of each are at `starts`, `sizes` of them.
    """

    blocks: Places
    numbers: Numbers
    first_piece: Places
    lengths: Numbers
    firsts: Places
    distinct: Places
    starts: Places
    sizes: Numbers


def cut_texts(data: NDArray[np.uint8], borders: Places, blocks: Places) -> CutTexts:
    """UTF-8 of texts, which begin and end at `borders`, cut as `str.split` does it, on all threads."""
    # Room for a piece at every byte; what is not used is never touched.
    room = len(data) + 1
    texts = len(borders) - 1
    cut = CutTexts(
        blocks,
        np.empty(room, np.int32),
        np.zeros(texts, np.int64),
        np.zeros(texts, np.int32),
        borders[blocks[:-1]],
        np.zeros(len(blocks) - 1, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int32),
    )
    on_threads(_cut_block, len(blocks) - 1, data, borders, cut)
    return cut


def count_terms(cut: CutTexts, pieces: Places, term_starts: Places, terms: Numbers, width: int) -> tuple[Any, ...]:
    """Distinct terms of each text in the order in which they come, their counts, and how many each text has.

    Parameters
    ----------
    pieces : the first distinct piece of each block among those of all blocks
    term_starts, terms : terms of piece p are `terms[term_starts[p]:term_starts[p + 1]]`; those below 0 do not count
    width : above every term
    """
    held = np.diff(term_starts)
    room = [
        int(held[first : first + size][cut.numbers[start : start + length]].sum())
        for first, size, start, length in zip(pieces, cut.distinct, cut.firsts, _lengths(cut), strict=True)
    ]
    starts = np.concatenate([[0], np.cumsum(room)])
    found, counts = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    sizes = np.zeros(len(cut.lengths), np.int32)
    on_threads(_count_block, len(room), cut, pieces, term_starts, terms, width, starts, found, counts, sizes)
    used = np.add.reduceat(sizes, cut.blocks[:-1]).astype(np.int64) if len(room) else np.zeros(0, np.int64)
    kept = [slice(start, start + size) for start, size in zip(starts[:-1].tolist(), used.tolist(), strict=True)]
    return np.concatenate([found[part] for part in kept]), np.concatenate([counts[part] for part in kept]), sizes


def _lengths(cut: CutTexts) -> Places:
    """Pieces of each block."""
    return np.add.reduceat(cut.lengths, cut.blocks[:-1]).astype(np.int64)


@nb.njit(nogil=True, cache=True)
def _cut_block(block, data, borders, cut):
    numbers, starts, sizes = cut.numbers, cut.starts, cut.sizes
    first, last = cut.blocks[block], cut.blocks[block + 1]
    piece = before = cut.firsts[block]
    # Room for all that could come, of which only the part up to `mask` is used.
    room = _slots(borders[last] - borders[first])
    table, hashes = np.empty(room, np.int32), np.empty(room, np.uint64)
    mask, distinct = _emptied(table, SLOTS), 0
    for text in range(first, last):
        cut.first_piece[text] = piece
        at, end = borders[text], borders[text + 1]
        while at < end:
            space = _space(data, at)
            if space:
                at += space
                continue
            start, code = at, OFFSET
            while at < end and not (_may_be_space(data[at]) and _space(data, at)):
                code = (code ^ np.uint64(data[at])) * PRIME
                at += 1
            code ^= code >> FOLD
            slot = np.int64(code) & mask
            while table[slot] >= 0:
                known = before + table[slot]
                if sizes[known] == at - start and _same(data, starts[known], start, at - start):
                    break
                slot = (slot + 1) & mask
            if table[slot] < 0:
                table[slot], hashes[distinct] = distinct, code
                starts[before + distinct], sizes[before + distinct] = start, at - start
                distinct += 1
            numbers[piece] = table[slot]
            piece += 1
            if 2 * distinct > mask and mask + 1 < room:
                mask = _emptied(table, 2 * (mask + 1))
                _insert(table, mask, hashes, distinct)
        cut.lengths[text] = piece - cut.first_piece[text]
    cut.distinct[block] = distinct


@nb.njit(cache=True)
def _slots(size):
    """Twice as many as there are distinct pieces in so many bytes: few have one or two, one of three takes four."""
    slots = SLOTS
    while slots < size // 2 + FEWEST:
        slots *= 2
    return slots


@nb.njit(cache=True)
def _emptied(table, slots):
    """Make so many slots empty; gives what tells the slot of a hash."""
    for slot in range(slots):
        table[slot] = -1
    return slots - 1


@nb.njit(cache=True)
def _insert(table, mask, hashes, distinct):
    """All distinct pieces into an empty table."""
    for number in range(distinct):
        slot = np.int64(hashes[number]) & mask
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = number


@nb.njit(cache=True)
def _same(data, one, other, size):
    """Whether so many bytes are equal."""
    at = 0
    while at < size and data[one + at] == data[other + at]:
        at += 1
    return at == size


@nb.njit(cache=True)
def _may_be_space(byte):
    return byte <= 32 or byte == 0xC2 or 0xE1 <= byte <= 0xE3


@nb.njit(cache=True)
def _space(data, at):
    """Bytes of the white space that stands here, 0 if there is none: all of those of `str.isspace`."""
    byte = data[at]
    if byte < 0x80:
        return 1 if byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31 else 0
    if byte == 0xC2:
        return 2 if data[at + 1] == 0x85 or data[at + 1] == 0xA0 else 0
    if byte < 0xE1 or byte > 0xE3:
        return 0
    second, third = data[at + 1], data[at + 2]
    if byte == 0xE2:  # U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F
        general = second == 0x80 and (third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF)
        return 3 if general or (second == 0x81 and third == 0x9F) else 0
    return 3 if third == 0x80 and second == (0x9A if byte == 0xE1 else 0x80) else 0  # U+1680, U+3000


@nb.njit(nogil=True, cache=True)
def _count_block(block, cut, pieces, term_starts, terms, width, starts, found, counts, sizes):
    # Where a term stands in `found`; it is of the text at hand if that is not before the text's first.
    places = np.full(width, -1, np.int64)
    place = starts[block]
    for text in range(cut.blocks[block], cut.blocks[block + 1]):
        first = place
        for at in range(cut.first_piece[text], cut.first_piece[text] + cut.lengths[text]):
            piece = pieces[block] + cut.numbers[at]
            for number in range(term_starts[piece], term_starts[piece + 1]):
                term = terms[number]
                if term < 0:
                    continue
                if places[term] >= first:
                    counts[places[term]] += 1
                else:
                    places[term], found[place], counts[place] = place, term, 1
                    place += 1
        sizes[text] = place - first
