"""Reviews that are open, each once for all who judge."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babelspace import Review

# Reviews that are kept open.
KEPT = 16


class OpenReviews:
    """Reviews by their path; one that was replaced by another file is opened anew."""

    def __init__(self) -> None:
        self._open: dict[Path, tuple[int, Review]] = {}
        self._lock = Lock()

    def get(self, path: Path) -> Review:
        """The review of a file, opened if nobody has done so."""
        from babelspace import Review

        with self._lock:
            number = path.stat().st_ino
            known = self._open.pop(path, None)
            if known is not None and known[0] != number:
                known[1].close()
                known = None
            found = known or (number, Review.open(path))
            self._open[path] = found
            for old in list(self._open)[:-KEPT]:
                self._open.pop(old)[1].close()
            return found[1]

    def close(self) -> None:
        """Let go of all files."""
        with self._lock:
            for _, review in self._open.values():
                review.close()
            self._open.clear()
