"""What must be put down before a process forks, and is made anew in its child."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Protocol
from weakref import WeakSet


class Forkable(Protocol):
    """Something that a forked child must not share with its parent as it is."""

    def before_fork(self) -> None:
        """In the parent, just before."""

    def after_fork(self) -> None:
        """In the child, where only the thread that forked goes on."""


_watched: WeakSet[Forkable] = WeakSet()


class Lock:
    """A lock of threads, which may be taken again by the one that holds it.

    In a forked child it is free if another thread held it; `lost` is called then, because what that thread was changing
    may be half changed.
    """

    def __init__(self, lost: Callable[[], None] | None = None) -> None:
        self._lock, self._lost = threading.RLock(), lost
        watch(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def before_fork(self) -> None:
        pass

    def after_fork(self) -> None:
        if self._lock.acquire(blocking=False):
            self._lock.release()
            return
        self._lock = threading.RLock()
        if self._lost is not None:
            self._lost()


def watch(thing: Forkable) -> None:
    """Tell it of every fork for as long as it lives."""
    _watched.add(thing)


def _before() -> None:
    for thing in list(_watched):
        thing.before_fork()


def _after() -> None:
    for thing in list(_watched):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_after)
