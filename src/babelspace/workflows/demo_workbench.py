"""A folder to open in the workbench: the embedded samples, a model, an index, and pairs to review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from babelspace.corpus import Document, sample
from babelspace.corpus.writers import write_folder
from babelspace.workflows.build_index import build_index
from babelspace.workflows.fit_model import fit_model
from babelspace.workflows.held_out_rows import held_out_rows
from babelspace.workflows.review import make_review

LANGUAGES = ("en", "es")
HOLDOUT, DIMENSIONS = 0.3, 100
# Words of a text to review: of whole pages nearly all pairs are right, and there would be nothing to find.
BEGINNING = 10


def numbered(documents: Sequence[Document]) -> list[Document]:
    """By the alphabet, under the numbers of their places: the ids of the sample would tell which pairs are right."""
    inorder = sorted(documents, key=lambda document: (document.text, document.id))
    return [replace(one, id=f"{one.language}-{number}") for number, one in enumerate(inorder, 1)]


def leave_workbench(folder: str | Path, *, rows: int | None = None) -> Path:
    """Make what is not there yet; verdicts of an earlier time stay. `rows` of the sample are taken, all by default.

    Examples
    --------
    >>> import tempfile
    >>> folder = leave_workbench(Path(tempfile.mkdtemp()) / "workbench", rows=150)
    >>> sorted(path.name for path in folder.iterdir())
    ['help', 'index', 'model', 'pairs.review', 'verses']
    """
    place = Path(folder)
    corpus = sample("help").select(range(rows) if rows else slice(None), LANGUAGES)
    if not (place / "help").exists():
        write_folder(corpus, place / "help")
    if not (place / "verses").exists():
        write_folder(sample("gospels").select(languages=LANGUAGES).aligned()[:rows], place / "verses")
    if not (place / "model").exists():
        fit_model(corpus, n_components=DIMENSIONS, holdout=HOLDOUT).save(place / "model")
    if not (place / "index").exists():
        documents = [document for language in LANGUAGES for document in corpus.documents(language)]
        build_index(place / "index", place / "model", documents).close()
    if not (place / "pairs.review").exists():
        fresh = held_out_rows(corpus, HOLDOUT).head(BEGINNING)
        sides = [numbered(fresh.documents(language)) for language in LANGUAGES]
        make_review(place / "pairs.review", place / "model", *sides).close()
    return place
