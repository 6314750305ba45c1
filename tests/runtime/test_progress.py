"""Progress is silent unless shown, never changes what passes through it, and nothing collides with it."""

from __future__ import annotations

import io
import sys
import time
from types import ModuleType

import pytest
from rich.console import Console

from babelspace.runtime import notebook_progress, progress


def console(terminal):
    return Console(file=io.StringIO(), force_terminal=terminal, width=100)


def test_silent_by_default(capsys):
    with progress.task("work", 10) as advance:
        advance(5)
    assert list(progress.track("abc", "letters")) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", "")


def test_shown_on_a_terminal():
    screen = console(terminal=True)
    with progress.shown(screen), progress.task("factorising") as advance:
        for number in progress.track(iter(range(3)), "counting", 3000):
            time.sleep(0.15 if number else 0)
        advance(1)
    shown = screen.file.getvalue()
    assert "counting" in shown and "/ 3,000" in shown and "factorising" in shown


@pytest.mark.parametrize(
    ("done", "total", "text"), [(0, None, ""), (1200, None, "1,200"), (5, 10, "5 / 10"), (12, 10, "10 / 10")]
)
def test_counts(done, total, text):
    assert progress.counted(done, total) == text


def test_clock():
    assert [progress.clock(seconds) for seconds in (5, 65, 7209.4)] == ["0:05", "1:05", "2:00:09"]


def test_nothing_is_written_to_a_file():
    screen = console(terminal=False)
    with progress.shown(screen):
        list(progress.track([1, 2], "counting"))
    assert screen.file.getvalue() == ""


def test_off_again_after_an_exception():
    screen = console(terminal=True)
    with pytest.raises(RuntimeError, match="inside"), progress.shown(screen), progress.task("work"):
        raise RuntimeError("inside")
    written = screen.file.getvalue()
    list(progress.track([1], "later"))
    assert screen.file.getvalue() == written


class Recorder:
    """A display that remembers."""

    def __init__(self):
        self.seen, self.open = [], set()

    def add_task(self, description, *, total=None):
        self.seen.append(description)
        self.open.add(len(self.seen))
        return len(self.seen)

    def advance(self, task_id, advance=1):
        assert task_id in self.open

    def remove_task(self, task_id):
        self.open.remove(task_id)


def test_compiling_is_told():
    numba = pytest.importorskip("numba")

    @numba.njit
    def inner(x):
        return x + 1

    @numba.njit
    def outer(x):
        return inner(x) * 2

    display = Recorder()
    with progress.told_to(display), progress.task("learning"):
        assert outer(3) == 8
        assert outer(4) == 10
    assert display.seen == ["learning", progress.COMPILING] and not display.open
    outer(1.5)
    assert display.seen == ["learning", progress.COMPILING], "nobody is shown anything afterwards"


def test_in_a_notebook(monkeypatch):
    sent = []

    class Handle:
        def update(self, html):
            sent.append(html)

    shell = type("ZMQInteractiveShell", (), {})()
    fake, shown = ModuleType("IPython"), ModuleType("IPython.display")
    fake.get_ipython, shown.HTML, shown.display = lambda: shell, str, lambda *_, **__: Handle()
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    monkeypatch.setattr(notebook_progress, "PAUSE", 0.0)
    monkeypatch.setattr(notebook_progress, "TICK", 0.01)
    with notebook_progress.show_progress(), progress.task("a <b>", 4) as advance:
        advance(2)
        ticks = len(sent)
        time.sleep(0.1)
        assert len(sent) > ticks, "the clock goes on while nothing is reported"
    assert "a &lt;b&gt; · 2 / 4 · 0:00 · 0:00 left" in "".join(sent)
    assert sent[-1] == ""


def test_anywhere_else_nothing_is_shown(capsys):
    with notebook_progress.show_progress(), progress.task("work"):
        pass
    assert capsys.readouterr() == ("", "")
