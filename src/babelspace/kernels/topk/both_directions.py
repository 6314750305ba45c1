"""The best of both directions from one block of scores: every row's best columns and every column's best rows."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

# Scores looked at together: one comparison tells whether any of them can enter a list.
CHUNK = 128


def keep_best(
    scores: NDArray[np.float32],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    row_best: tuple[NDArray[np.float32], NDArray[np.int64]],
    column_best: tuple[NDArray[np.float32], NDArray[np.int64]],
) -> None:
    """Put a block of scores into the lists of its rows and of its columns, in place.

    `rows` and `columns` number the block's documents; scores beyond them are left out. A list is a row of scores, best
    first, and a row of numbers; what came first stays first among equals, so blocks should come in the order of the
    documents.
    """
    _by_rows(scores, rows, columns, *row_best)
    _by_columns(scores, rows, columns, *column_best)


@nb.njit(cache=True)
def _insert(score, number, best, numbers):
    place = len(best) - 1
    while place > 0 and best[place - 1] < score:
        best[place] = best[place - 1]
        numbers[place] = numbers[place - 1]
        place -= 1
    best[place] = score
    numbers[place] = number


@nb.njit(cache=True, nogil=True)
def _by_rows(scores, rows, columns, best, numbers):
    width, last = len(columns), best.shape[1] - 1
    for i in range(len(rows)):
        own, own_numbers, line = best[rows[i]], numbers[rows[i]], scores[i]
        for start in range(0, width, CHUNK):
            stop = min(start + CHUNK, width)
            least = own[last]
            found = 0
            for j in range(start, stop):
                found |= line[j] > least
            if found:
                for j in range(start, stop):
                    if line[j] > own[last]:
                        _insert(line[j], columns[j], own, own_numbers)


@nb.njit(cache=True, nogil=True)
def _by_columns(scores, rows, columns, best, numbers):
    width, last = len(columns), best.shape[1] - 1
    for start in range(0, width, CHUNK):
        stop = min(start + CHUNK, width)
        least = np.empty(CHUNK, np.float32)
        for j in range(start, stop):
            least[j - start] = best[columns[j], last]
        for i in range(len(rows)):
            line = scores[i, start:stop]
            found = 0
            for j in range(stop - start):
                found |= line[j] > least[j]
            if found:
                for j in range(stop - start):
                    if line[j] > least[j]:
                        place = columns[start + j]
                        _insert(line[j], rows[i], best[place], numbers[place])
                        least[j] = best[place, last]


def empty_lists(documents: int, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Lists without entries: scores of -inf, numbers of -1."""
    return np.full((documents, k), -np.inf, np.float32), np.full((documents, k), -1, np.int64)
