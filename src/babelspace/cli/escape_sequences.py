"""What documents say is shown on a terminal, never obeyed by it.

A text, an id or a label may hold signs that move the cursor, set the title of a window, write into the clipboard or
turn the direction of writing. On a terminal they are written out; files and pipes get every text as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from babelspace.runtime.display_text import visible


class AboveTheBars:
    """A stream to a terminal on which progress bars are drawn: whole lines are written above them."""

    def __init__(self, console: Any, below: Any) -> None:
        self.console, self.below = console, below
        self.raw = below.raw if isinstance(below, VisibleStream) else below
        self._line = ""

    def write(self, text: str) -> int:
        """Keep what is no whole line yet."""
        from rich.text import Text

        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self.console.print(Text(visible(line)), soft_wrap=True)
        return len(text)

    def end(self) -> None:
        """Write what is left."""
        if self._line:
            self.below.write(self._line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


class VisibleStream:
    """A stream to a terminal on which all text is visible; `raw` is for what draws tables and bars itself."""

    def __init__(self, raw: IO[str]) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write what can be seen."""
        self.raw.write(visible(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def raw(stream: Any) -> IO[str]:
    """The stream below, for drawing; what is drawn of documents must be made visible first."""
    return stream.raw if isinstance(stream, (VisibleStream, AboveTheBars)) else stream


@contextmanager
def above_the_bars(console: Any) -> Iterator[None]:
    """While it lasts, lines for the terminal come above the bars of this console; files and pipes get theirs as is."""
    before = sys.stdout, sys.stderr
    above = [AboveTheBars(console, stream) if stream.isatty() else stream for stream in before]
    sys.stdout, sys.stderr = cast(Any, above[0]), cast(Any, above[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for stream in above:
            if isinstance(stream, AboveTheBars):
                stream.end()


@contextmanager
def shown_not_obeyed() -> Iterator[None]:
    """While it lasts, what goes to a terminal is visible."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        cast(Any, VisibleStream(stream)) if stream is not None and stream.isatty() else stream for stream in before
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
