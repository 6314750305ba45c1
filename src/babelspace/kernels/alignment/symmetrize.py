"""Merge two sets of word links, sentence by sentence, on all threads."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.alignment.word_pairs import even_blocks
from babelspace.kernels.threaded_blocks import on_threads

INTERSECTION, UNION, GROW, FINAL, FINAL_AND = range(5)
FORWARD, REVERSE, CHOSEN, FRESH = 1, 2, 4, 8
# Target step, source step; straight neighbours come before diagonal ones.
NEIGHBOURS = np.array([(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)])

Packed = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def merge(forward: Packed, reverse: Packed, mode: int) -> Packed:
    """Offsets, sources and targets of the merged links; both inputs are the same, without NULL.

    The order of every step is that of Moses' `symal`: links are visited by target, then source, and what is added in
    one round grows only in the next.
    """
    starts = forward[0] + reverse[0]
    room = int(starts[-1])
    sources, targets = np.empty(room, np.int32), np.empty(room, np.int32)
    counts, blocks = np.zeros(len(starts) - 1, np.int64), even_blocks(starts)
    on_threads(_merge, len(blocks) - 1, forward, reverse, mode, starts, blocks, sources, targets, counts)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    kept = np.repeat(starts[:-1] - offsets[:-1], counts) + np.arange(offsets[-1])
    return offsets, sources[kept], targets[kept]


@nb.njit(nogil=True, cache=True)
def _merge(block, forward, reverse, mode, starts, blocks, sources, targets, counts):
    for sentence in range(blocks[block], blocks[block + 1]):
        first = slice(forward[0][sentence], forward[0][sentence + 1])
        second = slice(reverse[0][sentence], reverse[0][sentence + 1])
        grid = _grid(forward[1][first], forward[2][first], reverse[1][second], reverse[2][second])
        _choose(grid, mode)
        position = starts[sentence]
        for source in range(grid.shape[1]):
            for target in range(grid.shape[0]):
                if grid[target, source] & CHOSEN:
                    sources[position], targets[position] = source, target
                    position += 1
        counts[sentence] = position - starts[sentence]


@nb.njit(cache=True)
def _grid(forward_source, forward_target, reverse_source, reverse_target):
    """Targets x sources with a bit for each direction that has the link."""
    width, height = 0, 0
    for position in range(len(forward_source)):
        width, height = max(width, forward_source[position] + 1), max(height, forward_target[position] + 1)
    for position in range(len(reverse_source)):
        width, height = max(width, reverse_source[position] + 1), max(height, reverse_target[position] + 1)
    grid = np.zeros((height, width), np.uint8)
    for position in range(len(forward_source)):
        grid[forward_target[position], forward_source[position]] |= FORWARD
    for position in range(len(reverse_source)):
        grid[reverse_target[position], reverse_source[position]] |= REVERSE
    return grid


@nb.njit(cache=True)
def _choose(grid, mode):
    target_done = np.zeros(grid.shape[0], np.bool_)
    source_done = np.zeros(grid.shape[1], np.bool_)
    for target in range(grid.shape[0]):
        for source in range(grid.shape[1]):
            cell = grid[target, source]
            if cell == FORWARD | REVERSE or (mode == UNION and cell):
                grid[target, source] |= CHOSEN
                target_done[target] = source_done[source] = True
    if mode >= GROW:
        while _grow(grid, target_done, source_done):
            pass
    if mode >= FINAL:
        for direction in (FORWARD, REVERSE):
            _finish(grid, direction, mode == FINAL_AND, target_done, source_done)


@nb.njit(cache=True)
def _grow(grid, target_done, source_done):
    """One round; gives whether anything was added."""
    added = False
    for target in range(grid.shape[0]):
        for source in range(grid.shape[1]):
            if not grid[target, source] & CHOSEN:
                continue
            for step in range(len(NEIGHBOURS)):
                row, column = target + NEIGHBOURS[step, 0], source + NEIGHBOURS[step, 1]
                if not (0 <= row < grid.shape[0] and 0 <= column < grid.shape[1]) or not grid[row, column]:
                    continue
                if not (target_done[row] and source_done[column]):
                    grid[row, column] |= FRESH
                    target_done[row] = source_done[column] = True
                    added = True
    for target in range(grid.shape[0] if added else 0):
        for source in range(grid.shape[1]):
            if grid[target, source] & FRESH:
                grid[target, source] = CHOSEN
    return added


@nb.njit(cache=True)
def _finish(grid, direction, both, target_done, source_done):
    for target in range(grid.shape[0]):
        for source in range(grid.shape[1]):
            if grid[target, source] != direction:
                continue
            done = target_done[target] + source_done[source]
            if done == 0 or (done == 1 and not both):
                grid[target, source] |= CHOSEN
                target_done[target] = source_done[source] = True
