"""Corpora whose words are linked, kept for the pages of words and of alignment."""

from __future__ import annotations

from threading import Lock

from fastapi import Request

from babelspace.service.names import readable
from babelspace.service.refusals import Refused
from babelspace.service.workspace import Workspace
from babelspace.workflows.reading import load_corpus
from babelspace.workflows.terminology import LinkedBitext, link_bitext

# Linked corpora that are kept, and rows beyond which linking is no work for a request.
KEPT, MOST_ROWS = 4, 20_000
Key = tuple[str, str, str, str, int]


class LinkedCorpora:
    """Linked once, looked up many times."""

    def __init__(self) -> None:
        self._known: dict[Key, LinkedBitext] = {}
        self._lock = Lock()

    def get(self, workspace: Workspace, corpus: str, one: str, other: str, aligner: str = "") -> LinkedBitext:
        """The words of two languages of a corpus with their links, by a saved aligner or by one trained on them."""
        path = readable(workspace.folder, corpus, workspace.only)
        saved = workspace.find(aligner, "aligner").path if aligner else None
        changed = 0 if path.startswith("sample:") else workspace.inside(corpus).stat().st_mtime_ns
        key = (corpus, one, other, aligner, changed)
        with self._lock:
            if key not in self._known:
                rows = load_corpus(path, None, [one, other])
                if len(rows) > MOST_ROWS:
                    raise Refused(
                        413,
                        f"{len(rows):,} rows; up to {MOST_ROWS:,} are linked here",
                        hint="link them by a job, align",
                    )
                self._known[key] = link_bitext(rows, [one, other], "fertility", saved)
                for old in list(self._known)[:-KEPT]:
                    del self._known[old]
            return self._known[key]


def linked(request: Request, corpus: str, one: str, other: str, aligner: str = "") -> LinkedBitext:
    """The linked corpus that a page asks for."""
    corpora: LinkedCorpora = request.app.state.linked
    return corpora.get(request.app.state.workspace, corpus, one, other, aligner)
