"""Some documents of a corpus as a list: a corpus of their own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from babelspace.corpus import AlignedCorpus, stream_documents
from babelspace.corpus.writers import write_folder
from babelspace.errors import CorpusError

# Language and id of a document.
Chosen = tuple[str, str]


def keep_documents(path: str | Path, chosen: Iterable[Chosen], folder: str | Path) -> Path:
    """Write the chosen documents, each told by its language and its id, with their metadata; gives the folder.

    Examples
    --------
    >>> import tempfile
    >>> from babelspace import read_corpus
    >>> verses = [("en", "40-MAT-001-001"), ("es", "40-MAT-001-001"), ("es", "40-MAT-001-002")]
    >>> kept = keep_documents("sample:gospels", verses, tempfile.mkdtemp())
    >>> print(read_corpus(kept).counts())
    {'en': 1, 'es': 2}
    """
    wanted = set(chosen)
    found = [one for one in stream_documents(path) if (one.language, one.id) in wanted]
    missing = wanted - {(one.language, one.id) for one in found}
    if missing:
        language, id = min(missing)
        raise CorpusError(f"no {language} document has the id {id!r}", path=str(path), hint="choose among those it has")
    if not found:
        raise CorpusError("no document was chosen", path=str(path), hint="choose some")
    return write_folder(AlignedCorpus.from_documents(found, source=folder), folder)


def document_ids(path: str | Path, most: int) -> list[str]:
    """The ids of a corpus, each once, in order of appearance; not more than `most` are read."""
    ids: dict[str, None] = {}
    for document in stream_documents(path):
        if len(ids) == most:
            break
        ids[document.id] = None
    return list(ids)
