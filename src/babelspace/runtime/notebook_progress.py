"""Progress in a notebook, and `show_progress`, which finds out where it is."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from typing import Any

from babelspace.runtime import progress

# A notebook is sent a new state so often at most, and at least once in so many seconds, so that the clock goes on.
PAUSE, TICK = 0.2, 1.0


@contextmanager
def show_progress() -> Iterator[None]:
    """Show what the body is doing: bars on a terminal, a line in a notebook, nothing anywhere else.

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, fit_model, planted, show_progress
    >>> with show_progress():
    ...     encoder = fit_model(planted(rows=300), vectorizer=ViewsVectorizer(drop_top=0), n_components=10)
    """
    if _in_notebook():
        with _Notebook() as display, progress.told_to(display):
            yield
        return
    from rich.console import Console

    with progress.shown(Console(stderr=True)):
        yield


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


@dataclass
class _Task:
    description: str
    total: float | None
    done: float = 0.0
    began: float = field(default_factory=time.monotonic)

    def line(self) -> str:
        """What is known of it, as HTML."""
        passed = time.monotonic() - self.began
        parts = [escape(self.description), progress.counted(self.done, self.total), progress.clock(passed)]
        if self.total and self.done:
            parts.append(f"{progress.clock(passed * max(self.total - self.done, 0) / self.done)} left")
        bar = f'<progress max="{self.total:g}" value="{self.done:g}"></progress> ' if self.total else ""
        return f"<div>{bar}{' · '.join(filter(None, parts))}</div>"


class _Notebook:
    """One output that is written anew."""

    def __init__(self) -> None:
        self.tasks: dict[int, _Task] = {}
        self._next, self._sent = 0, 0.0
        self._lock, self._over = threading.RLock(), threading.Event()
        self._handle: Any = None
        self._clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> _Notebook:
        shown = import_module("IPython.display")

        self._html = shown.HTML
        self._handle = shown.display(shown.HTML(""), display_id=True)
        self._clock.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._over.set()
        self._clock.join()
        self._handle.update(self._html(""))

    def add_task(self, description: str, *, total: float | None = None) -> int:
        with self._lock:
            self._next += 1
            self.tasks[self._next] = _Task(description, total)
        self._send()
        return self._next

    def advance(self, task_id: int, advance: float = 1) -> None:
        with self._lock:
            self.tasks[task_id].done += advance
        self._send()

    def remove_task(self, task_id: int) -> None:
        with self._lock:
            del self.tasks[task_id]

    def _tick(self) -> None:
        while not self._over.wait(TICK):
            self._send()

    def _send(self) -> None:
        with self._lock:
            if time.monotonic() - self._sent >= PAUSE:
                self._sent = time.monotonic()
                self._handle.update(self._html("".join(task.line() for task in self.tasks.values())))
