"""Arrays that come from a file, each read with what it must be: nothing reaches a compiled loop unchecked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Size = int | str | None


class DamagedArray(ValueError):
    """An array that is missing, or is not what it should be."""


class CheckedArrays:
    """Named arrays of an artifact; a reader says of each what shape, kind and range it must have.

    A shape is given by numbers, by names that stand for the same number wherever they occur (the first use tells it),
    or by None for any. What nobody has asked for is an error in `finish`: it belongs to something else.

    Examples
    --------
    >>> arrays = CheckedArrays({"weights": np.ones((4, 2)), "columns": np.array([0, 5, 7, 9])}, columns=10)
    >>> arrays.whole("columns", "own", below="columns").tolist()
    [0, 5, 7, 9]
    >>> arrays.floats("weights", "own", 3)
    Traceback (most recent call last):
    babelspace.runtime.checked_arrays.DamagedArray: 'weights' has shape 4 x 2, not 4 x 3
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], **sizes: int) -> None:
        self._arrays, self._sizes = arrays, dict(sizes)
        self._asked: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    def names(self, prefix: str = "") -> list[str]:
        """The names that begin with this."""
        return sorted(name for name in self._arrays if name.startswith(prefix))

    def floats(
        self, name: str, *shape: Size, low: float = -np.inf, most: float = np.inf, finite: bool = True
    ) -> NDArray[Any]:
        """Real numbers, finite unless told otherwise, of `low` or more, none larger than `most` without its sign."""
        array = self._read(name, "f", shape)
        if finite and not np.isfinite(array).all():
            raise DamagedArray(f"{name!r} holds values that are no finite numbers")
        if array.size and not finite and np.nanmin(array, initial=np.inf) < low:
            raise DamagedArray(f"{name!r} holds values below {low:g}")
        if array.size and finite and array.min() < low:
            raise DamagedArray(f"{name!r} holds {array.min():g}, which is below {low:g}")
        if most < np.inf and array.size and max(-array.min(), array.max()) > most:
            raise DamagedArray(f"{name!r} holds values beyond {most:g}")
        return array

    def whole(
        self, name: str, *shape: Size, low: int = 0, below: Size = None, distinct: bool = False, rising: bool = False
    ) -> NDArray[Any]:
        """Whole numbers from `low` on, `below` a limit; `distinct` has none twice, `rising` none below the last."""
        array = self._read(name, "iu", shape)
        limit = self._size(below)
        if array.size and (array.min() < low or (limit is not None and array.max() >= limit)):
            told = "" if limit is None else f" to {limit - 1}"
            raise DamagedArray(f"{name!r} holds {array.min()} to {array.max()}, allowed is {low}{told}")
        if distinct and len(np.unique(array)) != array.size:
            raise DamagedArray(f"{name!r} holds a number twice")
        if rising and array.size and (np.diff(array) < 0).any():
            raise DamagedArray(f"{name!r} does not rise")
        return array

    def like(self, name: str, other: NDArray[Any], history: bool = False) -> NDArray[Any]:
        """An array of the kind and shape of another one, finite; of a `history` the length may be any."""
        array = self._read(
            name, other.dtype.kind, (None if history else len(other), *other.shape[1:]) if other.ndim else ()
        )
        if array.dtype != other.dtype:
            raise DamagedArray(f"{name!r} holds {array.dtype}, not {other.dtype}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise DamagedArray(f"{name!r} holds values that are no finite numbers")
        return array

    def sparse(self, name: str, rows: Size, columns: Size) -> Any:
        """A sparse matrix of finite numbers that `pack_sparse` took apart."""
        shape = self.whole(f"{name}.shape", 2)
        for side, size in zip(shape.tolist(), (rows, columns), strict=True):
            self._bind(f"{name}.shape", side, size)
        pointers = self.whole(f"{name}.indptr", int(shape[0]) + 1, rising=True)
        data = self.floats(f"{name}.data", None)
        indices = self.whole(f"{name}.indices", len(data), below=int(shape[1]))
        if pointers[0] != 0 or pointers[-1] != len(data):
            raise DamagedArray(f"{name!r} has {len(data)} entries, its rows have {pointers[-1] - pointers[0]}")
        return sp.csr_array((data, indices, pointers), shape=tuple(shape.tolist()))

    def number(self, name: str, low: float = -np.inf, finite: bool = True) -> float:
        """One real number."""
        return float(self.floats(name, low=low, finite=finite))

    def count(self, name: str, low: int = 0, below: Size = None) -> int:
        """One whole number."""
        return int(self.whole(name, low=low, below=below))

    def size(self, name: str) -> int:
        """The number that a name stands for."""
        return self._sizes[name]

    def bind(self, name: str, size: int) -> None:
        """Let a name stand for a number."""
        self._bind(name, size, name)

    def under(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The arrays whose names begin with this, without it; whoever takes them checks them."""
        names = self.names(prefix)
        self._asked |= set(names)
        return {name.removeprefix(prefix): self._arrays[name] for name in names}

    def finish(self) -> None:
        """Raise if there is anything that nobody has asked for."""
        strange = sorted(set(self._arrays) - self._asked)
        if strange:
            raise DamagedArray(f"{strange[0]!r} does not belong here")

    def _read(self, name: str, kinds: str, shape: tuple[Size, ...]) -> NDArray[Any]:
        if name not in self._arrays:
            raise DamagedArray(f"{name!r} is missing")
        array = self._arrays[name]
        self._asked.add(name)
        if array.dtype.kind not in kinds:
            raise DamagedArray(f"{name!r} holds {array.dtype}, not {'numbers' if 'f' in kinds else 'whole numbers'}")
        wanted = [self._size(size) for size in shape]
        fits = array.ndim == len(wanted) and all(w in (None, side) for w, side in zip(wanted, array.shape, strict=True))
        if not fits:
            raise DamagedArray(f"{name!r} has shape {_told(array.shape)}, not {_told(wanted)}")
        for side, size in zip(array.shape, shape, strict=True):
            self._bind(name, side, size)
        return array

    def _size(self, size: Size) -> int | None:
        return self._sizes.get(size) if isinstance(size, str) else size

    def _bind(self, name: str, side: int, size: Size) -> None:
        if isinstance(size, str) and self._sizes.setdefault(size, side) != side:
            raise DamagedArray(f"{name!r} has {side} of {size}, there are {self._sizes[size]}")
        if isinstance(size, int) and size != side:
            raise DamagedArray(f"{name!r} has {side}, not {size}")


def _told(shape: Any) -> str:
    return " x ".join("any" if side is None else str(side) for side in shape) or "that of one number"
