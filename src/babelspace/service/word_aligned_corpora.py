"""Corpora whose words are linked, kept for the pages of words and of alignment."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from fastapi import Request

from babelspace.service.refusals import Refused
from babelspace.service.workspace import Workspace
from babelspace.workflows.reading import load_corpus

if TYPE_CHECKING:
    from babelspace import AlignedCorpus
    from babelspace.workflows.terminology import LinkedBitext

# Linked corpora that are kept, rows beyond which reading is no work for a request, and pairs of words of one row
# beyond which linking is none: some seconds.
KEPT, MOST_ROWS, MOST_MEETINGS = 4, 20_000, 4_000_000
Key = tuple[str, str, str, str, int]


class LinkedPart(NamedTuple):
    """What is linked of a corpus that has `rows` rows in both languages."""

    bitext: LinkedBitext
    rows: int

    @property
    def note(self) -> str:
        """Says so where it is not all of it."""
        linked = len(self.bitext.ids)
        return f"{linked:,} of {self.rows:,} rows are linked here, evenly" if linked < self.rows else ""


class LinkedCorpora:
    """Linked once, looked up many times."""

    def __init__(self) -> None:
        self._known: dict[Key, LinkedPart] = {}
        self._lock = Lock()

    def get(self, workspace: Workspace, corpus: str, one: str, other: str, aligner: str = "") -> LinkedPart:
        """Words of two languages of a corpus with their links, by a saved aligner or by one trained on them.

        Of long texts some rows are taken, evenly: who looks up a word does not wait for minutes.
        """
        path = workspace.readable(corpus)
        saved = workspace.find(aligner, "aligner").path if aligner else None
        changed = 0 if path.startswith("sample:") else workspace.inside(corpus).stat().st_mtime_ns
        key = (corpus, one, other, aligner, changed)
        from babelspace.workflows.terminology import link_bitext

        with self._lock:
            if key not in self._known:
                rows = load_corpus(path, None, [one, other]).aligned()
                if len(rows) > MOST_ROWS:
                    raise Refused(
                        413,
                        f"{len(rows):,} rows; up to {MOST_ROWS:,} are linked here",
                        hint="link them by a job, align",
                    )
                kept = rows[:: -(-_meetings(rows, one, other) // MOST_MEETINGS) or 1]
                self._known[key] = LinkedPart(link_bitext(kept, [one, other], "fertility", saved), len(rows))
                for old in list(self._known)[:-KEPT]:
                    del self._known[old]
            return self._known[key]


def _meetings(rows: AlignedCorpus, one: str, other: str) -> int:
    """How many pairs of words stand in one row, by spaces: what linking takes time for."""
    sides = zip(rows.texts(one), rows.texts(other), strict=True)
    return sum(len((left or "").split()) * len((right or "").split()) for left, right in sides)


def linked(request: Request, corpus: str, one: str, other: str, aligner: str = "") -> LinkedPart:
    """The linked corpus that a page asks for."""
    corpora: LinkedCorpora = request.app.state.linked
    return corpora.get(request.app.state.workspace, corpus, one, other, aligner)
