"""The engine that is always there: this process, whose kernels use all threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any


class ThisProcess:
    """Block after block."""

    name = "this process"
    workers = 1

    def results(self, function: Callable[..., Any], items: Iterable[Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        """See :class:`babelspace.runtime.engine.Engine`."""
        return (function(item, *shared) for item in items)

    def close(self) -> None:
        """Nothing was started."""
