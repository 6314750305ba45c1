"""Products of all rows of two matrices from halved digits (bfloat16), four times as fast, and how wrong they may be.

A bfloat16 is the upper half of a float32. Processors that have them multiply and add 32 pairs in one instruction, which
no library that is installed by pip uses; here a tile of `ROWS` x `COLUMNS` products stays in registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numba as nb
import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils as tools, types
from numba.extending import intrinsic
from numpy.typing import NDArray

LANES = 16
ROWS, VECTORS = 12, 2
COLUMNS = LANES * VECTORS
_tools: Any = tools
_config: Any = nb.config
_I32, _I64 = ir.IntType(32), ir.IntType(64)
_PAIRS, _FLOATS = ir.VectorType(_I32, LANES), ir.VectorType(ir.FloatType(), LANES)


# What `_multiply_add` is written in.
binding.initialize_native_asmparser()


def available() -> bool:
    """Whether this processor multiplies bfloat16, and numba compiles for it and not for another."""
    return _config.CPU_NAME is None and bool(binding.get_host_cpu_features().get("avx512bf16", False))


def rounding_errors(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """The length of what every row loses."""
    errors = np.empty(len(rows))
    _errors(rows, errors)
    return errors


def largest_error(left: NDArray[np.float64], right: float, dimensions: int) -> NDArray[np.float64]:
    """How far products may be from the true ones, for rows of unit length that lose `left`, and `right` at most.

    The last part bounds the rounding of as many additions in single precision, and what is lost where numbers below
    the smallest normal one count as zero.
    """
    return left + right + left * right + (dimensions + 2) * 2.0**-22


def pack(rows: NDArray[np.float32], tall: int) -> NDArray[np.int32]:
    """Pairs of columns as bfloat16, `tall` rows side by side; rows beyond the last are zero."""
    out = np.empty(-(-len(rows) // tall) * tall * -(-rows.shape[1] // 2), np.int32)
    _pack(rows, tall, out)
    return out


def room(rows: int, columns: int) -> tuple[int, int]:
    """The shape that `multiply` needs for its result."""
    return -(-rows // ROWS) * ROWS, -(-columns // COLUMNS) * COLUMNS


def multiply(left: NDArray[np.int32], right: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """Products of rows packed by `ROWS` with rows packed by `COLUMNS`, into an array that has `room` for them."""
    _multiply(left, right, out)


@nb.njit(cache=True)
def _half(value):
    """The nearest bfloat16, to even among two; a float32 without the lower half of its digits."""
    bits = np.float32(value).view(np.uint32)
    return np.uint32((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16))


@nb.njit(cache=True, nogil=True)
def _errors(rows, errors):
    for row in range(len(rows)):
        total = 0.0
        for k in range(rows.shape[1]):
            value = rows[row, k]
            lost = np.float64(value) - np.uint32(_half(value) << np.uint32(16)).view(np.float32)
            total += lost * lost
        errors[row] = np.sqrt(total)


@nb.njit(cache=True, nogil=True)
def _pack(rows, tall, out):
    width = rows.shape[1]
    steps = (width + 1) // 2
    for first in range(0, len(rows), tall):
        block = out[first * steps : (first + tall) * steps]
        for row in range(tall):
            if first + row >= len(rows):
                for step in range(steps):
                    block[step * tall + row] = 0
                continue
            line = rows[first + row]
            for step in range(width // 2):
                block[step * tall + row] = np.int32(
                    _half(line[2 * step]) | (_half(line[2 * step + 1]) << np.uint32(16))
                )
            if width % 2:
                block[(steps - 1) * tall + row] = np.int32(_half(line[width - 1]))


@nb.njit(cache=True, nogil=True)
def _multiply(left, right, out):
    height, width = out.shape
    steps = len(left) // height
    flat = out.ravel()
    for column in range(0, width, COLUMNS):
        for row in range(0, height, ROWS):
            _tile(left, right, flat, row * steps, column * steps, row * width + column, steps, width)


def _products(typing, left, right, out, left_start, right_start, out_start, steps, width):
    """One tile: for every step a vector of pairs of each column, times one pair of each row."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        data = [context.make_array(signature.args[n])(context, builder, arguments[n]).data for n in range(3)]
        starts, steps, width = arguments[3:6], arguments[6], arguments[7]
        rows, columns, result = (builder.gep(array, [start]) for array, start in zip(data, starts, strict=True))
        sums = [[_tools.alloca_once(builder, _FLOATS) for _ in range(VECTORS)] for _ in range(ROWS)]
        for total in chain(*sums):
            builder.store(ir.Constant(_FLOATS, [0.0] * LANES), total)
        with _tools.for_range(builder, steps) as loop:
            first = builder.mul(loop.index, _I64(COLUMNS))
            vectors = [_load(builder, columns, builder.add(first, _I64(v * LANES))) for v in range(VECTORS)]
            first = builder.mul(loop.index, _I64(ROWS))
            for row, totals in enumerate(sums):
                pair = _spread(builder, builder.load(builder.gep(rows, [builder.add(first, _I64(row))])))
                for vector, total in zip(vectors, totals, strict=True):
                    builder.store(_multiply_add(builder, builder.load(total), pair, vector), total)
        for row, totals in enumerate(sums):
            line = builder.mul(width, _I64(row))
            for number, total in enumerate(totals):
                place = builder.gep(result, [builder.add(line, _I64(number * LANES))])
                builder.store(builder.load(total), builder.bitcast(place, _FLOATS.as_pointer())).align = 4
        return context.get_dummy_value()

    return types.void(left, right, out, *[types.int64] * 5), generate


def _load(builder: Any, data: Any, index: Any) -> Any:
    value = builder.load(builder.bitcast(builder.gep(data, [index]), _PAIRS.as_pointer()))
    value.align = 4
    return value


def _spread(builder: Any, value: Any) -> Any:
    alone = builder.insert_element(ir.Constant(_PAIRS, ir.Undefined), value, _I32(0))
    return builder.shuffle_vector(alone, alone, ir.Constant(_PAIRS, [0] * LANES))


def _multiply_add(builder: Any, total: Any, one: Any, other: Any) -> Any:
    """As text: the instruction has another name and other types in every version of LLVM."""
    kind = ir.FunctionType(_FLOATS, [_FLOATS, _PAIRS, _PAIRS])
    return builder.asm(kind, "vdpbf16ps $3, $2, $0", "=v,0,v,v", [total, one, other], False)


_tile: Any = intrinsic(_products)
