"""Vector code of the dense Gibbs sampler, written as LLVM instructions, because loops like these stay scalar otherwise.

Topics are seen as runs of `DEEP` vectors of `LANES`; the topics of a run with the same lane are a group. Sums go down
the lanes, in an order that is the same on every machine; only the last vector is added across.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils as tools, types
from numba.extending import intrinsic

LANES = 16
DEEP = 8
RUN = LANES * DEEP
_LINE = 32  # counts of a row in a cache line
_tools: Any = tools

_I8, _I16, _I32, _I64, _F32 = ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType()
_INTEGERS, _FLOATS = ir.VectorType(_I32, LANES), ir.VectorType(_F32, LANES)


def _smooth_groups(typing, alpha, phi, groups):
    """groups[g] = the sum of alpha[k] phi[k] over the topics k of group g."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        kinds = zip(signature.args, arguments, strict=True)
        arrays = [context.make_array(kind)(context, builder, given) for kind, given in kinds]
        with _tools.for_range(builder, _runs(builder, arrays[1])) as loop:
            total = ir.Constant(_FLOATS, [0.0] * LANES)
            for place in _places(builder, loop.index):
                total = _multiply_add(
                    builder, _load(builder, arrays[0], place, _F32), _load(builder, arrays[1], place, _F32), total
                )
            _store(builder, total, arrays[2], builder.mul(loop.index, _I64(LANES)))
        return context.get_dummy_value()

    return types.void(alpha, phi, groups), generate


def _weigh(typing, rows, start, ahead, phi, smooth, sums, lanes, group, value):
    """sums[g] = smooth[g] + Σ rows[start + k] phi[k] over the topics of group g, but `value` for one group.

    lanes[LANES + j] is the sum of the groups of the lanes up to j, the last of them the sum of all, which is returned.
    Meanwhile the row from `ahead` on is fetched into the cache.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        numbers = (0, 3, 4, 5, 6)
        arrays = [context.make_array(signature.args[n])(context, builder, arguments[n]) for n in numbers]
        counts, chances, smoothing, result, by_lane = arrays
        given = _spread(builder, builder.trunc(arguments[7], _I32), _INTEGERS)
        instead = _spread(builder, arguments[8], _FLOATS)
        total = _tools.alloca_once(builder, _FLOATS)
        builder.store(ir.Constant(_FLOATS, [0.0] * LANES), total)
        with _tools.for_range(builder, _runs(builder, chances)) as loop:
            first = builder.mul(loop.index, _I64(LANES))
            halves = [_load(builder, smoothing, first, _F32), ir.Constant(_FLOATS, [0.0] * LANES)]
            for step, place in enumerate(_places(builder, loop.index)):
                number = builder.zext(_load(builder, counts, builder.add(place, arguments[1]), _I16), _INTEGERS)
                chance = _load(builder, chances, place, _F32)
                half = halves[step % 2]  # two chains of additions run at once
                halves[step % 2] = _multiply_add(builder, builder.sitofp(number, _FLOATS), chance, half)
                if step % (_LINE // LANES) == 0:
                    _fetch(builder, counts, builder.add(place, arguments[2]))
            own = builder.fadd(*halves)
            here = _spread(builder, builder.trunc(first, _I32), _INTEGERS)
            here = builder.add(here, ir.Constant(_INTEGERS, list(range(LANES))))
            own = builder.select(builder.icmp_unsigned("==", here, given), instead, own)
            _store(builder, own, result, first)
            builder.store(builder.fadd(builder.load(total), own), total)
        running = builder.load(total)
        for step in (1, 2, 4, 8):
            running = builder.fadd(running, _shifted(builder, running, step))
        _store(builder, running, by_lane, _I64(LANES))
        return builder.extract_element(running, _I32(LANES - 1))

    kinds = (rows, types.uint64, types.uint64, phi, smooth, sums, lanes, types.uint64, types.float32)
    return types.float32(*kinds), generate


def _locate(typing, lanes, left):
    """How many of the running sums in `lanes` are not above `left`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        running = _load(builder, array, _I64(LANES), _F32)
        passed = builder.fcmp_ordered("<=", running, _spread(builder, arguments[1], _FLOATS))
        return builder.zext(builder.ctpop(builder.bitcast(passed, ir.IntType(LANES))), _I64)

    return types.uint64(lanes, types.float32), generate


def _runs(builder: Any, array: Any) -> Any:
    (size,) = _tools.unpack_tuple(builder, array.shape)
    return builder.udiv(size, _I64(RUN))


def _places(builder: Any, run: Any) -> list[Any]:
    """Where the vectors of a run start."""
    first = builder.mul(run, _I64(RUN))
    return [builder.add(first, _I64(step * LANES)) for step in range(DEEP)]


def _address(builder: Any, array: Any, index: Any, kind: Any) -> Any:
    return builder.bitcast(builder.gep(array.data, [index]), kind.as_pointer())


def _load(builder: Any, array: Any, index: Any, kind: Any) -> Any:
    value = builder.load(_address(builder, array, index, ir.VectorType(kind, LANES)))
    value.align = 2  # aligned arrays are faster, others work
    return value


def _store(builder: Any, value: Any, array: Any, index: Any) -> None:
    builder.store(value, _address(builder, array, index, value.type)).align = 4


def _fetch(builder: Any, array: Any, index: Any) -> None:
    """Ask for a cache line that will be written to."""
    kind = ir.FunctionType(ir.VoidType(), [_I8.as_pointer(), _I32, _I32, _I32])
    ask = builder.module.declare_intrinsic("llvm.prefetch", [_I8.as_pointer()], kind)
    builder.call(ask, [_address(builder, array, index, _I8), _I32(1), _I32(3), _I32(1)])


def _multiply_add(builder: Any, first: Any, second: Any, total: Any) -> Any:
    fused = ("contract",)
    return builder.fadd(builder.fmul(first, second, flags=fused), total, flags=fused)


def _spread(builder: Any, value: Any, kind: Any) -> Any:
    alone = builder.insert_element(ir.Constant(kind, ir.Undefined), value, _I32(0))
    return _shuffled(builder, alone, alone, [0] * LANES)


def _shifted(builder: Any, vector: Any, step: int) -> Any:
    """Lanes moved up by `step`, zeros below."""
    zeros = ir.Constant(_FLOATS, [0.0] * LANES)
    return _shuffled(builder, zeros, vector, [0] * step + [LANES + lane for lane in range(LANES - step)])


def _shuffled(builder: Any, first: Any, second: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_I32, len(lanes)), lanes))


smooth_groups: Any = intrinsic(_smooth_groups)
weigh: Any = intrinsic(_weigh)
locate: Any = intrinsic(_locate)
