"""The compiled loops of `sparse`, in a file of their own so that nothing is compiled or loaded before it is needed."""

from __future__ import annotations

import numba as nb
import numpy as np

from babelspace.kernels.parallel import parallel


@parallel()
def multiply(indptr, indices, data, block, out):
    for row in nb.prange(out.shape[0]):
        target = out[row]
        for position in range(indptr[row], indptr[row + 1]):
            value = data[position]
            source = block[indices[position]]
            for column in range(target.shape[0]):
                target[column] += value * source[column]


@nb.njit(cache=True)
def _add_products(line, j, columns, rows, total):
    """Add the products of one column with those from j on."""
    columns_indptr, columns_indices, columns_data = columns
    rows_indptr, rows_indices, rows_data = rows
    for position in range(columns_indptr[line], columns_indptr[line + 1]):
        row = columns_indices[position]
        # Products, too, are in double precision, or dependent rows would look independent.
        value = np.float64(columns_data[position])
        for entry in range(rows_indptr[row + 1] - 1, rows_indptr[row] - 1, -1):
            k = rows_indices[entry]
            if k < j:
                break
            total[k] += value * rows_data[entry]


@nb.njit(cache=True)
def _gram_row(j, columns, rows, scale, total, out):
    total[j:] = 0.0
    _add_products(j, j, columns, rows, total)
    for k in range(j, out.shape[0]):
        out[j, k] = scale * total[k]


@parallel()
def gram(columns, rows, scale, out):
    size = out.shape[0]
    # Row j of the triangle has size - j entries: pairing j with size - 1 - j gives every thread the same work.
    for pair in nb.prange((size + 1) // 2):
        first = np.int64(pair)
        last = size - 1 - first
        total = np.zeros(size, np.float64)
        _gram_row(first, columns, rows, scale, total, out)
        if last > first:
            _gram_row(last, columns, rows, scale, total, out)


@parallel()
def add_gram_rows(columns, rows, start, out):
    for line in nb.prange(out.shape[0]):
        j = start + line
        total = np.zeros(out.shape[1], np.float64)
        _add_products(line, j, columns, rows, total)
        for k in range(j, out.shape[1]):
            out[line, k] += total[k]


@parallel()
def mirror(out):
    size, tile = out.shape[0], 64
    for block in nb.prange((size + tile - 1) // tile):
        start, stop = block * tile, min(size, (block + 1) * tile)
        for left in range(0, stop, tile):
            for i in range(start, stop):
                for j in range(left, min(i, left + tile)):
                    out[i, j] = out[j, i]
