"""How far a job is: the tasks that models report, as one line with the time left."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

# Seconds between two lines: people read no faster, and every line is written to the disk.
PAUSE = 0.25


class ProgressLines:
    """Stands where the command line has its bars; tells the task at hand, how much is done and the seconds left.

    Examples
    --------
    >>> told = []
    >>> lines = ProgressLines(told.append, clock=iter([0.0, 10.0]).__next__)
    >>> task = lines.add_task("reading", total=100)
    >>> lines.advance(task, 25)
    >>> told[-1]
    {'task': 'reading', 'done': 25.0, 'total': 100, 'seconds_left': 30.0}
    """

    def __init__(self, tell: Callable[[dict[str, Any]], None], clock: Callable[[], float] = monotonic) -> None:
        self._tell, self._clock = tell, clock
        self._tasks: dict[int, dict[str, Any]] = {}
        self._next, self._last = 0, float("-inf")

    def add_task(self, description: str, total: float | None = None, **_: Any) -> int:
        """A task begins."""
        self._next += 1
        now = self._clock()
        self._tasks[self._next] = {"task": description, "done": 0.0, "total": total, "since": now}
        self._show(now)
        return self._next

    def advance(self, task: int, amount: float = 1) -> None:
        """So much more of a task is done."""
        if task in self._tasks:
            self._tasks[task]["done"] += amount
            self._show(self._clock())

    def remove_task(self, task: int) -> None:
        """A task is over."""
        self._tasks.pop(task, None)

    def _show(self, now: float) -> None:
        if now - self._last < PAUSE:
            return
        self._last = now
        # The outermost task that knows its total says most about the end; else the one at hand.
        counted = [one for one in self._tasks.values() if one["total"]]
        one = counted[0] if counted else list(self._tasks.values())[-1]
        left = None
        if one["total"] and one["done"]:
            rest = max(one["total"] - one["done"], 0)
            left = round((now - one["since"]) * rest / one["done"], 1)
        self._tell({"task": one["task"], "done": one["done"], "total": one["total"], "seconds_left": left})
