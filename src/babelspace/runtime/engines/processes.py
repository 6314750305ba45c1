"""joblib's processes (loky) on this machine; one that ends costs the blocks that it had, not the job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool

from babelspace.errors import EngineError
from babelspace.runtime.engines.tasks import AHEAD, ATTEMPTS, in_order, run
from babelspace.runtime.threads import available


class Processes:
    """Workers of this machine."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or available()
        self.name = f"{self.workers} processes"

    def results(self, function: Callable[..., Any], items: Iterable[Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        """See :class:`babelspace.runtime.engine.Engine`."""
        wait = partial(self._wait, function, shared)
        return in_order(partial(self._submit, function, shared), wait, items, AHEAD * self.workers)

    def close(self) -> None:
        """End the processes."""
        self._executor().shutdown(wait=True)

    def _executor(self) -> Any:
        return get_reusable_executor(max_workers=self.workers, timeout=300)

    def _submit(self, function: Callable[..., Any], shared: tuple[Any, ...], item: Any) -> Any:
        return self._executor().submit(run, function, item, shared, "a process of this machine")

    def _wait(self, function: Callable[..., Any], shared: tuple[Any, ...], item: Any, future: Any) -> Any:
        """The result; where the pool has broken meanwhile, of a fresh one."""
        for _ in range(ATTEMPTS):
            try:
                return future.result()
            except BrokenProcessPool:
                future = self._submit(function, shared, item)
        raise EngineError(
            f"a process ended {ATTEMPTS} times while it worked on the same block; perhaps memory ran out",
            hint="use fewer processes: {engine='processes://1'}",
        )
