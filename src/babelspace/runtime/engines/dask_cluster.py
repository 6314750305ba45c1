"""Dask distributed: workers of a scheduler, here or on other machines; one that ends costs its block, not the job."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import Any, Self

from babelspace.errors import Advice, EngineError
from babelspace.runtime.engines.tasks import AHEAD, in_order, run
from babelspace.runtime.extras import need
from babelspace.runtime.threads import available

# A block that takes so many times as long as the others, and so many seconds, is told.
SLOW, SLOW_SECONDS = 5.0, 60.0
CONNECT_SECONDS = 10


class DaskCluster:
    """The workers of a client; what was started for this is closed with it."""

    def __init__(self, client: Any, name: str, *started: Any) -> None:
        self.client, self.name, self._started = client, name, started
        self._times: list[float] = []

    @classmethod
    def of_client(cls, client: Any) -> Self:
        """The workers of a client of the user, which stays open."""
        if not hasattr(client, "submit"):
            raise EngineError(
                f"{type(client).__name__} is no engine", hint="give a Client of dask.distributed, or an address"
            )
        return cls(client, "a client of Dask")

    @classmethod
    def at(cls, address: str) -> Self:
        """The workers of a scheduler."""
        distributed = need("distributed", "dask")
        try:
            client = distributed.Client(f"tcp://{address}", timeout=CONNECT_SECONDS)
        except OSError as problem:
            raise EngineError(
                f"no scheduler of Dask answers at {address} within {CONNECT_SECONDS} s",
                hint="start a scheduler and workers of one thread each; docs/scale.md shows how",
            ) from problem
        return cls(client, f"dask://{address}", client)

    @classmethod
    def local(cls, workers: int | None) -> Self:
        """Processes of this machine with a scheduler of their own."""
        distributed = need("distributed", "dask")
        count = workers or available()
        cluster = distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        )
        return cls(distributed.Client(cluster), f"dask://local?workers={count}", cluster)

    @property
    def workers(self) -> int:
        """How many there are now."""
        return len(self.client.scheduler_info(n_workers=-1)["workers"])

    def results(self, function: Callable[..., Any], items: Iterable[Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        """See :class:`babelspace.runtime.engine.Engine`."""
        self._times = []
        if not self.workers:
            raise EngineError(
                f"{self.name}: the scheduler has no workers",
                hint="start some of one thread each; docs/scale.md shows how",
            )
        known = [self.client.scatter(value, broadcast=True, hash=False) for value in shared]

        def submit(item: Any) -> Any:
            return self.client.submit(_on_worker, function, item, *known, pure=False)

        return in_order(submit, self._wait, items, AHEAD * self.workers)

    def close(self) -> None:
        """End what was started here."""
        if self._started:
            self.client.close()
        for part in self._started:
            part.close()

    def _wait(self, item: Any, future: Any) -> Any:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker, TimeoutError

        started = monotonic()
        while True:
            try:
                result = future.result(timeout=SLOW_SECONDS)
            except TimeoutError:
                self._tell_if_slow(future, monotonic() - started)
                continue
            except KilledWorker as problem:
                raise EngineError(
                    f"{problem.last_worker.address}: the last of several workers that ended on the same block; "
                    "perhaps memory ran out",
                    hint="give workers more memory; started again, finished blocks are not made again",
                ) from problem
            except (CancelledError, OSError) as problem:
                raise EngineError(
                    f"{self.name}: the scheduler is gone ({problem})",
                    hint="start it and its workers, and then this again: finished blocks are not made again",
                ) from problem
            self._times.append(monotonic() - started)
            return result

    def _tell_if_slow(self, future: Any, waited: float) -> None:
        """A block that the others wait for, with the name of its worker."""
        usual = sorted(self._times)[len(self._times) // 2] if self._times else 0.0
        if waited > SLOW * max(usual, 1.0):
            where = [worker for worker, keys in self.client.processing().items() if future.key in keys]
            told = f"a block has run for {waited:.0f} s on {', '.join(where) or 'no worker'}; others took {usual:.0f} s"
            warnings.warn(Advice(told), stacklevel=2)


def _on_worker(function: Callable[..., Any], item: Any, *shared: Any) -> Any:
    from distributed import get_worker

    worker = get_worker()
    return run(function, item, shared, f"{worker.name} ({worker.address})")
