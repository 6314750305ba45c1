"""Ctrl-C while the compiler's library is at work, which no handler of Python's can interrupt."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

COMPILER = "llvmlite"
# Seconds for which a call of the compiler is waited for; the longest take five.
PATIENCE = 1.5
ENDING = (signal.SIGINT, signal.SIGTERM)
_writers: set[int] = set()
_paused: list[int] = []


@contextmanager
def compiler_watched() -> Iterator[None]:
    """Within, a command that does not hear an interrupt because it compiles ends a little later by itself.

    A thread is told of every signal as it comes. What was begun is as after a kill: files appear whole or not at all,
    and what was on its way is taken away by whoever comes next.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    ended = threading.Event()
    _writers.add(writer)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reader, ended), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        _writers.discard(writer)
        ended.set()
        os.close(writer)


def is_compiling(frame: FrameType | None) -> bool:
    """Whether the compiler's library is running."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] == COMPILER:
            return True
        frame = frame.f_back
    return False


def _watch(reader: int, ended: threading.Event) -> None:
    with open(reader, "rb", buffering=0) as signals:
        while number := signals.read(1):
            if number[0] in ENDING and not ended.wait(PATIENCE) and is_compiling(_main_frame()):
                # Below a bar that nobody takes away any more.
                os.write(2, b"\nInterrupted.\n" if os.isatty(2) else b"Interrupted.\n")
                os._exit(130)


def _main_frame() -> FrameType | None:
    return sys._current_frames().get(threading.main_thread().ident or 0)


def _pause() -> None:
    """A child must not tell its parent's thread of signals of its own, from its first moment on."""
    with suppress(ValueError):  # not the main thread, which alone may do this
        told = signal.set_wakeup_fd(-1)
        if told in _writers:
            _paused.append(told)
        else:
            signal.set_wakeup_fd(told)


def _go_on() -> None:
    if _paused:
        signal.set_wakeup_fd(_paused.pop(), warn_on_full_buffer=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_pause, after_in_parent=_go_on, after_in_child=_paused.clear)
