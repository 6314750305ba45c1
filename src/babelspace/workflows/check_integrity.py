"""Whether a folder is as it was written, to the last byte; and what can be mended of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from babelspace.alignment.model import KIND as ALIGNER, load_aligner
from babelspace.classification import CrossLanguageClassifier
from babelspace.classification.storage import INSIDE as CLASSIFIER
from babelspace.errors import ArtifactError, BabelspaceError
from babelspace.runtime import artifact, progress
from babelspace.search.card import is_index
from babelspace.search.index import Index
from babelspace.spaces import Encoder
from babelspace.store import EncodedDocument, Store
from babelspace.workflows.check_work import bad_work, is_work, take_away

# Documents that are read together.
BATCH = 500


@dataclass(frozen=True)
class Problem:
    """What is wrong, and whether it was mended."""

    what: str
    mended: bool = False


@dataclass
class Checked:
    """What a folder is, how much of it was looked at, and what is wrong with it."""

    folder: str
    kind: str
    documents: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong (any more)."""
        return all(problem.mended for problem in self.problems)

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        told = [{"problem": problem.what, "mended": problem.mended} for problem in self.problems]
        return {"folder": self.folder, "kind": self.kind, "documents": self.documents, "problems": told}


def check(folder: str | Path, *, repair: bool = False, store: str | None = None) -> Checked:
    """Read every byte of a model, classifier, aligner, index or work folder, and compare it with what was written.

    Of unfinished work, what is not as it was written is taken away with `repair`: it is then done again.
    Of an index, every document, its words and its vector are compared with their digests; with `repair` all is made
    again that can be: words, vectors and counts from the texts, copies from the database.

    Examples
    --------
    >>> import tempfile
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, planted
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=5)).fit(planted(rows=60)).save(folder)
    >>> check(folder).sound
    True
    """
    path = Path(folder)
    if is_index(path):
        return _check_index(path, repair, store)
    if is_work(path):
        found = Checked(str(path), "work")
        for place, what, ours in bad_work(path):
            found.problems.append(Problem(what, repair and ours))
            if repair and ours:
                take_away(place)
        return found
    kind = "model"
    try:
        card = artifact.read_card(path)
        kind = "aligner" if card.get("kind") == ALIGNER else "classifier" if (path / CLASSIFIER).is_dir() else "model"
        {"aligner": load_aligner, "classifier": CrossLanguageClassifier.load, "model": Encoder.load}[kind](path)
    except ArtifactError as problem:
        if not path.exists():
            raise
        return Checked(str(path), kind, problems=[Problem(problem.fact)])
    return Checked(str(path), kind)


def _check_index(folder: Path, repair: bool, address: str | None) -> Checked:
    found = Checked(str(folder), "index")
    try:
        with Index.open(folder, address) as index:
            found.documents = len(index)
            found.problems += [Problem(what) for what in _document_problems(index.store)]
            found.problems += _derived_problems(index, repair)
            for copied in index.store.bad_copies(remove=repair):
                found.problems.append(Problem(f"the copy of the {copied} is not of this database", repair))
            if repair:
                index.finish()
    except BabelspaceError as problem:
        if not (folder / "index.json").is_file():
            raise
        found.problems.append(Problem(problem.fact))
    return found


def _derived_problems(index: Index, repair: bool) -> Iterator[Problem]:
    """What is made of documents, and can be made of them again: words, vectors, numbers, fields."""
    bad = index.store.bad_rows()
    for row, document in index.store.documents(bad).items():
        what = (
            f"words or vector of document {document.id!r} ({document.language}, row {row}) are not as they were written"
        )
        yield Problem(what, repair)
    if repair and len(bad):
        index.encode_again(bad)
    for what in index.store.miscounted():
        yield Problem(what, repair)
        if repair:
            index.store.recount()


def _document_problems(store: Store) -> Iterator[str]:
    """Documents that are not what their digest says, vectors that are no numbers, and what the database finds."""
    yield from store.faults()
    rows = store.selected({})
    for language in store.counts():
        lost = np.setdiff1d(store.rows(language), rows)
        if len(lost):
            yield f"{len(lost):,} vectors of {language} without a document, the first at row {lost[0]}"
    with progress.task("checking documents", len(rows)) as advance:
        for start in range(0, len(rows), BATCH):
            part = rows[start : start + BATCH]
            documents = store.documents(part)
            digests = store.digests([(document.id, document.language) for document in documents.values()])
            for row, document in documents.items():
                if digests.get((document.id, document.language)) != EncodedDocument(document).digest:
                    yield f"document {document.id!r} ({document.language}, row {row}) is not as it was written"
            if not np.isfinite(store.vectors(part)).all():
                yield f"vectors of rows {part[0]} to {part[-1]} hold values that are no numbers"
            advance(len(part))
