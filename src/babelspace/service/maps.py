"""Maps of documents that are laid out, each once for all who look."""

from __future__ import annotations

from threading import Lock
from typing import Any

from babelspace.service.workspace import MODELS, Workspace

# Points beyond which laying them out is no work for a request, and maps that are kept.
MOST, KEPT = 1_500, 8


class Maps:
    """Laid out once, looked at many times."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int], dict[str, Any]] = {}
        self._lock = Lock()

    def get(self, workspace: Workspace, model: str, corpus: str) -> dict[str, Any]:
        """The columns of a map."""
        from babelspace.workflows.map_documents import map_paths

        path = workspace.readable(corpus)
        place = workspace.find(model, *MODELS).path
        key = (model, corpus, place.stat().st_ino)
        with self._lock:
            if key not in self._known:
                with workspace.model(model) as encoder:
                    found = map_paths(encoder, [path], most=MOST)
                columns = {name: list(values) for name, values in found.columns().items()}
                self._known[key] = {"columns": columns, "left_out": found.left_out, "unplaced": found.unplaced}
                for old in list(self._known)[:-KEPT]:
                    del self._known[old]
            return self._known[key]
