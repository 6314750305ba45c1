"""Progress is silent unless shown on a terminal, and never changes what passes through it."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from babelspace.runtime import progress


def console(terminal):
    return Console(file=io.StringIO(), force_terminal=terminal, width=80)


def test_silent_by_default(capsys):
    with progress.task("work", 10) as advance:
        advance(5)
    assert list(progress.track("abc", "letters")) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", "")


def test_shown_on_a_terminal():
    screen = console(terminal=True)
    with progress.shown(screen):
        assert list(progress.track(iter(range(3)), "counting", 3)) == [0, 1, 2]
        with progress.task("factorising") as advance:
            advance(1)
    assert "counting" in screen.file.getvalue() or "factorising" in screen.file.getvalue()


def test_nothing_is_written_to_a_file():
    screen = console(terminal=False)
    with progress.shown(screen):
        list(progress.track([1, 2], "counting"))
    assert screen.file.getvalue() == ""


def test_off_again_after_an_exception(capsys):
    screen = console(terminal=True)
    with pytest.raises(RuntimeError, match="inside"), progress.shown(screen), progress.task("work"):
        raise RuntimeError("inside")
    written = screen.file.getvalue()
    list(progress.track([1], "later"))
    assert screen.file.getvalue() == written
