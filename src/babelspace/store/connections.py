"""Connections to one database: each thread has its own while it needs one, so that none sees another's transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from babelspace.errors import StoreError
from babelspace.runtime import forks


class Closable(Protocol):
    """A connection."""

    def close(self) -> Any:
        """Let go of it."""


C = TypeVar("C", bound=Closable)
# More threads than this take turns: servers allow a hundred connections or so, to everybody together.
MOST = 8


class Connections(Generic[C]):
    """Lends connections to threads, and lets one thread at a time write.

    No database allows a forked child to go on with its parent's connection: those that nobody uses are closed before,
    those in use are left alone by the child.
    """

    def __init__(self, connect: Callable[[], C], first: C) -> None:
        self._connect = connect
        self._idle: list[C] = [first]
        self._lent: list[C] = []
        self._left: list[C] = []
        self._closed = False
        self.writing = forks.Lock()
        self._make_locks()
        forks.watch(self)

    def _make_locks(self) -> None:
        self._lock, self._own = threading.Lock(), threading.local()
        self._free = threading.Semaphore(MOST)

    @contextmanager
    def lent(self) -> Iterator[C]:
        """A connection for this thread alone; within the body it is always the same."""
        known: C | None = getattr(self._own, "connection", None)
        if known is not None:
            yield known
            return
        connection = self._taken()
        self._own.connection = connection
        try:
            yield connection
        finally:
            self._own.connection = None
            self._give_back(connection)

    def close(self) -> None:
        """Close all that nobody uses now, the others when they come back."""
        self._closed = True
        self._close_idle()

    def before_fork(self) -> None:
        self._close_idle()

    def after_fork(self) -> None:
        # Kept, because what nobody refers to is closed, and that would end the parent's session or locks.
        self._left += [*self._idle, *self._lent]
        self._idle, self._lent = [], []
        self._make_locks()

    def _taken(self) -> C:
        self._free.acquire()
        try:
            if self._closed:
                raise StoreError("this index is closed", hint="open it again")
            with self._lock:
                idle = self._idle.pop() if self._idle else None
            connection = self._connect() if idle is None else idle
        except BaseException:
            self._free.release()
            raise
        with self._lock:
            self._lent.append(connection)
        return connection

    def _give_back(self, connection: C) -> None:
        with self._lock:
            # One that was lent before a fork belongs to the parent.
            if not any(one is connection for one in self._lent):
                return
            self._lent = [one for one in self._lent if one is not connection]
            self._idle.append(connection)
        if self._closed:
            self._close_idle()
        self._free.release()

    def _close_idle(self) -> None:
        with self._lock:
            closing, self._idle = self._idle, []
        for connection in closing:
            connection.close()
