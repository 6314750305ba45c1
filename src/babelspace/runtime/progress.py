"""Progress through a context variable: models report, only the command line shows, and only on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from babelspace.runtime.visible import visible

Advance = Callable[[float], None]
T = TypeVar("T")

_display: ContextVar[Any] = ContextVar("babelspace_progress", default=None)


@contextmanager
def task(description: str, total: float | None = None) -> Iterator[Advance]:
    """A named piece of work; call what it yields with the amount just done."""
    display = _display.get()
    if display is None:
        yield lambda amount: None
        return
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
def told_to(display: Any) -> Iterator[None]:
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
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as display, told_to(display):
        yield
