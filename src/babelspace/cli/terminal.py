"""What documents say is shown on a terminal, never obeyed by it.

A text, an id or a label may hold signs that move the cursor, set the title of a window, write into the clipboard or
turn the direction of writing. On a terminal they are written out; files and pipes get every text as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from babelspace.runtime.visible import visible


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
    return stream.raw if isinstance(stream, VisibleStream) else stream


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
