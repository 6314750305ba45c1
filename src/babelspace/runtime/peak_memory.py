"""Peak memory of a piece of work, by looking often."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading

from babelspace.runtime.resources import resident

# Seconds between two looks.
EVERY = 0.01


class PeakMemory:
    """Megabytes above what was in use before the body; None where the system does not tell (not Linux)."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._highest = 0
        self.mb: float | None = None

    def __enter__(self) -> PeakMemory:
        _tidy()
        self._before = self._highest = resident() or 0
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watcher.join()
        self._look()
        self.mb = (self._highest - self._before) / 2**20 if self._before else None

    def _watch(self) -> None:
        while self._before and not self._done.wait(EVERY):
            self._look()

    def _look(self) -> None:
        self._highest = max(self._highest, resident() or 0)


def _tidy() -> None:
    """Give back what earlier work has freed: it would count as in use before, and hide what the body takes."""
    gc.collect()
    # Only glibc keeps freed pages in this way, and only glibc has this function.
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
