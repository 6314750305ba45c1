"""Progress through a context variable: models report; a terminal or a notebook shows it where somebody asked for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from babelspace.runtime.display_text import visible

Advance = Callable[[float], None]
T = TypeVar("T")
COMPILING = "compiling (only the first time)"


class Display(Protocol):
    """What shows tasks."""

    def add_task(self, description: str, *, total: float | None = None) -> Any:
        """A new task; gives what it is known by."""

    def advance(self, task_id: Any, advance: float = 1) -> None:
        """So much more is done."""

    def remove_task(self, task_id: Any) -> None:
        """It is over."""


_display: ContextVar[Display | None] = ContextVar("babelspace_progress", default=None)


@contextmanager
def task(description: str, total: float | None = None) -> Iterator[Advance]:
    """A named piece of work; call what it yields with the amount just done."""
    display = _display.get()
    if display is None:
        yield lambda amount: None
        return
    _watch_compiler()
    handle = display.add_task(visible(description), total=total)
    try:
        yield lambda amount: display.advance(handle, amount)
    finally:
        display.remove_task(handle)


def track(items: Iterable[T], description: str, total: float | None = None) -> Iterator[T]:
    """Iterate, advancing a task by one for each item."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with task(description, total) as advance:
        for item in items:
            yield item
            advance(1)


@contextmanager
def told_to(display: Display) -> Iterator[None]:
    """Tell the tasks of the body to whoever has `add_task`, `advance` and `remove_task`, as rich's bars do."""
    token = _display.set(display)
    try:
        yield
    finally:
        _display.reset(token)


@contextmanager
def shown(console: Any) -> Iterator[None]:
    """Show the tasks of the body on a rich console if that is a terminal."""
    if not console.is_terminal:
        yield
        return
    with bars(console) as display, told_to(display):
        yield


def bars(console: Any) -> Any:
    """Bars of a terminal with count, time so far and time left; what is unknown is left out.

    Nothing is redirected: who writes beside the bars does it through the same console.
    """
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Count(ProgressColumn):
        """How many of how many."""

        def render(self, task: Any) -> Text:
            return Text(counted(task.completed, task.total))

    class Left(ProgressColumn):
        """The time that is left, where it can be told."""

        max_refresh = 0.5

        def render(self, task: Any) -> Text:
            seconds = task.time_remaining
            return Text("" if task.total is None or seconds is None else f"{clock(seconds)} left", style="dim")

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), Count(), TimeElapsedColumn(), Left())
    return Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)


def counted(done: float, total: float | None) -> str:
    """`1,200 / 5,000`; the count alone where the total is unknown, nothing before the first."""
    if total is None:
        return f"{done:,.0f}" if done else ""
    return f"{min(done, total):,.0f} / {total:,.0f}"


def room(size: float) -> str:
    """Memory that something takes, for people.

    >>> room(34_100_000), room(1_240_000_000)
    ('34 MB', '1.2 GB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def clock(seconds: float) -> str:
    """`1:05`, `2:00:09`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _watch_compiler() -> None:
    """From now on tell when numba compiles what its cache lacks: a first run would seem to stand still otherwise."""
    global _watched
    # Not by importing it: that takes a second, which commands that compile nothing need not wait for.
    if _watched or "numba" not in sys.modules:
        return
    _watched = True
    from numba.core import event

    class Compiling(event.Listener):
        """Compiling one function compiles others within."""

        def __init__(self) -> None:
            self.running: list[tuple[Display, Any] | None] = []

        def on_start(self, event: Any) -> None:
            display = None if self.running else _display.get()
            self.running.append(None if display is None else (display, display.add_task(COMPILING, total=None)))

        def on_end(self, event: Any) -> None:
            told = self.running.pop()
            if told is not None:
                told[0].remove_task(told[1])

    event.register("numba:compile", Compiling())  # type: ignore[no-untyped-call]


_watched = False
